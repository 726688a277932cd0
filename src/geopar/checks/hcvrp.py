"""The rules and the objective of HCVRP, for the checker; times of working days: see ``day``."""

from __future__ import annotations

import numpy as np

from geopar.checks.visits import Floats, Visits
from geopar.problems import HCVRP
from geopar.violations import Violation

# Sums of many decimal fractions may miss the capacity by their rounding, and by no more.
LOAD_TOLERANCE = 1e-9


def judge(problem: HCVRP, visits: Visits, found: list[Violation]) -> tuple[Floats, float]:
    """No trip too heavy; when each vehicle is home, and the makespan."""
    _check_loads(problem, visits, found)
    completion = _times_at_home(problem, visits)
    return completion, float(completion.max())


def _check_loads(problem: HCVRP, visits: Visits, found: list[Violation]) -> None:
    trips = len(visits.trip_vehicle)
    load = np.bincount(visits.trip, weights=problem.demand[visits.task], minlength=trips)
    room = visits.capacity(problem)[visits.trip_vehicle]
    for t in np.flatnonzero(load > room * (1 + LOAD_TOLERANCE)).tolist():
        name, number = visits.names[visits.trip_vehicle[t]], int(visits.trip_number[t])
        message = (
            f"vehicle {name}, trip {number} carries {load[t]:.12g}, "
            f"but its capacity is {room[t]:.12g}"
        )
        begin, end = np.searchsorted(visits.trip, [t, t + 1])
        tasks = tuple(problem.task_ids[i] for i in visits.task[begin:end])
        found.append(
            Violation("overload", message, (name,), tasks, number, float(load[t]), float(room[t]))
        )


def _times_at_home(problem: HCVRP, visits: Visits) -> Floats:
    """When each vehicle is home from its last trip (paper, Eqs. 14 and 15)."""
    if not len(visits.task):
        return np.zeros(problem.num_vehicles)
    changes = visits.trip[1:] != visits.trip[:-1]
    first, last = np.append(True, changes), np.append(changes, True)
    depot = problem.num_tasks
    before = np.where(first, depot, np.roll(visits.task, 1))
    driven = problem.travel.distance(before, visits.task)
    home = visits.task[last]
    driven[last] += problem.travel.distance(home, np.full_like(home, depot))
    length = np.bincount(visits.vehicle, weights=driven, minlength=len(visits.names))
    return np.asarray(length[: problem.num_vehicles] / problem.speeds, np.float64)
