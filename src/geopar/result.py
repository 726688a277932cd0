"""What a run of a solver gave, checked, and told so that a person can read it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.plan import LeftOut, Plan, ways
from geopar.problems import Problem
from geopar.problems.tasks import Stop, Task
from geopar.problems.told_times import Times
from geopar.schedule import Timetable, Visit, setting_out
from geopar.schedule import schedule as timetables
from geopar.violations import Violation

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame
    from rich.console import RenderableType

    from geopar.markup.bars import Bar

MOST_ROWS_SHOWN = 40


class VehicleRow(NamedTuple):
    """One vehicle's day.

    ``load`` is all that it carries (HCVRP) or the most orders on board at once (OMDCPDP);
    ``share`` is its finishing time over the latest of the fleet.
    """

    vehicle: str
    trips: int
    tasks: int
    load: float
    finish: float
    share: float


class ScheduleRow(NamedTuple):
    """One stop of the schedule, in the problem's unit of time.

    ``stop`` is the id of a customer or an order, or ``depot``; ``action`` is ``serve``,
    ``pickup``, ``delivery`` or ``end``, which is where a trip ends and the next one is loaded.
    Working days have a row ``start`` before: from when a vehicle is on duty, and when it leaves.
    ``arrival_clock`` and ``departure_clock`` are times of day, or dates with them, where the
    problem has a clock.
    """

    vehicle: str
    trip: int
    stop: str
    action: str
    arrival: float
    load: float
    waiting: float
    service: float
    departure: float
    arrival_clock: str | None = None
    departure_clock: str | None = None


def _name_of(task: Task) -> str:
    return task.order if isinstance(task, Stop) else task


def _said(row: ScheduleRow) -> dict[str, Any]:
    """All that a row says; no clock, no times by it."""
    return {name: value for name, value in row._asdict().items() if value is not None}


def _action_of(task: Task) -> str:
    return task.action if isinstance(task, Stop) else "serve"


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """A plan, what it costs by the checker, and how it came about.

    Parameters
    ----------
    problem, plan
        What was asked and what was found.
    objective
        By the checker; infinite unless the plan is feasible.
    feasible
        Whether the checker found nothing wrong.
    violations
        What it found otherwise.
    completion
        When each vehicle is done, in the problem's order.
    solver, seed
        What made the plan.
    seconds
        How long it took, compiling left out.
    iterations, steps
        Of a search and of a parallel construction, where there are any.
    notes
        What the solver wants the user to know.
    history
        ``(seconds, cost)`` of every improvement that was reported.
    interrupted
        Whether the user stopped it.
    trace
        The construction step by step (:class:`geopar.trace.Trace`), where asked for.
    left_out, left_out_priority
        What nobody serves because there was no room for it, with reasons; working days only.
    is_fallback
        Whether the solver's own plan broke a rule and another one took its place; the last note
        says which, and what to report.
    """

    problem: Problem
    plan: Plan
    objective: float
    feasible: bool
    violations: tuple[Violation, ...]
    completion: NDArray[np.float64]
    solver: str
    seconds: float
    seed: int
    iterations: int | None = None
    steps: int | None = None
    notes: tuple[str, ...] = ()
    history: tuple[tuple[float, float], ...] = ()
    interrupted: bool = False
    trace: Any = None
    is_fallback: bool = False
    left_out: tuple[LeftOut, ...] = ()
    left_out_priority: float = 0.0

    @property
    def rank(self) -> tuple[float, float]:
        """By which plans are compared: what is left out, then the objective."""
        return self.left_out_priority, self.objective

    @cached_property
    def timetables(self) -> list[Timetable]:
        """Where each vehicle is when, in the problem's order."""
        return timetables(self.problem, self.plan.known_indices(self.problem))

    @property
    def schedule(self) -> list[ScheduleRow]:
        """One row per stop, vehicle after vehicle; :meth:`to_pandas` has them as a data frame."""
        ids, end = self.problem.task_ids, "depot" if self.problem.comes_home else ""
        rows = []
        for vehicle, table in zip(self.problem.vehicle_ids, self.timetables, strict=True):
            rows += [
                ScheduleRow(vehicle, 1, end, "start", *visit[1:], *self._by_clock(visit))
                for visit in setting_out(self.problem, table)
            ]
            rows += [
                ScheduleRow(
                    vehicle,
                    number,
                    end if visit.task is None else _name_of(ids[visit.task]),
                    _action_of(ids[visit.task]) if visit.task is not None else "end",
                    *visit[1:],
                    *self._by_clock(visit),
                )
                for number, trip in enumerate(table.trips, start=1)
                for visit in trip
            ]
        return rows

    def _by_clock(self, visit: Visit) -> tuple[str | None, str | None]:
        day = self.problem.day
        if day is None or day.clock is None:
            return None, None
        return day.written(visit.arrival), day.written(visit.departure)

    def to_pandas(self) -> DataFrame:
        """The schedule as a data frame, with what drivers are told in further columns.

        Raises
        ------
        geopar.errors.MissingExtraError
            Without pandas.
        """
        from geopar.files.data_frames import schedule_to_pandas

        return schedule_to_pandas(self.problem, self.plan)

    @property
    def balance(self) -> float:
        """How even the vehicles' finishing times are: mean over latest, 1 when all are equal."""
        return balance(self.completion)

    @property
    def vehicles(self) -> list[VehicleRow]:
        """One row per vehicle, in the problem's order."""
        latest = float(self.completion.max(initial=0.0))
        return [
            VehicleRow(
                vehicle,
                len(trips),
                sum(map(len, trips)),
                self.problem.load_of(trips),
                finish,
                finish / latest if latest else 1.0,
            )
            for vehicle, trips, finish in zip(
                self.problem.vehicle_ids,
                self.plan.known_indices(self.problem),
                self.completion.tolist(),
                strict=True,
            )
        ]

    def to_json(self) -> dict[str, Any]:
        """Everything that JSON can say; numbers that do not exist are ``None``."""
        from geopar.files import plan_to_json

        return {
            "problem": self.problem.kind,
            "name": self.problem.name,
            "solver": self.solver,
            "objective": self.objective if self.feasible else None,
            "feasible": self.feasible,
            "violations": [str(violation) for violation in self.violations],
            "seconds": self.seconds,
            "seed": self.seed,
            "iterations": self.iterations,
            "steps": self.steps,
            "balance": self.balance,
            "interrupted": self.interrupted,
            "notes": list(self.notes),
            "history": [list(point) for point in self.history],
            "vehicles": [row._asdict() for row in self.vehicles],
            "left_out": [one._asdict() for one in self.left_out],
            "schedule": [_said(row) for row in self.schedule] if self.feasible else [],
            "plan": plan_to_json(self.plan),
        }

    def plot(self, path: str | Path | None = None, fleet: Sequence[str] = ()) -> Figure:
        """The plan and its schedule as a figure, and in a file whose suffix says of which kind.

        Vehicles of a larger ``fleet`` have the colours that they have there.
        """
        from geopar.plotting import picture

        return picture(self.problem, self.plan, path, fleet)

    def __repr__(self) -> str:
        unit = f" {self.problem.goal_unit}" if self.problem.goal_unit else ""
        cost = f"{self.problem.goal_name} {number(self.objective)}{unit}"
        wrong = "" if self.feasible else ", breaks rules"
        return f"<Result of {self.solver}: {cost}, {self.seconds:.1f} s{wrong}>"

    def _repr_html_(self) -> str:
        from geopar.markup import tables
        from geopar.markup.bars import bars_svg
        from geopar.problems.shown import map_svg, title_of

        rows = [
            [
                row.vehicle,
                *map(str, (row.trips, row.tasks)),
                f"{row.load:g}",
                ends,
                f"{row.share:.0%}",
            ]
            for row, ends in zip(self.vehicles, self._finishes(), strict=True)
        ]
        head = ("vehicle", "trips", "tasks", "load", "finish", "share")
        routes = self.plan.known_indices(self.problem)
        driven = [ways(self.problem, v, trips) for v, trips in enumerate(routes)]
        return tables.block(
            title_of(self.problem), tables.lines(self._lines()), map_svg(self.problem, driven),
            bars_svg(self._bars()), tables.table(head, rows),
        )  # fmt: skip

    def _bars(self) -> list[Bar]:
        """The schedule, a bar for each vehicle."""
        from geopar.markup.bars import Bar

        problem, times = self.problem, Times(self.problem)
        bars = []
        days = timetables(problem, self.plan.known_indices(problem))
        for name, day, ends in zip(problem.vehicle_ids, days, self._finishes(), strict=True):
            begins = [day.begin, *(trip[-1].departure for trip in day.trips)]
            trips = [
                (begin, trip[-1].arrival) for begin, trip in zip(begins, day.trips, strict=False)
            ]
            stops = [
                (visit.arrival, f"{problem.task_ids[visit.task]}, {times.moment(visit.arrival)}")
                for visit in day.visits
                if visit.task is not None
            ]
            waits = [(v.arrival, v.arrival + v.waiting) for v in day.visits if v.waiting > 0]
            bars.append(Bar(name, ends, trips, stops, waits))
        return bars

    def _finishes(self) -> list[str]:
        """When each vehicle is done, by the clock where there is one; empty for idle ones then."""
        day = self.problem.day
        if day is None or day.clock is None:
            return [number(row.finish) for row in self.vehicles]
        first = self.problem.first_start
        return [day.written(first + row.finish) if row.tasks else "" for row in self.vehicles]

    def __rich__(self) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        return Group(self._table(), *map(Text, self._lines()))

    def __str__(self) -> str:
        from io import StringIO

        from rich.console import Console

        text = StringIO()
        Console(file=text, width=100).print(self)
        return text.getvalue().rstrip("\n")

    def _table(self) -> RenderableType:
        from rich.box import SIMPLE_HEAD
        from rich.table import Table
        from rich.text import Text

        problem = self.problem
        trips = problem.comes_home
        unit = f" ({problem.time_unit})" if problem.time_unit else ""
        told = problem.day is not None and problem.day.clock is not None
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        table.add_column("vehicle")
        heads = ["trips"] if trips else []
        heads += [
            "tasks",
            "load" if trips else "on board",
            "finish" if told else f"finish{unit}",
            "share",
        ]
        for head in heads:
            table.add_column(head, justify="right")
        rows = list(zip(self.vehicles, self._finishes(), strict=True))
        # A large fleet is told by those who hold it up.
        shown = sorted(rows, key=lambda one: -one[0].finish)[:MOST_ROWS_SHOWN]
        for row, finish in rows if len(rows) <= MOST_ROWS_SHOWN else shown:
            cells = [str(row.trips)] if trips else []
            cells += [str(row.tasks), f"{row.load:g}", finish, f"{row.share:.0%}"]
            # As text: the user's ids may look like rich's own marks.
            table.add_row(Text(row.vehicle), *cells)
        if len(rows) > MOST_ROWS_SHOWN:
            table.caption = f"the {MOST_ROWS_SHOWN} of {len(rows)} vehicles that finish last"
        return table

    def _lines(self) -> list[str]:
        search = f", {self.iterations:,} iterations" if self.iterations else ""
        steps = f", {self.steps:,} steps" if self.steps else ""
        # Of a plain problem the table says it.
        goal_unit = f" {self.problem.goal_unit}" if self.problem.day is not None else ""
        lines = [
            f"objective  {number(self.objective)}{goal_unit} ({self.problem.goal_words})",
            f"balance    {self.balance:.0%} (mean finish over latest)",
            f"solver     {self.solver}, seed {self.seed}, {self.seconds:.2f} s{search}{steps}",
        ]
        if self.interrupted:
            lines.append("stopped by the user: the best plan so far")
        lines += [f"note       {note}" for note in self.notes]
        lines += [f"violated   {violation}" for violation in self.violations]
        lines += [f"left out   {one}" for one in self.left_out[:MOST_ROWS_SHOWN]]
        if len(self.left_out) > MOST_ROWS_SHOWN:
            lines.append(f"left out   and {len(self.left_out) - MOST_ROWS_SHOWN} more")
        return lines


def balance(completion: NDArray[np.float64]) -> float:
    """Mean over latest of the finishing times; 1 when nobody moves."""
    latest = float(completion.max(initial=0.0))
    return float(completion.mean()) / latest if latest else 1.0


def number(value: float, digits: int = 5) -> str:
    """A number for people: so many significant digits, never in powers of ten below 10¹⁵."""
    if not math.isfinite(value) or abs(value) >= 1e15 or 0 < abs(value) < 1e-6:
        return f"{value:.{digits}g}"
    whole_digits = math.floor(math.log10(abs(value))) + 1 if value else 1
    return f"{value:,.{max(0, digits - whole_digits)}f}"
