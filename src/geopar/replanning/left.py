"""What is left of a day for both problems: requests, vehicles, and what is on board of whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from geopar.plan import Indices, Plan
from geopar.problems import Problem
from geopar.problems.day import Day, Matrix
from geopar.problems.travel import Floats, Ints
from geopar.problems.validation import LARGEST_NUMBER
from geopar.replanning.whereabouts import Whereabouts

LONG_AGO = -LARGEST_NUMBER
"""Released at any time."""


@dataclass(frozen=True)
class Left:
    """What remains at a moment, by the numbers of the whole day.

    Parameters
    ----------
    problem
        The whole day.
    routes
        What the plan has.
    standing
        Where each vehicle is.
    requests, fleet
        What is to be done, and who is there for it.
    gone, off_duty
        Vehicles that are out of service, and those whose shift is over.
    aboard
        For each vehicle of the fleet what it carries, without what is cancelled.
    late
        By request that is on its way back, or in a vehicle that stands still: when it can be had.
    goods_back
        The same by vehicle out of service.
    """

    problem: Problem
    routes: Sequence[Sequence[Indices]]
    standing: Sequence[Whereabouts]
    requests: tuple[int, ...]
    fleet: tuple[int, ...]
    gone: tuple[int, ...]
    off_duty: tuple[int, ...]
    aboard: Mapping[int, tuple[int, ...]]
    late: Mapping[int, float]
    goods_back: Mapping[int, float]

    @classmethod
    def of(
        cls,
        problem: Problem,
        routes: Sequence[Sequence[Indices]],
        standing: Sequence[Whereabouts],
        now: float,
        out_of_service: set[str],
        goods_back: float | None,
        cancelled: set[str],
    ) -> Left:
        """Sort out who and what remains."""
        names, count = problem.request_ids, len(problem.request_ids)
        # An order is done when it is delivered.
        last = problem.num_tasks - count
        done = {task for one in standing for task in one.done}
        requests = [r for r in range(count) if r + last not in done and names[r] not in cancelled]
        fleet, gone, off_duty = [], [], []
        aboard, late, back = {}, dict[int, float](), {}
        for v, one in enumerate(standing):
            carried = tuple(task for task in one.aboard if names[task] not in cancelled)
            if problem.vehicle_ids[v] in out_of_service:
                gone.append(v)
                stranded = one.back if one.doing == "loading" else (*carried, *one.back)
                if stranded:
                    back[v] = _back(problem, v, one, now) if goods_back is None else goods_back
                    late |= dict.fromkeys(stranded, back[v])
            elif not carried and shift_end(problem, v, one) < one.free:
                off_duty.append(v)
            else:
                fleet.append(v)
                aboard[v] = carried
                late |= dict.fromkeys(one.back, one.free)
        return cls(
            problem, routes, standing, tuple(requests), tuple(fleet), tuple(gone), tuple(off_duty),
            aboard, late, back,
        )  # fmt: skip

    @property
    def whose(self) -> dict[int, int]:
        """By request on board, in whose vehicle."""
        return {task: v for v, some in self.aboard.items() for task in some}

    @property
    def done(self) -> frozenset[int]:
        """The tasks that are served."""
        return frozenset(task for one in self.standing for task in one.done)

    def start(self, rest: Problem) -> Plan:
        """What the plan has for the rest, in the order that it has."""
        task_ids, done = self.problem.task_ids, self.done
        number = {task: i for i, task in enumerate(rest.task_ids)}
        whose, routes = self.whose, []
        last = self.problem.num_tasks - len(self.problem.request_ids)
        for v in self.fleet:
            # What is on board without a place in the plan is left out there.
            planned = [task for trip in self.routes[v] for task in trip.tolist()]
            first = [task for task in self.aboard[v] if task + last in planned]
            if self.problem.comes_home:
                first.sort(key=planned.index)
            trips = [tuple(first)]
            for trip in self.routes[v]:
                free = [
                    t for t in trip.tolist()
                    if t not in whose and t not in done and task_ids[t] in number
                ]  # fmt: skip
                trips.append(tuple(free))
            if not self.problem.comes_home:
                trips = [tuple(task for trip in trips for task in trip)]
            routes.append([[number[task_ids[t]] for t in trip] for trip in trips])
        return Plan.from_indices(rest, routes)

    def by_vehicle(self) -> dict[str, Any]:
        """Parts of the day that are about shifts."""
        day = self.problem.day or Day()
        shifts = np.array(
            [
                (one.free, max(one.free, shift_end(self.problem, v, one)))
                for v, one in ((v, self.standing[v]) for v in self.fleet)
            ]
        )
        longest = None
        if day.longest is not None:
            begun = [self.standing[v].begun is not None for v in self.fleet]
            longest = np.where(begun, np.inf, day.longest[list(self.fleet)])
        return {"available": shifts, "longest": longest}

    def allowed(self, rows: Mapping[int, int]) -> Any:
        """Who may serve what: whoever has it on board may, whatever the problem says by now."""
        day = self.problem.day
        if day is None or day.allowed is None:
            return None
        allowed = day.allowed[np.ix_(list(rows), list(self.fleet))].copy()
        for column, v in enumerate(self.fleet):
            for task in self.aboard[v]:
                allowed[rows[task], column] = True
        return allowed

    def released(self, tasks: Sequence[int]) -> Floats | None:
        """When the goods of some tasks can be had."""
        day = self.problem.day
        if (day is None or day.released is None) and not self.late:
            return None
        before = None if day is None else day.released
        found = np.full(len(tasks), LONG_AGO) if before is None else before[list(tasks)].copy()
        for i, task in enumerate(tasks):
            found[i] = max(found[i], self.late.get(task, LONG_AGO))
        return found

    def matrices(self, places: Sequence[int]) -> dict[str, Matrix] | None:
        """Those of some places, several of which may be the same; there is no way between them."""
        day = self.problem.day
        if day is None or day.matrices is None:
            return None
        rows = self.problem.matrix_rows[list(places)]
        same = rows[:, None] == rows[None, :]
        found = {}
        for name, matrix in day.matrices.items():
            durations, distances = (_part(table, rows, same) for table in matrix)
            found[name] = Matrix(durations, distances)
        return found


def shift_end(problem: Problem, v: int, one: Whereabouts) -> float:
    """Until when a vehicle may work: whoever has begun is on duty from then to the end."""
    day = problem.day or Day()
    end = np.inf if day.available is None else float(day.available[v, 1])
    if one.begun is not None and day.longest is not None:
        end = min(end, one.begun + float(day.longest[v]))
    return float(end)


def _part(table: Floats, rows: Ints, same: Any) -> Floats:
    chosen = table[np.ix_(rows, rows)]
    chosen[same] = 0.0
    return chosen


def _back(problem: Problem, v: int, one: Whereabouts, now: float) -> float:
    """When what a vehicle has on board can be had again, if nobody says it.

    HCVRP: after the way back from where it was last, or from where it was driving to if that is
    longer, to the depot or wherever the others are loaded. OMDCPDP: at once, where it stands.
    """
    if not problem.comes_home:
        return now
    day = problem.day or Day()
    goals = [problem.num_tasks] if day.has_depot else problem.homes.tolist()
    ways = [
        float(problem.travel.duration(v, place, goal))
        for place in (one.last_place, one.place)
        for goal in goals
    ]
    return now + max(ways)
