"""Which customers a vehicle of HCVRP looks at: a fixed number, so that a step costs O(M · reach).

On the way, those that cost least in the open trip, of many near its place. At the depot,
representatives that are the same for all: the farthest open customer of each direction, the
farthest of the rest, and some of the nearest. The sets depend on the state alone, never on the
network's weights.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from geopar.compiled.grid import Grid, fill, nearest_in_grid, nearest_of_all, new_grid
from geopar.compiled.jit import inlined
from geopar.compiled.shortlist import insert
from geopar.pointer.hcvrp.columns import Customer
from geopar.pointer.hcvrp.tables import SECTORS, States, Tables
from geopar.pointer.hcvrp.trips import Trip, cheapest_place, list_stops
from geopar.pointer.observation import fill_up

# Of the representatives that a depot shows, one in so many is among the nearest.
NEAREST_SHARE = 4
# Of so many times as many nearest customers those that would add least to an open trip are looked
# at. With more, in large instances all of them lie on the way and none near the last stop.
PRESELECTED = 2
# Up to so many open customers, looking at all of them beats a grid.
MOST_WITHOUT_GRID = 160
# Added to the depot distance of who leads a direction: more than any distance.
LEADER_BONUS = 10.0


@inlined(allocates=True)
def choose(
    instance: Tables, state: States, tasks: Any, count: int, lightest: float, trip: Trip,
    candidates: Any,
) -> None:  # fmt: skip
    """Fill the candidates of every vehicle; home is in the last column.

    Parameters
    ----------
    instance, state
        One instance, and where it is.
    tasks, count
        The open customers, and how many they are.
    lightest
        The least demand of them.
    trip
        Scratch.
    candidates
        ``(M, K)``: filled.
    """
    home, size = instance.demand.shape[0] - 1, candidates.shape[1] - 1
    is_gridded = count > MOST_WITHOUT_GRID
    grid = new_grid(count if is_gridded else 0)
    if is_gridded:
        fill(grid, instance.customers, tasks, count)
    shown, has_shown = np.empty(size, dtype=np.int64), False
    used = np.zeros(home + 1, dtype=np.bool_)
    keys, near_keys = np.empty(size), np.empty(PRESELECTED * size)
    near = np.empty(PRESELECTED * size, dtype=np.int64)
    for m in range(state.place.shape[0]):
        row = candidates[m]
        row[size] = home
        is_at_depot = state.place[m] == home
        if is_at_depot and count:
            if not has_shown:
                _show(instance, tasks, count, shown)
                has_shown = True
            if _copy_useful(instance, state, m, shown, row):
                continue
        n = 0
        if lightest <= state.room[m]:
            if is_at_depot:
                n = _nearest(instance, state, m, tasks, count, grid, keys, row)
            elif count > near.shape[0]:
                n = _nearest(instance, state, m, tasks, count, grid, near_keys, near)
                n = _cheapest(instance, state, m, near, n, trip, keys, row)
            else:
                n = _cheapest(instance, state, m, tasks, count, trip, keys, row)
        fill_up(row[:size], n, used)


@inlined
def _copy_useful(instance: Tables, state: States, m: int, shown: Any, row: Any) -> bool:
    """Copy what the depot shows; whether any of it is open and fits the vehicle."""
    is_useful, is_open, demand, room = False, state.is_open, instance.demand, state.room[m]
    for i in range(shown.shape[0]):
        j = shown[i]
        row[i] = j
        is_useful = is_useful or (is_open[j] and demand[j] <= room)
    return is_useful


@inlined
def _nearest(
    instance: Tables, state: States, m: int, tasks: Any, count: int, grid: Grid, keys: Any,
    found: Any,
) -> int:  # fmt: skip
    """The nearest open customers that fit a vehicle, into ``found``; how many there are."""
    x, y, room = state.position[m, 0], state.position[m, 1], state.room[m]
    places, demand = instance.customers, instance.demand
    if grid.member.shape[0]:
        return nearest_in_grid(grid, places, x, y, demand, room, keys, found)
    return nearest_of_all(tasks, count, places, x, y, demand, room, keys, found)


@inlined
def _cheapest(
    instance: Tables, state: States, m: int, listed: Any, count: int, trip: Trip, keys: Any,
    found: Any,
) -> int:  # fmt: skip
    """Of some customers those that fit and cost least in the open trip; how many there are."""
    customers, demand, room, n = instance.customers, instance.demand, state.room[m], 0
    stops = list_stops(customers, state.start[m], state.follow, trip)
    for i in range(count):
        j = listed[i]
        if demand[j] <= room:
            detour = cheapest_place(customers, trip, stops, j, instance.inserts)[0]
            n = insert(keys, found, n, detour, j)
    return n


@inlined(allocates=True)
def _show(instance: Tables, tasks: Any, count: int, shown: Any) -> None:
    """Fill what the depot shows, closed customers where too few are open, each once."""
    customers, sector = instance.customers, instance.sector
    size = shown.shape[0]
    few = size // NEAREST_SHARE
    lead = np.full(SECTORS, -1)
    for i in range(count):
        j, best = tasks[i], lead[sector[tasks[i]]]
        if best < 0 or _away(customers, j) > _away(customers, best):
            lead[sector[j]] = j
    keys, found = np.empty(size - few), shown[: size - few]
    n = 0
    for i in range(count):
        j = tasks[i]
        away = _away(customers, j)
        bonus = LEADER_BONUS if _away(customers, lead[sector[j]]) == away else 0.0
        n = insert(keys, found, n, -(away + bonus), j)
    chosen = np.zeros(customers.shape[0], dtype=np.bool_)
    for i in range(n):
        chosen[shown[i]] = True
    keys, found = np.empty(few), shown[size - few :]
    more = 0
    for i in range(count):
        if few and not chosen[tasks[i]]:
            more = insert(keys, found, more, _away(customers, tasks[i]), tasks[i])
    _fill_gaps(shown, n, more, tasks, count, chosen)


@inlined
def _away(customers: Any, j: int) -> float:
    return customers[j, Customer.DEPOT_DISTANCE]


@inlined
def _fill_gaps(shown: Any, far: int, near: int, tasks: Any, count: int, chosen: Any) -> None:
    """Fill what is left of the far and of the near part with closed customers, each once."""
    size = shown.shape[0]
    begin = size - size // NEAREST_SHARE
    for i in range(begin, begin + near):
        chosen[shown[i]] = True
    for i in range(count):
        chosen[tasks[i]] = True
    spare = 0
    for i in range(size):
        if far <= i < begin or i >= begin + near:
            while chosen[spare]:
                spare += 1
            shown[i] = spare
            spare += 1
