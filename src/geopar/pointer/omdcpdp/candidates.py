"""Which orders a vehicle of OMDCPDP looks at: of all free ones those that are due first.

Where very many are free, only some whose pickups are near the end of its route are compared.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.grid import Grid, fill, nearest_in_grid, new_grid
from geopar.compiled.jit import inlined
from geopar.compiled.shortlist import insert
from geopar.pointer.observation import fill_up
from geopar.pointer.omdcpdp.columns import Placement, Task
from geopar.pointer.omdcpdp.placing import PLACEMENT_SIZE, Route, place
from geopar.pointer.omdcpdp.tables import States, Tables

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# An order is due by what it costs now, less this part of what it would cost if a vehicle were free
# for it: far orders are not put off only because they are far. Trained weights rely on it, so it is
# not the search's, which may be tuned.
FORGIVEN = 0.4
# Where more orders than these are free, only some near the end of a route are compared.
MOST_COMPARED_ORDERS = 16_384
NEAR_THE_END = 512


class Search(NamedTuple):
    """Scratch for finding candidates: free orders, a grid of them where there are very many.

    ``nearby`` with ``keys`` are those near the end of a route, ``placed`` their placements;
    ``picked`` with ``due`` the shortlist, as numbers among those that were compared.
    """

    free: Ints
    grid: Grid
    nearby: Ints
    keys: Floats
    placed: Floats
    picked: Ints
    due: Floats
    used: NDArray[np.bool_]


@inlined(allocates=True)
def survey_free(instance: Tables, state: States, size: int) -> tuple[int, Search]:
    """List the free orders, and sort very many of them into a grid; how many there are."""
    home = state.is_open.shape[0] - 1
    half, count = home // 2, 0
    free = np.empty(half, dtype=np.int64)
    for j in range(half):
        if state.is_open[j]:
            free[count] = j
            count += 1
    is_gridded = count > MOST_COMPARED_ORDERS
    grid = new_grid(count if is_gridded else 0)
    if is_gridded:
        fill(grid, instance.tasks, free, count)
    some, most = min(NEAR_THE_END, half), max(min(MOST_COMPARED_ORDERS, half), 1)
    return count, Search(
        free, grid, np.empty(some, dtype=np.int64), np.empty(some),
        np.empty((most, PLACEMENT_SIZE)), np.empty(size, dtype=np.int64), np.empty(size),
        np.zeros(home + 1, dtype=np.bool_),
    )  # fmt: skip


@inlined(allocates=True)
def choose(
    instance: Tables, state: States, m: int, route: Route, stops: int, count: int, search: Search,
    row: Any, placements: Any,
) -> None:  # fmt: skip
    """The free orders that are due first, of very many those near the end of the route."""
    tasks, capacity = instance.tasks, instance.capacity[m]
    is_gridded, size = search.grid.member.shape[0] > 0, row.shape[0] - 1
    listed, compared = search.free, count
    if is_gridded:
        listed, compared = search.nearby, _list_nearby(instance, state, m, route, stops, search)
    remembers = state.costs.shape[0] > 0
    is_new = is_gridded or not (remembers and state.is_cached[0, m])
    found = 0
    for i in range(compared):
        order = listed[i]
        if is_new:
            place(tasks, state.position, m, capacity, route, stops, order, search.placed[i])
            cost = search.placed[i, Placement.COST]
            if remembers:
                state.costs[0, m, order] = cost
        else:
            cost = state.costs[0, m, order]
        found = insert(search.due, search.picked, found, due_by(tasks, order, cost), i)
    if remembers:
        state.is_cached[0, m] = not is_gridded
    for k in range(found):
        i = search.picked[k]
        row[k] = listed[i]
        if is_new:
            placements[k] = search.placed[i]
        else:
            place(tasks, state.position, m, capacity, route, stops, row[k], placements[k])
    fill_up(row[:size], found, search.used)
    row[size] = state.is_open.shape[0] - 1


@inlined(allocates=True)
def _list_nearby(
    instance: Tables, state: States, m: int, route: Route, stops: int, search: Search
) -> int:
    """The free orders whose pickups are nearest to the end of a route; how many there are."""
    x, y = state.position[m, 0], state.position[m, 1]
    if stops:
        last = route.stops[stops]
        x, y = instance.tasks[last, Task.X], instance.tasks[last, Task.Y]
    anything = np.zeros(instance.tasks.shape[0])
    return nearest_in_grid(
        search.grid, instance.tasks, x, y, anything, 0.0, search.keys, search.nearby
    )


@inlined
def due_by(tasks: Any, order: int, cost: float) -> float:
    """By what an order is due: the least first."""
    return cost - FORGIVEN * tasks[order, Task.LEAST_COST]
