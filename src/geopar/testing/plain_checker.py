"""A second checker of plain problems, written apart from the first: exact where that is possible.

Loads are added up as fractions and lengths without rounding in between.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

from geopar.plan import Plan
from geopar.problems import HCVRP, OMDCPDP, Problem

# What a load may be above a capacity, over the capacity.
TOLERANCE = Fraction(1, 10**9)


def objective_of(problem: Problem, plan: Plan) -> float:
    """What a plan costs.

    Raises
    ------
    AssertionError
        When it breaks a rule.
    """
    names = [route.vehicle for route in plan.routes]
    assert len(set(names)) == len(names), "a vehicle has two routes"
    tasks = [task for route in plan.routes for trip in route.trips for task in trip]
    assert sorted(map(str, tasks)) == sorted(map(str, problem.task_ids)), "not everybody once"
    if isinstance(problem, HCVRP):
        return _makespan(problem, plan)
    assert isinstance(problem, OMDCPDP)
    return _arrivals(problem, plan)


def _makespan(problem: HCVRP, plan: Plan) -> float:
    number = {name: i for i, name in enumerate(problem.customer_ids)}
    latest = 0.0
    for route in plan.routes:
        vehicle = problem.vehicle_ids.index(route.vehicle)
        legs: list[float] = []
        for trip in route.trips:
            rows = [number[str(name)] for name in trip]
            load = sum(Fraction(float(problem.demand[row])) for row in rows)
            room = Fraction(float(problem.capacity[vehicle]))
            assert load <= room * (1 + TOLERANCE), f"{route.vehicle} carries too much"
            way = [problem.depot, *(problem.customers[row] for row in rows), problem.depot]
            legs += [math.dist(a, b) for a, b in itertools.pairwise(way)]
        latest = max(latest, math.fsum(legs) / float(problem.speed[vehicle]))
    return latest


def _arrivals(problem: OMDCPDP, plan: Plan) -> float:
    number = {name: i for i, name in enumerate(problem.order_ids)}
    arrivals: list[float] = []
    for route in plan.routes:
        vehicle = problem.vehicle_ids.index(route.vehicle)
        here, legs, aboard = problem.starts[vehicle], [], set[str]()
        for stop in (stop for trip in route.trips for stop in trip):
            row = number[stop.order]  # type: ignore[union-attr]
            is_pickup = stop.action == "pickup"  # type: ignore[union-attr]
            there = (problem.pickups if is_pickup else problem.deliveries)[row]
            legs.append(math.dist(here, there))
            here = there
            if is_pickup:
                aboard.add(str(row))
                assert len(aboard) <= problem.capacity[vehicle], "too many on board"
            else:
                assert str(row) in aboard, "delivered before it was picked up"
                aboard.remove(str(row))
                arrivals.append(math.fsum(legs))
    return math.fsum(arrivals)
