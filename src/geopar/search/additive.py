"""Which days only add to what vehicles drive, so that the fast engine searches them as well."""

from __future__ import annotations

import numpy as np

from geopar.problems import HCVRP, Problem
from geopar.problems.day import Day
from geopar.search.hcvrp.data import MOST_RESTRICTED

# Parts that only add, or do not matter where everything is served.
ADDITIVE = {
    "matrices", "profile", "time_unit", "clock", "service", "loading", "opens", "available",
    "allowed", "start", "priority", "minimise",
}  # fmt: skip


def is_additive(problem: Problem) -> bool:
    """Whether a vehicle's time is a sum over its trips, stops and legs, and all can be served."""
    day = problem.day
    if day is None or not isinstance(problem, HCVRP):
        return day is None
    return (
        set(day.parts) <= ADDITIVE
        and problem.goal == "makespan"
        and (day.available is None or bool(np.isposinf(day.available[:, 1]).all()))
        and (day.profile is None or len(set(day.profile)) == 1)
        and _somebody_serves_each(problem, day)
    )


def _somebody_serves_each(problem: HCVRP, day: Day) -> bool:
    if day.allowed is None:
        return True
    if problem.num_tasks > MOST_RESTRICTED:
        return False
    able = day.allowed & (problem.demand[:, None] <= problem.capacity)
    return bool(able.any(axis=1).all())
