"""How the command line names problems, and what it says of files that do not say it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

ProblemName = Annotated[
    str,
    typer.Argument(
        metavar="PROBLEM",
        help="A file (JSON, CSV, VRPLIB, npz), or an instance such as hcvrp/60/3#7 or batch.npz#7.",
        show_default=False,
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
