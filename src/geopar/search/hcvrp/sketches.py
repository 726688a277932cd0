"""First plans for many instances of one size at once.

Each is what :func:`geopar.search.hcvrp.start.best_initial` gives for its instance, to the bit; but
everything around the insertions is done for all instances together, because for small ones that
takes longer than the insertions themselves.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.search.compiled import compiled, inner
from geopar.search.hcvrp.data import (
    NEIGHBOURS,
    Data,
    Floats,
    Int32s,
    Ints,
    in_own_units,
    nearest,
)
from geopar.search.hcvrp.start import (
    OUT_OF_TURN,
    START_SHARPNESS,
    insert_all,
    turns_and_horizon,
)
from geopar.search.hcvrp.state import BEST, HORIZON, SHARPNESS, State, empty_state
from geopar.search.random import seed_state

# Up to so many customers, looking at all pairs beats a tree.
MOST_ALL_PAIRS = 256


class Instances(NamedTuple):
    """Instances in the search's own units: :class:`Data` with the instance first.

    ``order`` is the sequence of insertion, ``horizon`` the time to fill up to.
    """

    place: Floats
    vehicle: Floats
    near: Int32s
    near_distance: Floats
    unit: Floats
    order: Ints
    horizon: Floats


class FirstPlans(NamedTuple):
    """The best plan of each instance, as :class:`State` holds it.

    ``following`` is ``(B, N)``: who comes after each customer, N for the depot. ``trips`` is
    ``(B, slots, 2)``: first customer and owner, below zero where there is none.
    """

    following: Int32s
    trips: Int32s


def best_insertions(
    places: Floats, demand: Floats, capacity: Floats, speed: Floats, tries: int
) -> FirstPlans:
    """The best of so many insertions for each instance.

    Parameters
    ----------
    places, demand, capacity, speed
        As for :func:`geopar.search.hcvrp.data.in_own_units`.
    tries
        Insertions of each, with the seeds from zero on.
    """
    place, vehicle, unit = in_own_units(places, demand, capacity, speed)
    near, gap = _all_nearest(place)
    instances = Instances(place, vehicle, near, gap, unit, *turns_and_horizon(place, vehicle))
    first = Data(place[0], vehicle[0], near[0], gap[0], 1.0)
    empty, state = empty_state(first, 0), empty_state(first, 0)
    size = len(places)
    found = FirstPlans(
        np.empty((size, *state.best_next.shape), dtype=np.int32),
        np.empty((size, *state.best_trip.shape), dtype=np.int32),
    )
    _best_of_all(instances, _seeds(tries), empty, state, found)
    return found


@lru_cache(maxsize=8)
def _seeds(tries: int) -> NDArray[np.uint64]:
    return np.stack([seed_state(seed) for seed in range(tries)])


def _all_nearest(place: Floats) -> tuple[Int32s, Floats]:
    size, tasks = place.shape[0], place.shape[1] - 1
    count = min(NEIGHBOURS, tasks - 1)
    near = np.zeros((size, tasks, count), dtype=np.int32)
    gap = np.zeros((size, tasks, count))
    rows: Iterable[int] = range(size)
    if count and tasks <= MOST_ALL_PAIRS:
        is_clear = np.empty(size, dtype=np.bool_)
        _nearest_by_pairs(place, near, gap, is_clear)
        # Where two are equally near, only the tree knows which of them it lists first.
        rows = np.flatnonzero(~is_clear).tolist()
    for row in rows:
        near[row], gap[row] = nearest(place[row, :-1, :2], NEIGHBOURS)
    return near, gap


@compiled
def _nearest_by_pairs(
    place: Floats, near: Int32s, gap: Floats, is_clear: NDArray[np.bool_]
) -> None:
    """The nearest of every customer; not clear where the sequence is not determined."""
    size, tasks, count = near.shape
    # One more than is wanted, to see whether it is as near as the last.
    keys = np.empty(count + 1)
    items = np.empty(count + 1, dtype=np.int32)
    for b in range(size):
        is_clear[b] = True
        for i in range(tasks):
            x, y = place[b, i, 0], place[b, i, 1]
            found = 0
            for j in range(tasks):
                if j == i:
                    continue
                dx, dy = x - place[b, j, 0], y - place[b, j, 1]
                key = dx * dx + dy * dy
                if found <= count:
                    at = found
                    found += 1
                elif key <= keys[count]:
                    at = count
                else:
                    continue
                while at > 0 and keys[at - 1] > key:
                    keys[at] = keys[at - 1]
                    items[at] = items[at - 1]
                    at -= 1
                keys[at] = key
                items[at] = j
            if keys[0] == 0.0:
                is_clear[b] = False
            for k in range(1, found):
                if keys[k] == keys[k - 1]:
                    is_clear[b] = False
            for k in range(count):
                near[b, i, k] = items[k]
                gap[b, i, k] = np.sqrt(keys[k])


@inner
def _put_back(state: State, empty: State) -> None:
    """Make a state as good as new; what nobody reads before writing it stays."""
    state.customer[:] = empty.customer
    state.leg[:] = empty.leg
    state.trip[:] = empty.trip
    state.amount[:] = empty.amount
    state.vehicle[:] = empty.vehicle
    state.drive[:] = empty.drive
    state.lists[:] = empty.lists
    state.best_next[:] = empty.best_next
    state.best_trip[:] = empty.best_trip
    state.counters[:] = empty.counters
    state.totals[:] = empty.totals


@compiled
def _best_of_all(
    instances: Instances, seeds: NDArray[np.uint64], empty: State, state: State, found: FirstPlans
) -> None:
    """Insert with every seed; of equally good plans the first stays."""
    for b in range(len(instances.order)):
        data = Data(
            instances.place[b], instances.vehicle[b], instances.near[b],
            instances.near_distance[b], instances.unit[b],
        )  # fmt: skip
        least = np.inf
        for seed in range(len(seeds)):
            _put_back(state, empty)
            state.totals[HORIZON] = instances.horizon[b]
            state.totals[SHARPNESS] = START_SHARPNESS
            state.random[:] = seeds[seed]
            insert_all(data, state, instances.order[b], OUT_OF_TURN if seed else 0.0)
            if seed == 0 or state.totals[BEST] < least:
                least = state.totals[BEST]
                found.following[b] = state.best_next
                found.trips[b] = state.best_trip
