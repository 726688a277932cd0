"""``geopar generate``: random problems."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from geopar.cli.outputs import check_targets, print_json, say
from geopar.errors import Faults
from geopar.problems.random import generator
from geopar.problems.setting import Setting

# Problems of one file, and their tasks and vehicles together.
MOST_AT_ONCE, MOST_PLACES = 100_000, 20_000_000


def generate(
    setting: Annotated[
        str, typer.Argument(help="problem/tasks/vehicles, such as hcvrp/60/3.", show_default=False)
    ],
    seed: Annotated[int, typer.Option(help="The same seed gives the same problems.")] = 0,
    count: Annotated[int, typer.Option(help="How many; more than one need an npz file.")] = 1,
    out: Annotated[
        Path | None, typer.Option(help="The file: .json, .csv, .vrp or .npz; stdout if left out.")
    ] = None,
) -> None:
    """Draw random problems with the paper's distribution."""
    from geopar.files import problem_to_json, write_batch, write_problem

    chosen, rng = Setting.parse(setting), generator(seed)
    faults = Faults()
    # All of them are in memory before they are written.
    most = max(1, min(MOST_AT_ONCE, MOST_PLACES // (chosen.num_tasks + chosen.num_vehicles)))
    if not 1 <= count <= most:
        message = f"must be from 1 to {most:,} of this size."
        faults.add("bad-count", "count", count, message, "Maybe several files, by --seed.")
    elif count > 1 and (out is None or out.suffix.lower() != ".npz"):
        faults.add(
            "needs-npz", "out", str(out or "stdout"), f"cannot hold {count} problems.",
            "Maybe --out problems.npz.",
        )  # fmt: skip
    faults.raise_if_any()
    check_targets(out)
    problems = [chosen.generate(rng) for _ in range(count)]
    if out is None:
        print_json(problem_to_json(problems[0]))
        return
    written = write_problem(problems[0], out) if count == 1 else write_batch(problems, out)
    say(f"Wrote {', '.join(map(str, written))}.")
