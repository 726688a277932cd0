"""What bounds need to know of a problem: sorts of vehicles, loads as whole numbers, times of legs.

What a working day asks for besides only makes plans longer and is left out, so that a bound without
it holds all the more; but for vehicles that do not come home to the depot, or are under way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from geopar.problems import HCVRP

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# A load is told in so many steps of the largest capacity, unless all are small whole numbers.
STEPS = 64
MOST_STEPS = 128
# What is a whole number but for rounding.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Sort:
    """Vehicles that are alike but for their speed.

    Parameters
    ----------
    capacity
        In steps.
    table
        How long the first of them takes from place to place, service at the second one included;
        the depot is the last place, and legs from it include loading.
    strength
        How many times what the first of them does all do together.
    """

    capacity: int
    table: Floats
    strength: float


@dataclass(frozen=True)
class Fleet:
    """A problem as bounds see it.

    Parameters
    ----------
    load
        Of each customer, in steps: never more than it really is.
    sorts
        Of the vehicles.
    customers
        Which of the problem's customers these are; those that weigh next to nothing are left out.
    """

    load: Ints
    sorts: tuple[Sort, ...]
    customers: Ints


def fleet_of(problem: HCVRP) -> Fleet:
    """Its customers and sorts of vehicles."""
    step = _step(problem)
    load = np.floor(problem.demand / step).astype(np.int64)
    capacity = np.floor(problem.capacity / step + ROUNDING).astype(np.int64)
    customers = np.flatnonzero(load)
    day = problem.day
    takes_time = day is not None and (day.service is not None or day.loading > 0.0)
    profile = [""] * problem.num_vehicles
    if day is not None and day.profile is not None:
        profile = list(day.profile)
    alike: dict[tuple[int, str, float], list[int]] = {}
    for v, speed in enumerate(problem.speed):
        key = int(capacity[v]), profile[v], float(speed) if takes_time else 0.0
        alike.setdefault(key, []).append(v)
    sorts = []
    for vehicles in alike.values():
        table = _times(problem, vehicles[0])
        if len(customers) < problem.num_tasks:
            # By way of those left out it may be shorter. (Floyd and Warshall; for scipy's two
            # places with no way between them are not connected.)
            for k in range(len(table)):
                np.minimum(table, table[:, k, None] + table[None, k, :], out=table)
        places = np.append(customers, problem.num_tasks)
        table = np.ascontiguousarray(table[np.ix_(places, places)])
        # Where nothing but driving takes time, a faster vehicle is so much more of a slower one.
        speed = problem.speed[vehicles]
        together = float(len(vehicles)) if takes_time else float(speed.sum() / speed[0])
        sorts.append(Sort(int(capacity[vehicles[0]]), table, together))
    return Fleet(load[customers], tuple(sorts), customers)


def _times(problem: HCVRP, vehicle: int) -> Floats:
    """How long it takes from place to place, with all that takes time there."""
    places = np.arange(problem.num_tasks + 1)
    table = np.array(problem.travel.duration(vehicle, places[:, None], places[None, :]))
    if problem.day is not None:
        if problem.day.service is not None:
            table[:, :-1] += problem.day.service
        table[-1] += problem.day.loading
    np.fill_diagonal(table, 0.0)
    return table


def _step(problem: HCVRP) -> float:
    """What loads are counted by."""
    loads = np.concatenate([problem.demand, problem.capacity])
    largest = float(problem.capacity.max())
    whole = np.round(loads)
    if np.array_equal(loads, whole) and largest < 2**53:
        common = math.gcd(*(int(one) for one in whole))
        if common and largest / common <= MOST_STEPS:
            return float(common)
    return largest / STEPS
