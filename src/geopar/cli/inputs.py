"""How the command line names problems, and what it says of files that do not say it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

ProblemName = Annotated[
    str,
    typer.Argument(
        metavar="PROBLEM",
        help="A file (JSON, CSV, xlsx, VRPLIB, npz), or an instance: hcvrp/60/3#7 or batch.npz#7.",
        show_default=False,
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="WHERE", help="serial, processes, processes:4, or a Ray cluster: auto or HOST:PORT."
    ),
]
VehiclesFile = Annotated[
    Path | None, typer.Option("--vehicles", metavar="CSV", help="CSV: the file of vehicles.")
]
NumVehicles = Annotated[int | None, typer.Option(help="VRPLIB: how many vehicles.")]
Capacity = Annotated[
    str | None,
    typer.Option(metavar="NUMBERS", help="VRPLIB: capacity, one for all or one each: 30,45."),
]
Speed = Annotated[
    str | None,
    typer.Option(metavar="NUMBERS", help="VRPLIB: speed, one for all or one each: 1,0.5."),
]
MatrixFile = Annotated[
    Path | None,
    typer.Option("--matrix", metavar="FILE", help="Travel times between all places: CSV or npz."),
]
Unit = Annotated[
    str | None,
    typer.Option("--time-unit", metavar="UNIT", help="Of a table or matrix: hours, minutes, …"),
]
Goal = Annotated[
    str | None,
    typer.Option("--minimise", metavar="GOAL", help="makespan, arrivals, duration or distance."),
]
Rounding = Annotated[
    str | None,
    typer.Option(metavar="RULE", help="VRPLIB: dimacs cuts distances to one decimal."),
]
