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

    check_targets(out)
    if trace is None:
        check_picture(out)
    if trace is not None:
        from geopar.plotting.animation import animate
        from geopar.trace import read_trace

        instance = reading.problem(problem)
        animate(instance, read_trace(trace, instance), out)
        say(f"Wrote {out}.")
        return
    if plan is None:
        draw(reading.problem(problem), None, out)
    else:
        draw(*reading.problem_and_plan(problem, plan), out)
    say(f"Wrote {out}.")
