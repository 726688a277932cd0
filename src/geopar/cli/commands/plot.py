"""``geopar plot``: pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from geopar.cli.inputs import ProblemName, ReadingOptions
from geopar.cli.outputs import check_picture, check_targets, say


def plot(
    problem: ProblemName,
    *,
    plan: Annotated[
        Path | None, typer.Argument(help="A plan for it: JSON or .sol.", show_default=False)
    ] = None,
    out: Annotated[Path, typer.Option(help="The picture: .png, .svg or .pdf.", show_default=False)],
    trace: Annotated[
        Path | None,
        typer.Option(metavar="JSON", help="Animate what `solve --trace` wrote; --out is a .gif."),
    ] = None,
    reading: ReadingOptions,
) -> None:
    """Draw a problem, or a plan and its schedule."""
    from geopar import plot as draw
    from geopar.files import read_plan

    check_targets(out)
    if trace is None:
        check_picture(out)
    instance = reading.problem(problem)
    if trace is not None:
        from geopar.plotting.animation import animate
        from geopar.trace import read_trace

        animate(instance, read_trace(trace, instance), out)
        say(f"Wrote {out}.")
        return
    draw(instance, None if plan is None else read_plan(plan, instance), out)
    say(f"Wrote {out}.")
