"""HCVRP for the classical solvers: normalised arrays, the greedy split, and the way back.

SISR, the genetic algorithm and simulated annealing share these. Their temperatures are absolute
numbers, so they work on a copy of the instance whose longer side and whose fastest vehicle are 1:
any unit of the user gives the same search.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import compiled, inner
from geopar.compiled.random import State, below
from geopar.plan import Indices, flatten
from geopar.problems import HCVRP

Floats = NDArray[np.float64]
Genes = NDArray[np.int32]
"""Customers in a sequence, or a vehicle for each customer."""

# Loads are sums: let the last of ten tenths in. Stricter than the checker's tolerance.
_SLACK = 1.0 + 1e-10


class Instance(NamedTuple):
    """An HCVRP in numbers for compiled code; node ``N`` is the depot.

    ``home`` is every node's distance from the depot, ``slowness`` time per length. Of the vehicles
    ``by_capacity``, largest first, the first ``fitting[i]`` can carry customer ``i``.
    """

    x: Floats
    y: Floats
    home: Floats
    demand: Floats
    capacity: Floats
    slowness: Floats
    by_capacity: Indices
    fitting: Indices


def normalised(problem: HCVRP) -> tuple[Instance, float]:
    """The instance with longer side 1 and largest speed 1, and one unit of its time in the user's.

    When all places are the same there is nothing to scale by, and nothing to drive either.
    """
    places = np.vstack([problem.customers_xy, problem.depot_xy[None]])
    places = places - places.min(axis=0)
    side = float(places.max()) or 1.0
    places /= side
    top = float(problem.speed.max())
    by_capacity = np.argsort(-problem.capacity, kind="stable")
    fitting = np.searchsorted(-problem.capacity[by_capacity], -problem.demand, side="right")
    instance = Instance(
        x=places[:, 0].copy(),
        y=places[:, 1].copy(),
        home=np.hypot(*(places - places[-1]).T),
        demand=problem.demand.copy(),
        capacity=problem.capacity * _SLACK,
        slowness=top / problem.speed,
        by_capacity=by_capacity,
        fitting=fitting,
    )
    return instance, side / top


def makespan_of(problem: HCVRP, routes: Sequence[Sequence[Indices]]) -> float:
    """What a plan costs in the user's units (paper, Eqs. 14 and 15)."""
    tasks, bounds, vehicle = flatten(routes)
    # Every trip with the depot at both ends, one after the other: from one trip to the next one
    # goes from depot to depot, which costs nothing.
    way = np.insert(problem.customers_xy[tasks], np.repeat(bounds, 2), problem.depot_xy, axis=0)
    legs = np.hypot(*np.diff(way, axis=0).T)
    starts = bounds[:-1] + 2 * np.arange(len(vehicle)) + 1
    length = np.bincount(vehicle, np.add.reduceat(legs, starts), problem.num_vehicles)
    return float((length / problem.speed).max())


@inner(forceinline=True)
def distance(instance: Instance, i: int, j: int) -> float:
    """Between two nodes."""
    dx = instance.x[i] - instance.x[j]
    dy = instance.y[i] - instance.y[j]
    return np.sqrt(dx * dx + dy * dy)  # type: ignore[no-any-return]


class Individual(NamedTuple):
    """A plan as genes: a permutation of the customers and the vehicle of each."""

    order: Genes
    vehicle: Genes


class Fleet(NamedTuple):
    """Scratch space of the greedy split: where each vehicle is, its load and its time so far."""

    at: Indices
    load: Floats
    time: Floats


def idle_fleet(num_vehicles: int) -> Fleet:
    """Scratch space for so many vehicles."""
    return Fleet(
        np.zeros(num_vehicles, dtype=np.int64), np.zeros(num_vehicles), np.zeros(num_vehicles)
    )


@compiled
def drive(instance: Instance, fleet: Fleet, plan: Individual) -> float:
    """The makespan of a plan by the greedy split.

    Each vehicle serves its own in the order of the permutation and goes home when the next one
    does not fit. ``fleet.time`` holds the finishing times afterwards.
    """
    order, vehicle = plan.order, plan.vehicle
    n, m = len(order), len(fleet.time)
    for v in range(m):
        fleet.at[v] = n
        fleet.load[v] = 0.0
        fleet.time[v] = 0.0
    for i in range(n):
        customer = np.int64(order[i])
        v = vehicle[customer]
        last, load = fleet.at[v], fleet.load[v] + instance.demand[customer]
        if load > instance.capacity[v]:
            fleet.time[v] += instance.home[last] + instance.home[customer]
            load = instance.demand[customer]
        else:
            fleet.time[v] += distance(instance, last, customer)
        fleet.at[v] = customer
        fleet.load[v] = load
    makespan = 0.0
    for v in range(m):
        fleet.time[v] = (fleet.time[v] + instance.home[fleet.at[v]]) * instance.slowness[v]
        makespan = max(makespan, fleet.time[v])
    return makespan


def split(instance: Instance, plan: Individual) -> list[list[Indices]]:
    """The trips that :func:`drive` drives, for each vehicle."""
    routes: list[list[list[int]]] = [[] for _ in instance.capacity]
    load = np.zeros(len(instance.capacity))
    for customer in plan.order.tolist():
        v = plan.vehicle[customer]
        load[v] += instance.demand[customer]
        if not routes[v] or load[v] > instance.capacity[v]:
            routes[v].append([])
            load[v] = instance.demand[customer]
        routes[v][-1].append(customer)
    return [[np.array(trip, dtype=np.int64) for trip in trips] for trips in routes]


def join(routes: Sequence[Sequence[Indices]], plan: Individual) -> None:
    """Write trips as genes: :func:`split` backwards.

    The split may then fill up a trip with the beginning of the next one.
    """
    plan.order[:] = np.concatenate([trip for trips in routes for trip in trips])
    for v, trips in enumerate(routes):
        for trip in trips:
            plan.vehicle[trip] = v


@inner(forceinline=True)
def draw_vehicle(instance: Instance, random: State, customer: int) -> int:
    """One of the vehicles that can carry this customer."""
    return instance.by_capacity[below(random, instance.fitting[customer])]  # type: ignore[no-any-return]


@compiled
def draw_plan(instance: Instance, random: State, plan: Individual) -> None:
    """A random permutation, and a random vehicle that fits for each customer."""
    order, vehicle = plan.order, plan.vehicle
    for i in range(len(order)):
        j = below(random, i + 1)
        order[i] = order[j]
        order[j] = i
        vehicle[i] = draw_vehicle(instance, random, i)
