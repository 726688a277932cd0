"""Where the vehicles of a rule are and when they are free, and the visits that it has decided."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import compiled, inlined
from geopar.plan import Indices

Floats = NDArray[np.float64]
Trips = tuple[Indices, Indices, Indices]
"""As :func:`geopar.plan.flatten` has them."""

# Where numbers stand in :attr:`Visits.done` and :attr:`Visits.value`.
VISITS = 0
TOTAL = 0


class Fleet(NamedTuple):
    """Vehicles at work.

    ``free`` is when each is done with what it has, ``first`` a tournament tree of who is free
    first (at the root, 1), ``at`` the task where it is (-1: where it begins), ``load`` what is on
    board, ``trip`` the number of its trip.
    """

    free: Floats
    first: Indices
    at: Indices
    load: Floats
    trip: Indices


class Visits(NamedTuple):
    """What was decided: task, vehicle and trip, in the order of decision.

    ``done[VISITS]`` says how many there are, ``value[TOTAL]`` what they cost.
    """

    task: Indices
    vehicle: Indices
    trip: Indices
    done: Indices
    value: Floats


def idle_fleet(num_vehicles: int) -> Fleet:
    """All vehicles where they begin, empty and free."""
    size = 1 << (num_vehicles - 1).bit_length()
    free = np.zeros(size)
    free[num_vehicles:] = math.inf
    first = np.zeros(2 * size, dtype=np.int64)
    first[size:] = np.arange(size)
    node = size
    while node > 1:
        # All are free at once: the left child, so that the first in the list begins.
        first[node // 2 : node] = first[node : 2 * node : 2]
        node //= 2
    nowhere = np.full(num_vehicles, -1, dtype=np.int64)
    return Fleet(
        free, first, nowhere, np.zeros(num_vehicles), np.zeros(num_vehicles, dtype=np.int64)
    )


def no_visits(most: int) -> Visits:
    """Room for so many visits, none decided."""
    task, vehicle, trip = np.zeros((3, most), dtype=np.int64)
    return Visits(task, vehicle, trip, np.zeros(1, dtype=np.int64), np.zeros(1))


@compiled
def drive(fleet: Fleet, v: int, time: float) -> None:
    """Let a vehicle be busy for so long."""
    free, first = fleet.free, fleet.first
    free[v] += time
    node = len(free) + v
    while node > 1:
        node //= 2
        left, right = first[2 * node], first[2 * node + 1]
        first[node] = right if free[right] < free[left] else left


@inlined
def where(fleet: Fleet, v: int, places: Floats, x: float, y: float) -> tuple[float, float]:
    """Where a vehicle is: at its last task, or at the given place where it has none."""
    if fleet.at[v] >= 0:
        return places[fleet.at[v], 0], places[fleet.at[v], 1]
    return x, y


@inlined
def note(fleet: Fleet, visits: Visits, v: int, task: int) -> None:
    """Decide that a vehicle goes to a task."""
    i = visits.done[VISITS]
    visits.task[i], visits.vehicle[i], visits.trip[i] = task, v, fleet.trip[v]
    visits.done[VISITS] += 1
    fleet.at[v] = task


@inlined
def go_home(fleet: Fleet, v: int, places: Floats, depot: Floats, speed: float) -> None:
    """End the trip of a vehicle that is on one."""
    x, y = places[fleet.at[v], 0], places[fleet.at[v], 1]
    fleet.at[v] = -1
    fleet.trip[v] += 1
    fleet.load[v] = 0.0
    drive(fleet, v, math.hypot(x - depot[0], y - depot[1]) / speed)


def trips_of(visits: Visits, num_vehicles: int) -> Trips:
    """The visits vehicle by vehicle and trip by trip."""
    count = np.bincount(visits.vehicle, minlength=num_vehicles)
    tasks, begins = _by_vehicle(visits.task, visits.vehicle, visits.trip, np.cumsum(count) - count)
    at = np.flatnonzero(begins)
    vehicle = np.searchsorted(np.cumsum(count), at, side="right")
    return tasks, np.append(at, len(tasks)), vehicle


@compiled(allocates=True)
def _by_vehicle(
    task: Indices, vehicle: Indices, trip: Indices, place: Indices
) -> tuple[Indices, NDArray[np.bool_]]:
    """Tasks sorted by vehicle, in the order of decision for each, and which of them begin a trip.

    ``place`` is where the visits of each begin.
    """
    tasks, begins = np.empty_like(task), np.empty(len(task), dtype=np.bool_)
    trip_before = np.full(len(place), -1, dtype=np.int64)
    for i in range(len(task)):
        v = vehicle[i]
        to = place[v]
        place[v] += 1
        tasks[to], begins[to] = task[i], trip[i] != trip_before[v]
        trip_before[v] = trip[i]
    return tasks, begins
