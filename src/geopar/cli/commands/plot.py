"""``geopar plot``: pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from geopar.cli.inputs import (
    Capacity,
    Goal,
    MatrixFile,
    NumVehicles,
    ProblemName,
    Rounding,
    Speed,
    Unit,
    VehiclesFile,
)
from geopar.cli.outputs import check_picture, check_targets, say


def plot(
    problem: ProblemName,
    plan: Annotated[
        Path | None, typer.Argument(help="A plan for it: JSON or .sol.", show_default=False)
    ] = None,
    out: Annotated[
        Path, typer.Option(help="The picture: .png, .svg or .pdf.", show_default=False)
    ] = ...,  # type: ignore[assignment]
    trace: Annotated[
        Path | None,
        typer.Option(metavar="JSON", help="Animate what `solve --trace` wrote; --out is a .gif."),
    ] = None,
    vehicles: VehiclesFile = None,
    num_vehicles: NumVehicles = None,
    capacity: Capacity = None,
    speed: Speed = None,
    matrix: MatrixFile = None,
    time_unit: Unit = None,
    minimise: Goal = None,
    rounding: Rounding = None,
) -> None:
    """Draw a problem, or a plan and its schedule."""
    from geopar import plot as draw
    from geopar.files import read_plan
    from geopar.files.named import Reading

    check_targets(out)
    if trace is None:
        check_picture(out)
    instance = Reading(
        vehicles, num_vehicles, capacity, speed, matrix, time_unit, minimise, rounding
    ).problem(problem)
    if trace is not None:
        from geopar.plotting.animation import animate
        from geopar.trace import read_trace

        animate(instance, read_trace(trace, instance), out)
        say(f"Wrote {out}.")
        return
    draw(instance, None if plan is None else read_plan(plan, instance), out)
    say(f"Wrote {out}.")
