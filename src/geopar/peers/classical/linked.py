"""Trips as linked lists, for compiled ruin and recreate on the HCVRP.

A trip has an id, a vehicle and a chain of customers; ids with no customers are free. Two such
structures that agree except for a few trips are made equal again by copying those trips only,
which is how a step of the search is accepted or undone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from geopar.compiled.jit import compiled, inner
from geopar.peers.classical.decode import Floats, Instance, distance
from geopar.plan import Indices, flatten

NOWHERE = -1


class Trips(NamedTuple):
    """The trips of a plan, complete or not; ``N`` stands for the depot at both ends of a chain.

    Per customer: the one ``before`` and ``after``, the length of the ``leg`` that leads to it, its
    ``trip`` (``NOWHERE`` while removed). Per trip: ``first`` customer, ``size``, ``load``,
    ``vehicle``. Per vehicle: when it will ``finish``.
    """

    before: Indices
    after: Indices
    leg: Floats
    trip: Indices
    first: Indices
    size: Indices
    load: Floats
    vehicle: Indices
    finish: Floats


def empty_trips(num_tasks: int, num_vehicles: int) -> Trips:
    """No trips yet. Twice as many ids as there can be trips, so a free one is always near."""
    n, ids = num_tasks, 2 * num_tasks

    def full(count: int, value: int) -> Indices:
        return np.full(count, value, dtype=np.int64)

    return Trips(
        before=full(n, n),
        after=full(n, n),
        leg=np.zeros(n),
        trip=full(n, NOWHERE),
        first=full(ids, n),
        size=full(ids, 0),
        load=np.zeros(ids),
        vehicle=full(ids, 0),
        finish=np.zeros(num_vehicles),
    )


def linked(instance: Instance, routes: Sequence[Sequence[Indices]]) -> Trips:
    """The trips of a plan given by indices."""
    trips = empty_trips(len(instance.demand), len(routes))
    _link(instance, trips, *flatten(routes))
    return trips


def to_routes(trips: Trips) -> list[list[Indices]]:
    """For each vehicle its trips, each an array of customers."""
    n = len(trips.trip)
    routes: list[list[Indices]] = [[] for _ in range(len(trips.finish))]
    for t in np.flatnonzero(trips.size):
        chain = [int(trips.first[t])]
        while (customer := int(trips.after[chain[-1]])) != n:
            chain.append(customer)
        routes[trips.vehicle[t]].append(np.array(chain, dtype=np.int64))
    return routes


@compiled
def _link(
    instance: Instance, trips: Trips, tasks: Indices, bounds: Indices, vehicle: Indices
) -> None:
    for t in range(len(vehicle)):
        trips.vehicle[t] = vehicle[t]
        place = len(trips.trip)
        for i in range(bounds[t], bounds[t + 1]):
            insert(instance, trips, tasks[i], t, place)
            place = tasks[i]


@inner(forceinline=True)
def insert(instance: Instance, trips: Trips, customer: int, t: int, a: int) -> None:
    """Put a customer into trip ``t`` after ``a`` (the depot: in front)."""
    n = len(trips.trip)
    b = trips.first[t] if a == n else trips.after[a]
    there = distance(instance, a, customer)
    onward = distance(instance, customer, b)
    # The leg that is replaced: home[depot] is zero, so an empty trip needs no case of its own.
    direct = instance.home[a] if b == n else trips.leg[b]
    v = trips.vehicle[t]
    trips.finish[v] += (there + onward - direct) * instance.slowness[v]
    if a == n:
        trips.first[t] = customer
    else:
        trips.after[a] = customer
    if b != n:
        trips.before[b] = customer
        trips.leg[b] = onward
    trips.before[customer] = a
    trips.after[customer] = b
    trips.leg[customer] = there
    trips.trip[customer] = t
    trips.size[t] += 1
    trips.load[t] += instance.demand[customer]


@inner(forceinline=True)
def remove(instance: Instance, trips: Trips, customer: int) -> None:
    """Take a customer out of its trip; its own links stay, so that a walk can go on."""
    n = len(trips.trip)
    t, a, b = trips.trip[customer], trips.before[customer], trips.after[customer]
    direct = distance(instance, a, b)
    onward = instance.home[customer] if b == n else trips.leg[b]
    v = trips.vehicle[t]
    trips.finish[v] -= (trips.leg[customer] + onward - direct) * instance.slowness[v]
    if a == n:
        trips.first[t] = b
    else:
        trips.after[a] = b
    if b != n:
        trips.before[b] = a
        trips.leg[b] = direct
    trips.trip[customer] = NOWHERE
    trips.size[t] -= 1
    trips.load[t] -= instance.demand[customer]


@inner(forceinline=True)
def copy_trip(source: Trips, target: Trips, t: int) -> None:
    """Make one trip of ``target``, and the vehicles that it concerns, as in ``source``."""
    n = len(source.trip)
    old, new = target.vehicle[t], source.vehicle[t]
    target.finish[old] = source.finish[old]
    target.finish[new] = source.finish[new]
    target.vehicle[t] = new
    target.first[t] = source.first[t]
    target.size[t] = source.size[t]
    target.load[t] = source.load[t]
    customer = source.first[t]
    while customer != n:
        target.before[customer] = source.before[customer]
        target.after[customer] = source.after[customer]
        target.leg[customer] = source.leg[customer]
        target.trip[customer] = t
        customer = source.after[customer]


@compiled
def copy_trips(source: Trips, target: Trips) -> None:
    """Make ``target`` as ``source``. Loops, because whole-array copies take seconds to compile."""
    for i in range(len(source.trip)):
        target.before[i] = source.before[i]
        target.after[i] = source.after[i]
        target.leg[i] = source.leg[i]
        target.trip[i] = source.trip[i]
    for t in range(len(source.size)):
        target.first[t] = source.first[t]
        target.size[t] = source.size[t]
        target.load[t] = source.load[t]
        target.vehicle[t] = source.vehicle[t]
    for v in range(len(source.finish)):
        target.finish[v] = source.finish[v]


@inner(forceinline=True)
def latest(finish: Floats) -> float:
    """The makespan."""
    value = 0.0
    for v in range(len(finish)):
        value = max(value, finish[v])
    return value


@inner(forceinline=True)
def recount(instance: Instance, trips: Trips) -> int:
    """Sum all finishing times anew, against the drift of many small changes; counts the trips."""
    n = len(trips.trip)
    for v in range(len(trips.finish)):
        trips.finish[v] = 0.0
    count = 0
    for t in range(len(trips.size)):
        if trips.size[t] == 0:
            continue
        count += 1
        length, last, customer = 0.0, n, trips.first[t]
        while customer != n:
            length += trips.leg[customer]
            last, customer = customer, trips.after[customer]
        v = trips.vehicle[t]
        trips.finish[v] += (length + instance.home[last]) * instance.slowness[v]
    return count
