"""Open trips of HCVRP in compiled code: where a customer costs least, and what a step does."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import inlined, inner
from geopar.pointer.hcvrp.columns import Customer
from geopar.pointer.hcvrp.tables import States, Tables


class Trip(NamedTuple):
    """Scratch for one open trip: its stops, the depot at both ends, and the ways between them.

    ``legs[i]`` is the way from stop ``i`` to the next.
    """

    stops: NDArray[np.int64]
    legs: NDArray[np.float64]


@inner(allocates=True)
def new_trip(num_customers: int) -> Trip:
    """Empty, for any trip of an instance."""
    return Trip(np.empty(num_customers + 2, dtype=np.int64), np.empty(num_customers + 2))


@inlined
def list_stops(customers: Any, start: int, follow: Any, trip: Trip) -> int:
    """List the stops of an open trip; how many there are, the depot twice."""
    stops, legs, depot = trip.stops, trip.legs, customers.shape[0] - 1
    stops[0] = depot
    before, j, n = depot, start, 1
    while True:
        dx = customers[j, Customer.X] - customers[before, Customer.X]
        dy = customers[j, Customer.Y] - customers[before, Customer.Y]
        legs[n - 1] = math.sqrt(dx * dx + dy * dy)
        stops[n] = j
        n += 1
        if j == depot:
            return n
        before, j = j, follow[j]


@inlined
def cheapest_place(
    customers: Any, trip: Trip, count: int, j: int, inserts: bool
) -> tuple[float, int, float]:
    """How much longer a trip of ``count`` stops becomes with a customer, and where it comes.

    Unless it ``inserts``, the customer comes behind the last one.

    Returns
    -------
    detour, behind, nearest
        The extra length, the number of the stop behind which it comes, and how far the nearest
        customer of the trip is, infinitely where there is none or none is looked at.
    """
    stops, legs = trip.stops, trip.legs
    x, y = customers[j, Customer.X], customers[j, Customer.Y]
    least, behind, nearest = np.inf, 0, np.inf
    first, before = 1, customers[j, Customer.DEPOT_DISTANCE]
    if not inserts and count > 2:
        first, last = count - 1, stops[count - 2]
        dx, dy = customers[last, Customer.X] - x, customers[last, Customer.Y] - y
        before = math.sqrt(dx * dx + dy * dy)
    for i in range(first, count):
        k = stops[i]
        dx, dy = customers[k, Customer.X] - x, customers[k, Customer.Y] - y
        gap = math.sqrt(dx * dx + dy * dy)
        detour = before + gap - legs[i - 1]
        if detour < least:
            least, behind = detour, i - 1
        if i < count - 1:
            nearest = min(nearest, gap)
        before = gap
    return least, behind, nearest


@inner(allocates=True)
def step(tables: Tables, states: States, b: int, s: int, action: Any) -> None:
    """Everybody takes the customer named, goes home or stays: as the environment's step."""
    customers, home = tables.customers[b], states.is_open.shape[1] - 1
    trip = new_trip(home)
    states.steps[s] += 1
    for m in range(action.shape[0]):
        task = action[m]
        if task < home:
            states.is_open[s, task] = False
            states.room[s, m] -= tables.demand[b, task]
        if task <= home:
            _insert(customers, states, s, m, task, trip, tables.inserts)
            states.position[s, m, 0] = customers[task, Customer.X]
            states.position[s, m, 1] = customers[task, Customer.Y]
            states.place[s, m] = task
        if states.place[s, m] == home:
            states.room[s, m] = states.full_room[s, m]


@inlined
def _insert(
    customers: Any, states: States, s: int, m: int, task: int, trip: Trip, inserts: bool
) -> None:
    """A customer comes into its place in the open trip; the depot ends the trip."""
    home = customers.shape[0] - 1
    # With the way home from who was put last, the length is that of all trips.
    states.length[s, m] += customers[states.place[s, m], Customer.DEPOT_DISTANCE]
    if task == home:
        states.start[s, m] = home
        return
    follow = states.follow[s]
    count = list_stops(customers, states.start[s, m], follow, trip)
    detour, behind, _ = cheapest_place(customers, trip, count, task, inserts)
    states.length[s, m] += detour - customers[task, Customer.DEPOT_DISTANCE]
    follow[task] = trip.stops[behind + 1]
    if behind == 0:
        states.start[s, m] = task
    else:
        follow[trip.stops[behind]] = task
