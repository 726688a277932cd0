"""``geopar replan``: plan the rest of a day that is under way."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from geopar import solve as solve_problem
from geopar.cli.groups import OptionGroup
from geopar.cli.guard import FINE
from geopar.cli.inputs import ProblemName, ReadingOptions
from geopar.cli.limits import RunOptions
from geopar.cli.outputs import (
    check_picture,
    check_plan_target,
    check_problem_target,
    check_sheet_target,
    check_table_target,
    check_targets,
    print_json,
    say,
    show,
    stderr,
    tell,
)
from geopar.errors import InputError
from geopar.progress import ProgressLine
from geopar.solver import Options
from geopar.solving import configured

if TYPE_CHECKING:
    from geopar.problems import Problem
    from geopar.replanning.rest import RestOfDay
    from geopar.result import Result


@dataclasses.dataclass(frozen=True, slots=True)
class Targets(OptionGroup):
    """The files that may be written of a new plan."""

    out: Annotated[
        Path | None,
        typer.Option(
            metavar="PLAN", help="Write the new plan: .json, .sol, .geojson, .csv or .xlsx."
        ),
    ] = None
    problem_out: Annotated[
        Path | None,
        typer.Option(
            metavar="PROBLEM", help="Write the rest of the day, the problem of the new plan."
        ),
    ] = None
    sheet: Annotated[
        Path | None,
        typer.Option(help="Write new sheets: .html, .csv, .xlsx, .gpx or .geojson."),
    ] = None
    whole_day: Annotated[
        Path | None,
        typer.Option(
            metavar="TABLE", help="Write the day as one, as driven and as planned: .csv or .xlsx."
        ),
    ] = None
    picture: Annotated[
        Path | None, typer.Option(metavar="PNG", help="Draw the rest: .png, .svg or .pdf.")
    ] = None

    def check(self) -> None:
        """Refuse what cannot be written, before anything is solved."""
        check_targets(self.problem_out, *self._of_plan())
        check_plan_target(self.out)
        check_problem_target(self.problem_out)
        check_sheet_target(self.sheet)
        check_table_target(self.whole_day)
        check_picture(self.picture)

    def _of_plan(self) -> tuple[Path | None, ...]:
        return self.out, self.sheet, self.whole_day, self.picture

    def write_rest(self, problem: Problem) -> None:
        """Write the rest of the day before the run: not every format can say everything."""
        from geopar.files import write_problem

        if self.problem_out is not None:
            write_problem(problem, self.problem_out)
            say(f"Wrote {self.problem_out}.")

    def write(self, rest: RestOfDay, result: Result) -> None:
        """All of them."""
        from geopar.files import write_plan
        from geopar.replanning.gone import gone
        from geopar.sheets import write_sheets

        assert rest.problem is not None
        if self.out is not None:
            write_plan(result.plan, self.out, rest.problem)
        if self.sheet is not None:
            absent = gone(rest, result.plan)
            write_sheets(rest.problem, result.plan, self.sheet, gone=absent)
        if self.whole_day is not None:
            _write_whole_day(rest, result, self.whole_day)
        if self.picture is not None:
            result.plot(self.picture, fleet=rest.day.vehicle_ids)
        for path in self._of_plan():
            if path is not None:
                say(f"Wrote {path}.")


def replan(
    problem: ProblemName,
    plan: Annotated[
        Path,
        typer.Argument(help="What is being driven: a plan, JSON or .sol.", show_default=False),
    ],
    *,
    now: Annotated[
        str,
        typer.Option(
            metavar="TIME",
            help="The moment: 12:00, a date with time, or a number of the problem's unit.",
            show_default=False,
        ),
    ],
    out_of_service: Annotated[
        list[str] | None,
        typer.Option(metavar="VEHICLE", help="Does nothing from now on; may be repeated."),
    ] = None,
    goods_back: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="When the goods on board of those are to be had again; after the way to the "
            "depot if left out, orders of couriers at once.",
        ),
    ] = None,
    cancelled: Annotated[
        list[str] | None,
        typer.Option(metavar="STOP", help="Is not served any more; may be repeated."),
    ] = None,
    run: RunOptions,
    targets: Targets,
    reading: ReadingOptions,
    json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> int:
    """Plan the rest of a day that is under way: who is where follows from the plan being driven.

    The problem is the whole day's, perhaps with new stops and vehicles. Ctrl-C stops and keeps the
    best plan so far.
    """
    from geopar.replanning.rest import rest_of_day
    from geopar.replanning.telling import about_json, changes_to_json, summary_lines

    rule = run.rule()
    targets.check()
    instance, driven = reading.problem_and_plan(problem, plan)
    tell(instance)
    with _as_options():
        rest = rest_of_day(
            instance, driven, now, out_of_service=out_of_service or (), goods_back=goods_back,
            cancelled=cancelled or (),
        )  # fmt: skip
    about: dict[str, Any] = {"now": rest.now, **about_json(rest)}
    if rest.problem is None:
        say("Nothing is written.")
        if json:
            print_json(about | {"changes": [], "result": None})
        else:
            typer.echo("\n".join(summary_lines(rest)))
        return FINE
    targets.write_rest(rest.problem)
    chosen = configured(run.solver, instance.kind, Options(), say)
    with ProgressLine(rest.problem, stderr) as progress:
        result = solve_problem(
            rest.problem, rule, run.seed,
            solver=chosen, start=rest.start, observe=progress, threads=run.threads,
        )  # fmt: skip
    if result.is_fallback:
        say(result.notes[-1])
    targets.write(rest, result)
    if json:
        about |= {"changes": changes_to_json(rest, result.plan), "result": result.to_json()}
        print_json(about)
    else:
        _show(rest, result)
    return FINE


@contextmanager
def _as_options() -> Iterator[None]:
    """Faults of parameters are those of options here."""
    names = ("now", "out_of_service", "goods_back", "cancelled")
    options = {name: f"--{name.replace('_', '-')}" for name in names}
    try:
        yield
    except InputError as error:
        faults = [
            dataclasses.replace(fault, field=options.get(fault.field, fault.field))
            for fault in error.faults
        ]
        raise InputError(faults, error.left_out) from None


def _write_whole_day(rest: RestOfDay, result: Result, path: Path) -> None:
    from geopar.files.formats import write_cells
    from geopar.replanning.whole_day import whole_day_cells

    write_cells(whole_day_cells(rest, result.plan), path, "whole day")


def _show(rest: RestOfDay, result: Result) -> None:
    """What is done, who is where, what is planned, and what that changes for whom."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    from geopar.replanning.changes import changes
    from geopar.replanning.telling import change_line, standing, summary_lines

    for line in summary_lines(rest):
        show(Text(line))
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("vehicle")
    table.add_column("is")
    for head in ("done", "on board"):
        table.add_column(head, justify="right")
    for one in standing(rest):
        # As text: the user's ids may look like rich's own marks.
        counts = str(len(one["done"])), str(len(one["on_board"]))
        table.add_row(Text(one["vehicle"]), Text(one["said"]), *counts)
    show(table)
    show(result)
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("vehicle")
    table.add_column("what changes")
    for change in changes(rest, result.plan):
        table.add_row(Text(change.vehicle), Text(change_line(rest.day, change)))
    show(table)
