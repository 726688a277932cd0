"""Parts of an HCVRP: sectors around the depot, each with vehicles of its own.

A vehicle makes many trips, and in a plan that was made as a whole they lie all over the plane: then
no part has near customers together. So the first plan is already made in parts. Sectors have equal
work, by an estimate that is corrected by what a first insertion in each of them takes, and vehicles
of all sorts are dealt out evenly. They stay: other lines would go through the middle of what a
vehicle serves. A plan that was given is divided by where vehicles drive, as well as that goes.
"""

from __future__ import annotations

import numpy as np

from geopar.parts.piece import Floats, Ints
from geopar.problems import HCVRP
from geopar.search.teams import FlatPlan

# A tour through many places is about as long as so many times the root of area times number
# (Beardwood, Halton and Hammersley 1959).
TOUR = 0.7124


def lengths(problem: HCVRP, plan: FlatPlan) -> Floats:
    """What is driven on each trip."""
    tasks, bounds, _ = plan
    places = problem.customers_xy[tasks]
    legs = np.hypot(*(places[1:] - places[:-1]).T)
    along = np.concatenate([[0.0], np.cumsum(legs)])
    first, last = bounds[:-1], bounds[1:] - 1
    from_depot = np.hypot(*(places - problem.depot_xy).T)
    return along[last] - along[first] + from_depot[first] + from_depot[last]  # type: ignore[no-any-return]


def cost(problem: HCVRP, plan: FlatPlan) -> float:
    """The makespan."""
    driven = np.bincount(plan[2], lengths(problem, plan), problem.num_vehicles)
    return float((driven / problem.speed).max())


def arrays(problem: HCVRP, tasks: Ints, vehicles: Ints) -> dict[str, Floats]:
    """Those of a part."""
    return {
        "depot": problem.depot_xy,
        "customers": problem.customers_xy[tasks],
        "demand": problem.demand[tasks],
        "capacity": problem.capacity[vehicles],
        "speed": problem.speed[vehicles],
    }


def most_sectors(problem: HCVRP) -> int:
    """So many that each has a vehicle with room for the largest demand."""
    return int((problem.capacity >= problem.demand.max(initial=0.0)).sum())


def work(problem: HCVRP) -> Floats:
    """About what each customer adds to the way: to it and back, shared with others, and around."""
    xy = problem.customers_xy
    away = np.hypot(*(xy - problem.depot_xy).T)
    area = float(np.prod(np.ptp(xy, axis=0)))
    room = max(float(problem.capacity.mean()), np.finfo(float).tiny)
    return 2.0 * problem.demand / room * away + TOUR * np.sqrt(area / len(xy))  # type: ignore[no-any-return]


def sectors(problem: HCVRP, count: int, work: Floats) -> Ints:
    """The sector of each customer: all have the same work."""
    order = np.argsort(_angles(problem.customers_xy - problem.depot_xy), kind="stable")
    share = np.cumsum(work[order])
    sector = np.empty(len(order), dtype=np.int64)
    ends = share / max(share[-1], np.finfo(float).tiny)
    sector[order] = np.minimum((ends * count).astype(np.int64), count - 1)
    return sector


def dealt(problem: HCVRP, count: int) -> Ints:
    """The sector of each vehicle: the largest go round first, and there and back in turn."""
    order = np.lexsort((-problem.speed, -problem.capacity))
    turn = np.arange(len(order)) % (2 * count)
    sector = np.empty(len(order), dtype=np.int64)
    sector[order] = np.where(turn < count, turn, 2 * count - 1 - turn)
    return sector


def corrected(problem: HCVRP, plan: FlatPlan, sector: Ints, group: Ints, work: Floats) -> Floats:
    """The work of each customer, so that each sector has the time that its vehicles need for it."""
    count = int(group.max()) + 1
    driven = np.bincount(group[plan[2]], lengths(problem, plan), count)
    time = driven / np.bincount(group, problem.speed, count)
    estimated = np.bincount(sector, work, count)
    return work * (time / np.maximum(estimated, np.finfo(float).tiny))[sector]


def groups(problem: HCVRP, plan: FlatPlan, count: int, random: np.random.Generator) -> Ints:
    """The part of each vehicle: by where it drives around the depot, as many tasks in each."""
    tasks, bounds, vehicle = plan
    driver = np.repeat(vehicle, np.diff(bounds))
    towards = problem.customers_xy[tasks] - problem.depot_xy
    middle = [np.bincount(driver, along, problem.num_vehicles) for along in towards.T]
    angle = _angles(np.column_stack(middle) @ _turned(random.uniform(0.0, 2.0 * np.pi)))
    served = np.bincount(driver, minlength=problem.num_vehicles)
    idle = served == 0
    angle[idle] = random.uniform(-np.pi, np.pi, idle.sum())
    order = np.argsort(angle, kind="stable")
    share = (np.cumsum(served[order]) - served[order] / 2.0) / len(tasks)
    group = np.empty(len(order), dtype=np.int64)
    group[order] = np.minimum((share * count).astype(np.int64), count - 1)
    return group


def _angles(away: Floats) -> Floats:
    return np.arctan2(away[:, 1], away[:, 0])


def _turned(angle: float) -> Floats:
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([[cosine, sine], [-sine, cosine]])
