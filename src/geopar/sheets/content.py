"""What stands on a driver's sheet, apart from how it looks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np

from geopar.errors import Faults
from geopar.files.plan_schedule import timetables
from geopar.files.wording import maybe
from geopar.plan import Plan, ways
from geopar.problems import Problem
from geopar.problems.day import windows_of
from geopar.problems.tasks import Stop
from geopar.problems.told_times import Times
from geopar.problems.validation import LARGEST_NUMBER
from geopar.schedule import Timetable, Visit
from geopar.sheets.loads import Amounts, Loads

ACTIONS = {"pickup": "Pick up", "delivery": "Deliver"}
# Columns of vehicles that name who drives.
DRIVER = ("driver", "driver name", "driver's name")


class Line(NamedTuple):
    """One stop as the driver reads it.

    Parameters
    ----------
    number
        Of the stop on the vehicle's way; empty where a trip begins or ends.
    arrives, leaves
        When, as text.
    waits, takes
        How long until service begins, and how long it takes; empty for nothing.
    stop
        Its id; what is to be done there where that is not the same everywhere.
    told
        What the table of stops says besides, by name: address, phone, note.
    window
        When it may be served, as text; empty where that is any time.
    amounts
        What is handed over there, in each dimension of load; empty where that is nothing.
    on_board
        What is on board afterwards, in each dimension.
    visit
        Its times as numbers.
    """

    number: str
    arrives: str
    leaves: str
    waits: str
    takes: str
    stop: str
    told: dict[str, str]
    window: str
    amounts: Amounts
    on_board: Amounts
    visit: Visit


class Trip(NamedTuple):
    """From the depot, or where the vehicle is, to the next time at the depot or the end.

    Parameters
    ----------
    start
        Where it begins: when to leave, and with what on board.
    lines
        Its stops, and where it ends.
    way
        The places that it passes.
    is_loaded
        Whether it is loaded where it begins, rather than under way or empty.
    """

    start: Line
    lines: list[Line]
    way: list[int]
    is_loaded: bool


class Sheet(NamedTuple):
    """All that one driver has to do.

    Parameters
    ----------
    vehicle
        Its id.
    driver
        Who drives, where the table of vehicles says it.
    about
        What is known of the vehicle besides, by name.
    leaves, home
        When it leaves for its first stop, and when it is done.
    distance
        How far it drives.
    trips
        One after the other.
    loads
        What the dimensions of load are called; empty where there are no amounts.
    table
        When it leaves and is done, as numbers.
    """

    vehicle: str
    driver: str
    about: dict[str, str]
    leaves: str
    home: str
    distance: str
    trips: list[Trip]
    loads: tuple[str, ...]
    table: Timetable

    @property
    def title(self) -> str:
        """The vehicle, and who drives it."""
        return f"{self.vehicle} · {self.driver}" if self.driver else self.vehicle

    @property
    def num_stops(self) -> int:
        """Without the ends of trips."""
        return sum(bool(line.number) for trip in self.trips for line in trip.lines)


def sheets_of(problem: Problem, plan: Plan, vehicles: Sequence[str] | None = None) -> list[Sheet]:
    """A sheet for each vehicle that has something to do, or for these.

    Raises
    ------
    geopar.errors.InputError
        For a vehicle that the problem does not have.
    """
    _check_known(problem, vehicles)
    times, loads = Times(problem), Loads(problem)
    routes = plan.known_indices(problem)
    sheets = []
    for v, table in enumerate(timetables(problem, plan)):
        name = problem.vehicle_ids[v]
        if name in vehicles if vehicles is not None else table.trips:
            passed = [way.tolist() for way in ways(problem, v, routes[v])]
            sheets.append(_sheet(problem, _Writer(problem, times, loads, v), table, passed))
    return sheets


def _check_known(problem: Problem, vehicles: Sequence[str] | None) -> None:
    faults = Faults()
    for name in vehicles or ():
        if name not in problem.vehicle_ids:
            faults.add(
                "unknown-vehicle", "vehicle", name, "is no vehicle of the problem.",
                maybe(name, problem.vehicle_ids),
            )  # fmt: skip
    faults.raise_if_any()


def _sheet(problem: Problem, writer: _Writer, table: Timetable, passed: list[list[int]]) -> Sheet:
    v, times = writer.vehicle, writer.times
    about = problem.details_of_vehicle(v)
    driver = next((name for name in about if name.lower().replace("_", " ") in DRIVER), "")
    return Sheet(
        problem.vehicle_ids[v], about.pop(driver, ""), about,
        times.moment(table.departure), times.moment(table.finish),
        _distance(problem, table.distance),
        list(_trips(writer, table, passed)), writer.loads.names, table,
    )  # fmt: skip


def _trips(writer: _Writer, table: Timetable, passed: list[list[int]]) -> Iterator[Trip]:
    """Stops are numbered on from trip to trip, so that one map can show them all."""
    numbers = count(1)
    leaves = table.departure
    for i, (visits, way) in enumerate(zip(table.trips, passed, strict=True)):
        taken, *levels = writer.levels(visits)
        is_first = i == 0
        loading = writer.loading(table) if is_first else 0.0
        begin = table.begin if is_first else leaves
        start = Visit(None, begin, visits[0].load, 0.0, loading, leaves)
        lines = [
            writer.line(visit, level, numbers, is_last=i == len(table.trips) - 1)
            for visit, level in zip(visits, levels, strict=True)
        ]
        is_loaded = writer.is_loaded(way, is_first=is_first)
        yield Trip(writer.start(start, taken, is_loaded=is_loaded), lines, way, is_loaded)
        leaves = visits[-1].departure


class _Writer:
    """Makes the lines of one vehicle.

    Parameters
    ----------
    problem, times, loads
        What is told, and how.
    vehicle
        Its index.
    """

    def __init__(self, problem: Problem, times: Times, loads: Loads, vehicle: int) -> None:
        self._problem, self.times, self.loads, self.vehicle = problem, times, loads, vehicle
        self._depot = problem.details_of_depot()

    def levels(self, visits: Sequence[Visit]) -> list[Amounts]:
        """What is on board when a trip begins and after each visit; nothing behind its end."""
        tasks = np.array([visit.task for visit in visits if visit.task is not None], dtype=np.int64)
        levels = self.loads.on_board(tasks)
        return levels + [levels[-1]] * (len(visits) + 1 - len(levels))

    def loading(self, table: Timetable) -> float:
        """How long the vehicle is loaded before its first trip."""
        loading = 0.0 if self._problem.day is None else self._problem.day.loading
        return min(loading, table.departure - table.begin)

    def is_loaded(self, way: Sequence[int], *, is_first: bool) -> bool:
        """Whether a trip begins at the depot, or by way of it."""
        problem, day = self._problem, self._problem.day
        if not problem.comes_home or (day is not None and not day.has_depot):
            return False
        if not is_first:
            return True
        under_way = day is not None and day.on_board is not None and day.on_board[self.vehicle]
        return not under_way and problem.num_tasks in way[:2]

    def start(self, visit: Visit, taken: Amounts, *, is_loaded: bool) -> Line:
        """Where a trip begins."""
        said = "Leave the depot" if is_loaded else "Start"
        return self._written(visit, "", said, self._depot if is_loaded else {}, "", (), taken)

    def line(self, visit: Visit, level: Amounts, numbers: Iterator[int], *, is_last: bool) -> Line:
        """A stop, or where a trip ends."""
        problem, task = self._problem, visit.task
        if task is None:
            home = int(problem.ends[self.vehicle]) if is_last else problem.num_tasks
            at_depot = problem.comes_home and home == problem.num_tasks
            said = "Back at the depot" if at_depot else "End"
            return self._written(visit, "", said, self._depot if at_depot else {}, "", (), level)
        return self._written(
            visit, str(next(numbers)), _stop(problem, task), problem.details_of(task),
            self.times.window(_windows(problem, task)), self.loads.at(task), level,
        )  # fmt: skip

    def _written(
        self,
        visit: Visit,
        number: str,
        stop: str,
        told: dict[str, str],
        window: str,
        amounts: Amounts,
        level: Amounts,
    ) -> Line:
        times = self.times
        return Line(
            number, times.moment(visit.arrival), times.moment(visit.departure),
            times.length(visit.waiting), times.length(visit.service),
            stop, told, window, amounts, level, visit,
        )  # fmt: skip


def _windows(problem: Problem, task: int) -> list[tuple[float, float]]:
    """Those of a task; an order that is ready later than that begins them."""
    day = problem.day
    if day is None:
        return []
    found = [] if day.windows is None else windows_of(day.windows, task)
    if problem.comes_home or day.released is None or day.released[task] <= -LARGEST_NUMBER:
        return found
    ready = float(day.released[task])
    return [(max(a, ready), b) for a, b in found or [(-math.inf, math.inf)] if b >= ready] or found


def _stop(problem: Problem, task: int) -> str:
    found = problem.task_ids[task]
    if isinstance(found, Stop):
        return f"{ACTIONS[found.action]} {found.order}"
    return found


def amount_text(amount: float) -> str:
    """A number of goods."""
    return f"{amount:,.6g}"


def _distance(problem: Problem, distance: float) -> str:
    by_road = problem.day is not None and problem.day.matrices is not None
    unit = " km" if problem.coordinates == "lonlat" and not by_road else ""
    return f"{distance:,.1f}{unit}" if unit else f"{distance:,.4g}"
