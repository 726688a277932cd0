"""How the command line names problems, and what it says of files that do not say it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from geopar.cli.groups import OptionGroup

if TYPE_CHECKING:
    from geopar.files.named import Reading
    from geopar.plan import Plan
    from geopar.problems import Problem

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


@dataclass(frozen=True, slots=True)
class FleetOptions(OptionGroup):
    """What has to be said of vehicles and times to read a file that does not say it."""

    vehicles: Annotated[
        Path | None, typer.Option("--vehicles", metavar="CSV", help="CSV: the file of vehicles.")
    ] = None
    num_vehicles: Annotated[int | None, typer.Option(help="VRPLIB: how many vehicles.")] = None
    capacity: Annotated[
        str | None,
        typer.Option(metavar="NUMBERS", help="VRPLIB: capacity, one for all or one each: 30,45."),
    ] = None
    speed: Annotated[
        str | None,
        typer.Option(metavar="NUMBERS", help="VRPLIB: speed, one for all or one each: 1,0.5."),
    ] = None
    time_unit: Annotated[
        str | None,
        typer.Option("--time-unit", metavar="UNIT", help="Of a table or matrix: hours, minutes, …"),
    ] = None

    @property
    def given(self) -> Reading:
        """As those who read take it."""
        from geopar.files.named import Reading

        return Reading(**dataclasses.asdict(self))

    def problem(self, name: str) -> Problem:
        """The problem of that name.

        Raises
        ------
        geopar.errors.InputError
            With every fault found.
        """
        return self.given.problem(name)


@dataclass(frozen=True, slots=True)
class ReadingOptions(FleetOptions):
    """All that has to be said to read a file that does not say it."""

    matrix: Annotated[
        Path | None,
        typer.Option(
            "--matrix", metavar="FILE", help="Travel times between all places: CSV or npz."
        ),
    ] = None
    minimise: Annotated[
        str | None,
        typer.Option(
            "--minimise", metavar="GOAL", help="makespan, arrivals, duration or distance."
        ),
    ] = None
    rounding: Annotated[
        str | None,
        typer.Option(metavar="RULE", help="VRPLIB: dimacs cuts distances to one decimal."),
    ] = None

    def problem_and_plan(self, name: str, path: Path | str) -> tuple[Problem, Plan]:
        """The problem of that name and a plan for it, with the goal that the plan was made for.

        Unless ``--minimise`` says which goal it is to be looked at by.

        Raises
        ------
        geopar.errors.InputError
            With every fault found in the problem, or else in the plan.
        """
        from geopar.files import read_plan

        problem = self.problem(name)
        plan = read_plan(path, problem)
        return (problem.minimising(plan.minimise) if self.minimise is None else problem), plan
