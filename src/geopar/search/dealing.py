"""What a rule had no time for, dealt out along a curve: a tenth of a second for a million tasks.

The leaves of the tree of open tasks lie along a Hilbert curve, so that what follows each other on
it is near each other (Bartholdi & Platzman 1982, "An O(N log N) planar travelling salesman
heuristic based on spacefilling curves"). Customers are cut into full loads, each for the vehicle
that is free first; orders into one piece for each vehicle, which takes as many on board as it can
and delivers them all.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import compiled
from geopar.plan import Indices
from geopar.search.fleet import TOTAL, VISITS, Fleet, Visits, drive, go_home, note, where
from geopar.search.nearest import OpenTasks, leaf_near

Floats = NDArray[np.float64]


@compiled
def deal_customers(
    tree: OpenTasks,
    places: Floats,
    depot: Floats,
    capacity: Floats,
    speed: Floats,
    fleet: Fleet,
    visits: Visits,
) -> None:
    """Send everybody home and then out again with loads of what is open."""
    load, largest = fleet.load, 0
    for v in range(len(load)):
        if capacity[v] > capacity[largest]:
            largest = v
        if fleet.at[v] >= 0:
            go_home(fleet, v, places, depot, speed[v])
    leaves = len(tree.least) // 2
    v, way, x, y = -1, 0.0, depot[0], depot[1]
    for leaf in range(leaves, 2 * leaves):
        if tree.least[leaf] == math.inf:
            continue
        # As the leaves have them: numbers of tasks lead all over the memory.
        task, wanted = tree.task[leaf], tree.least[leaf]
        to_x, to_y = tree.box[leaf, 0], tree.box[leaf, 1]
        if v < 0 or load[v] + wanted > capacity[v]:
            if v >= 0:
                # Who is free first matters between trips only.
                drive(fleet, v, way / speed[v])
                go_home(fleet, v, places, depot, speed[v])
                way = 0.0
            v = fleet.first[1]
            if wanted > capacity[v]:
                v = largest
            x, y = depot[0], depot[1]
        note(fleet, visits, v, task)
        load[v] += wanted
        way += math.hypot(x - to_x, y - to_y)
        x, y = to_x, to_y
    if v >= 0:
        drive(fleet, v, way / speed[v])
        go_home(fleet, v, places, depot, speed[v])
    for v in range(len(load)):
        if fleet.free[v] < math.inf:
            visits.value[TOTAL] = max(visits.value[TOTAL], fleet.free[v])


@compiled(allocates=True)
def deal_orders(
    tree: OpenTasks,
    places: Floats,
    starts: Floats,
    newest: Indices,
    older: Indices,
    fleet: Fleet,
    visits: Visits,
    capacity: Floats,
) -> None:
    """Let everybody deliver what is on board and then a piece of what is open."""
    vehicles, leaves = len(newest), len(tree.least) // 2
    begin = np.empty(vehicles, dtype=np.int64)
    for v in range(vehicles):
        _deliver_all(places, starts, newest, older, fleet, visits, v)
        begin[v] = leaf_near(tree, *where(fleet, v, places, starts[v, 0], starts[v, 1]))
    # Along the curve, too, so that nobody has far to go to where its piece begins.
    line = np.argsort(begin, kind="mergesort")
    rest = (len(places) - visits.done[VISITS]) // 2
    dealt = 0
    for leaf in range(leaves, 2 * leaves):
        if tree.least[leaf] == math.inf:
            continue
        order, v = tree.task[leaf], line[dealt * vehicles // rest]
        _visit(places, starts, fleet, visits, v, order)
        older[order], newest[v] = newest[v], order
        fleet.load[v] += 1
        if fleet.load[v] >= capacity[v]:
            _deliver_all(places, starts, newest, older, fleet, visits, v)
        dealt += 1
    for v in range(vehicles):
        _deliver_all(places, starts, newest, older, fleet, visits, v)


@compiled
def _deliver_all(
    places: Floats,
    starts: Floats,
    newest: Indices,
    older: Indices,
    fleet: Fleet,
    visits: Visits,
    v: int,
) -> None:
    """Let a vehicle deliver what it has on board."""
    while newest[v] >= 0:
        _visit(places, starts, fleet, visits, v, len(older) + newest[v])
        visits.value[TOTAL] += fleet.free[v]
        newest[v] = older[newest[v]]
    fleet.load[v] = 0.0


@compiled
def _visit(places: Floats, starts: Floats, fleet: Fleet, visits: Visits, v: int, task: int) -> None:
    """Let a vehicle drive to a task."""
    x, y = where(fleet, v, places, starts[v, 0], starts[v, 1])
    note(fleet, visits, v, task)
    # Nobody asks who is free first any more.
    fleet.free[v] += math.hypot(x - places[task, 0], y - places[task, 1])
