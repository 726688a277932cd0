"""What a plan of a working day leaves out, and why, for the checker."""

from __future__ import annotations

import numpy as np

from geopar.checks import day as rules
from geopar.plan import LeftOut
from geopar.problems import Problem
from geopar.violations import Violation

# Reasons are looked for vehicle by vehicle: for more requests than this they are told in general.
MOST_EXPLAINED = 1000


def explain(problem: Problem, requests: list[int]) -> tuple[LeftOut, ...]:
    """Why each of some requests is left out."""
    found: list[LeftOut] = []
    for i in requests:
        if len(found) < MOST_EXPLAINED:
            found.append(_explained(problem, i))
        else:
            found.append(LeftOut(problem.request_ids[i], "there was no room for all", None))
    return tuple(found)


def _explained(problem: Problem, request: int) -> LeftOut:
    day, name = problem.day, problem.request_ids[request]
    assert day is not None
    vehicles = np.arange(problem.num_vehicles)
    if day.allowed is not None:
        vehicles = vehicles[day.allowed[request]]
    if not len(vehicles):
        return LeftOut(name, "no vehicle may serve it", False)
    promised = _promised_to(problem, request)
    if promised is not None:
        who = problem.vehicle_ids[promised]
        why = "which cannot serve it with all else that it has to begin with"
        return LeftOut(name, f"it is locked to {who} or on board of it, {why}", None)
    able = [v for v in vehicles.tolist() if _carries(problem, request, v)]
    if not able:
        return LeftOut(name, "it is more than any vehicle that may serve it can carry", False)
    if problem.comes_home:
        trip = np.array([request])
    else:
        trip = np.array([request, problem.num_tasks // 2 + request])
    worst: Violation | None = None
    for v in able:
        broken: list[Violation] = []
        rules.follow(problem, day, v, [trip], broken)
        if not broken:
            who = problem.vehicle_ids[v]
            return LeftOut(name, f"there was no room for it; {who} alone could serve it", True)
        worst = worst or broken[0]
    assert worst is not None
    return LeftOut(name, f"no vehicle can serve it in time: {worst.message}", False)


def _promised_to(problem: Problem, request: int) -> int | None:
    """Whose first stops it is among."""
    day = problem.day
    assert day is not None
    requests = len(problem.request_ids)
    for v in range(problem.num_vehicles):
        told = [task for trip in (day.locked[v] if day.locked else ()) for task in trip]
        aboard = day.on_board[v] if day.on_board else ()
        if any(task % requests == request for task in (*told, *aboard)):
            return v
    return None


def _carries(problem: Problem, request: int, vehicle: int) -> bool:
    needs, has = rules.loads_of(problem)[request], rules.capacities_of(problem)[vehicle]
    return bool((needs <= has * (1 + rules.LOAD_TOLERANCE)).all())
