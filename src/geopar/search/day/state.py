"""The plan under search: each vehicle's day as one linked list, with an exact undo.

A vehicle's list goes from its start over the depot, where a trip is loaded, the customers of that
trip, the depot again for the next one, and so on to its end. All of them are *nodes*: customers
first (``0 .. n-1``), then a depot node for each trip, then the starts and the ends of vehicles.

Every change inside an iteration first copies what it touches. Rejecting an iteration puts the
copies back; accepting it adds what was touched to the list of what differs from the best plan. So
neither costs more than what was changed, whatever the size of the instance.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import inner
from geopar.compiled.random import seed_state
from geopar.search.day.data import (
    ABOARD,
    CLOSES,
    END,
    FROM,
    HOME,
    OPENS,
    PRIORITY,
    SERVICE,
    TO,
    Data,
    Floats,
    Int32s,
    Ints,
)

# How many customers one ruin may remove at most, and how many of the absent are tried with them.
MOST_REMOVED, MOST_ABSENT = 64, 16

# Columns of ``State.node``; TRIP is -1 for whoever is absent or removed, PLACE a row of travel.
NEXT, PREVIOUS, TRIP, STAMP, OLD_NEXT, OLD_PREVIOUS, OLD_TRIP, DIRTY, PLACE = range(9)
# Columns of ``State.time``, all about the begin of service at a node. It lies between OPEN and
# CLOSE, takes SPENT, and is at BEGIN. What follows is in time if it is not after LATEST; the
# vehicle is then done at max(begin, REST_FROM) + REST (segments: Kindervater & Savelsbergh 1997,
# Vidal et al. 2013). What comes before takes at least SPAN if the vehicle leaves at LEAVE or
# somewhat earlier. TRIP_SPAN, TRIP_FROM and TRIP_LEAVE are the same from leaving the depot on.
OPEN, CLOSE, SPENT, BEGIN, LATEST, REST_FROM, REST, SPAN, LEAVE = range(9)
TRIP_SPAN, TRIP_FROM, TRIP_LEAVE = range(9, 12)
TIMES = 12
# Columns of ``State.trip``; a FIXED trip is locked.
OWNER, SIZE, FIXED, _, OLD_SIZE, RUINED, IS_ABOARD = range(7)
# Columns of ``State.amount``: when the last goods are released, then the load in each dimension.
RELEASE, LOAD = range(2)
# Columns of ``State.vehicle``. A vehicle that is SHUT cannot keep to its locks and takes nobody.
TRIPS, SHUT, OLD_TRIPS, _ = range(4)
# Columns of ``State.tour``, and behind them their copies.
FINISH, DUTY, DRIVEN, ARRIVALS, COST = range(5)
# Rows of ``State.lists``.
FREE, TOUCHED_NODES, TOUCHED_TRIPS, TOUCHED_VEHICLES, REMOVED, CLOSED = range(6)
DIRTY_NODES, ABSENT = range(6, 8)
# Places in ``State.counters``: the lengths of those lists, and then these.
ITERATION, BLINK_IN, OLD_FREE, OPEN_TRIPS, OLD_OPEN_TRIPS, LAST_HOME = range(8, 14)
# Places in ``State.totals``. MISSING is the sum of the priorities of the absent.
TOTAL, OLD_TOTAL, MISSING, OLD_MISSING, SHARPNESS, HORIZON = range(6)
BEST_MISSING, BEST, PENALTY = range(6, 9)

# Stamps are 32 bits wide; long before they run out, all are set back.
LAST_STAMP = 1 << 30


class State(NamedTuple):
    """All that changes; ``-1`` stands for none."""

    node: Int32s
    time: Floats
    old_time: Floats
    trip: Int32s
    amount: Floats
    old_amount: Floats
    vehicle: Int32s
    tour: Floats
    lists: Int32s
    where: Int32s
    """The place of each customer among the absent, or -1."""
    best_next: Int32s
    key: Floats
    """Scratch for sorting."""
    walk: Ints
    walked: Floats
    """Scratch for following a vehicle."""
    counters: Ints
    totals: Floats
    random: NDArray[np.uint64]


def empty_state(data: Data, seed: int) -> State:
    """Everybody absent, nobody on the road."""
    n, m, dimensions = len(data.stop), len(data.fleet), data.demand.shape[1]
    slots = n + 2 * (MOST_REMOVED + MOST_ABSENT) + m
    nodes = n + slots + 2 * m
    state = State(
        node=np.full((nodes, 16), -1, dtype=np.int32),
        time=np.zeros((nodes, TIMES)),
        old_time=np.zeros((nodes, TIMES)),
        trip=np.zeros((slots, 8), dtype=np.int32),
        amount=np.zeros((slots, 1 + dimensions)),
        old_amount=np.zeros((slots, 1 + dimensions)),
        vehicle=np.zeros((m, 4), dtype=np.int32),
        tour=np.zeros((m, 10)),
        lists=np.zeros((8, nodes), dtype=np.int32),
        where=np.full(n, -1, dtype=np.int32),
        best_next=np.full(nodes, -1, dtype=np.int32),
        key=np.zeros(MOST_REMOVED + MOST_ABSENT),
        walk=np.zeros(nodes, dtype=np.int64),
        walked=np.zeros(nodes),
        counters=np.zeros(14, dtype=np.int64),
        totals=np.zeros(9),
        random=seed_state(seed),
    )
    state.node[:, [STAMP, DIRTY]] = 0
    state.trip[:, [RUINED]] = -1
    state.node[:n, PLACE] = data.row
    state.time[:n, OPEN] = data.stop[:, OPENS]
    state.time[:n, CLOSE] = data.stop[:, CLOSES]
    state.time[:n, SPENT] = data.stop[:, SERVICE]
    start, end = n + slots, n + slots + m
    # Whoever is under way is loaded where it is: its first depot node is there.
    aboard = data.fleet[:, ABOARD] > 0
    state.node[start:end, PLACE] = np.where(aboard, -1, data.fleet[:, HOME])
    state.node[end:, PLACE] = data.fleet[:, END]
    state.node[start:end, NEXT] = state.best_next[start:end] = np.arange(end, end + m)
    state.node[end:, PREVIOUS] = np.arange(start, end)
    state.time[start:end, OPEN] = state.time[start:end, BEGIN] = data.shift[:, FROM]
    state.time[start:end, CLOSE] = data.shift[:, TO]
    state.time[end:, OPEN] = -np.inf
    at_depot = (data.depot >= 0) & (data.fleet[:, END] == data.depot)
    state.time[end:, CLOSE] = np.where(
        at_depot, np.minimum(data.shift[:, TO], data.closes), data.shift[:, TO]
    )
    state.lists[FREE, :slots] = np.arange(slots - 1, -1, -1)
    state.counters[FREE] = slots
    state.lists[ABSENT, :n] = state.where[:] = np.arange(n)
    state.counters[ABSENT] = n
    state.totals[MISSING] = data.stop[:, PRIORITY].sum()
    return state


@inner
def start_of(data: Data, state: State, v: int) -> int:
    """The node at which vehicle ``v`` begins."""
    return len(data.stop) + len(state.trip) + v


@inner
def end_of(data: Data, state: State, v: int) -> int:
    """The node at which vehicle ``v`` ends."""
    return len(data.stop) + len(state.trip) + len(data.fleet) + v


@inner
def push(state: State, row: int, item: int) -> None:
    """Add to one of the lists."""
    state.lists[row, state.counters[row]] = item
    state.counters[row] += 1


@inner
def touch_node(data: Data, state: State, x: int) -> None:
    """Copy node ``x``, and the trip of a depot node, for the undo, once an iteration."""
    row = state.node[x]
    if row[STAMP] != state.counters[ITERATION]:
        row[STAMP] = state.counters[ITERATION]
        push(state, TOUCHED_NODES, x)
        row[OLD_NEXT] = row[NEXT]
        row[OLD_PREVIOUS] = row[PREVIOUS]
        row[OLD_TRIP] = row[TRIP]
        for i in range(TIMES):
            state.old_time[x, i] = state.time[x, i]
        t = x - len(data.stop)
        if 0 <= t < len(state.trip):
            push(state, TOUCHED_TRIPS, t)
            state.trip[t, OLD_SIZE] = state.trip[t, SIZE]
            for i in range(state.amount.shape[1]):
                state.old_amount[t, i] = state.amount[t, i]


@inner
def touch_vehicle(data: Data, state: State, v: int) -> None:
    """Copy vehicle ``v`` and its start for the undo, once an iteration."""
    x = start_of(data, state, v)
    if state.node[x, STAMP] != state.counters[ITERATION]:
        touch_node(data, state, x)
        push(state, TOUCHED_VEHICLES, v)
        state.vehicle[v, OLD_TRIPS] = state.vehicle[v, TRIPS]
        for i in range(5):
            state.tour[v, 5 + i] = state.tour[v, i]


@inner
def begin(state: State) -> None:
    """Start an iteration: nothing touched yet."""
    state.counters[ITERATION] += 1
    state.counters[TOUCHED_NODES] = 0
    state.counters[TOUCHED_TRIPS] = 0
    state.counters[TOUCHED_VEHICLES] = 0
    state.counters[REMOVED] = 0
    state.counters[CLOSED] = 0
    state.counters[OLD_FREE] = state.counters[FREE]
    state.counters[OLD_OPEN_TRIPS] = state.counters[OPEN_TRIPS]
    state.totals[OLD_TOTAL] = state.totals[TOTAL]
    state.totals[OLD_MISSING] = state.totals[MISSING]


@inner(forceinline=False)
def renew_stamps(state: State) -> None:
    """Set all stamps back, if they are near their end."""
    if state.counters[ITERATION] > LAST_STAMP:
        state.counters[ITERATION] = 0
        state.node[:, STAMP] = 0
        state.trip[:, RUINED] = -1


@inner(forceinline=False)
def reject(state: State) -> None:
    """Put everything back as it was at :func:`begin`."""
    for i in range(state.counters[TOUCHED_NODES]):
        x = state.lists[TOUCHED_NODES, i]
        row = state.node[x]
        row[NEXT] = row[OLD_NEXT]
        row[PREVIOUS] = row[OLD_PREVIOUS]
        row[TRIP] = row[OLD_TRIP]
        for j in range(TIMES):
            state.time[x, j] = state.old_time[x, j]
    for i in range(state.counters[TOUCHED_TRIPS]):
        t = state.lists[TOUCHED_TRIPS, i]
        state.trip[t, SIZE] = state.trip[t, OLD_SIZE]
        for j in range(state.amount.shape[1]):
            state.amount[t, j] = state.old_amount[t, j]
    for i in range(state.counters[TOUCHED_VEHICLES]):
        v = state.lists[TOUCHED_VEHICLES, i]
        state.vehicle[v, TRIPS] = state.vehicle[v, OLD_TRIPS]
        for j in range(5):
            state.tour[v, j] = state.tour[v, 5 + j]
    # Trips come off the top of the free list and are still written there.
    state.counters[FREE] = state.counters[OLD_FREE]
    state.counters[OPEN_TRIPS] = state.counters[OLD_OPEN_TRIPS]
    state.totals[TOTAL] = state.totals[OLD_TOTAL]
    state.totals[MISSING] = state.totals[OLD_MISSING]


@inner(forceinline=False)
def accept(state: State) -> None:
    """Keep the iteration: free the emptied trips, and keep a list of who is absent."""
    for i in range(state.counters[CLOSED]):
        push(state, FREE, state.lists[CLOSED, i])
    for i in range(state.counters[REMOVED]):
        c = state.lists[REMOVED, i]
        at = state.where[c]
        if state.node[c, TRIP] < 0 and at < 0:
            state.where[c] = state.counters[ABSENT]
            push(state, ABSENT, c)
        elif state.node[c, TRIP] >= 0 and at >= 0:
            state.counters[ABSENT] -= 1
            last = state.lists[ABSENT, state.counters[ABSENT]]
            state.lists[ABSENT, at] = last
            state.where[last] = at
            state.where[c] = -1
    for i in range(state.counters[TOUCHED_NODES]):
        x = np.int64(state.lists[TOUCHED_NODES, i])
        if state.node[x, DIRTY] == 0:
            state.node[x, DIRTY] = 1
            push(state, DIRTY_NODES, x)


@inner(forceinline=False)
def save_best(state: State) -> None:
    """Copy to the best plan what differs from it."""
    for i in range(state.counters[DIRTY_NODES]):
        x = state.lists[DIRTY_NODES, i]
        state.node[x, DIRTY] = 0
        state.best_next[x] = state.node[x, NEXT]
    state.counters[DIRTY_NODES] = 0


@inner(forceinline=False)
def open_trip(data: Data, state: State, v: int, q: int, aboard: bool) -> int:
    """An empty trip of vehicle ``v`` before ``q``, which is a depot node or its end."""
    n = len(data.stop)
    state.counters[FREE] -= 1
    t = np.int64(state.lists[FREE, state.counters[FREE]])
    x, p = n + t, np.int64(state.node[q, PREVIOUS])
    touch_vehicle(data, state, v)
    touch_node(data, state, len(data.stop) + t)
    touch_node(data, state, p)
    touch_node(data, state, q)
    state.trip[t, OWNER] = v
    state.trip[t, SIZE] = 0
    state.trip[t, FIXED] = 0
    state.trip[t, IS_ABOARD] = aboard
    state.amount[t, RELEASE] = -np.inf
    for i in range(LOAD, state.amount.shape[1]):
        state.amount[t, i] = 0.0
    state.node[x, TRIP] = t
    state.node[x, PREVIOUS] = p
    state.node[x, NEXT] = q
    state.node[p, NEXT] = x
    state.node[q, PREVIOUS] = x
    from_depot = data.depot >= 0 and not aboard
    state.node[x, PLACE] = data.depot if from_depot else data.fleet[v, HOME]
    state.time[x, OPEN] = data.opens if from_depot else -np.inf
    state.time[x, CLOSE] = data.closes - data.loading if from_depot else np.inf
    state.time[x, SPENT] = data.loading if from_depot else 0.0
    state.vehicle[v, TRIPS] += 1
    state.counters[OPEN_TRIPS] += 1
    return t  # type: ignore[return-value]


@inner
def cut_out(data: Data, state: State, x: int) -> None:
    """Join the neighbours of node ``x``."""
    p, q = np.int64(state.node[x, PREVIOUS]), np.int64(state.node[x, NEXT])
    touch_node(data, state, p)
    touch_node(data, state, q)
    state.node[p, NEXT] = q
    state.node[q, PREVIOUS] = p


@inner(forceinline=False)
def unlink(data: Data, state: State, c: int) -> None:
    """Take customer ``c`` out; an emptied trip too, unless it is aboard. Times are not updated."""
    t = np.int64(state.node[c, TRIP])
    v = np.int64(state.trip[t, OWNER])
    touch_vehicle(data, state, v)
    touch_node(data, state, len(data.stop) + t)
    touch_node(data, state, c)
    cut_out(data, state, c)
    state.node[c, TRIP] = -1
    state.trip[t, SIZE] -= 1
    state.totals[MISSING] += data.stop[c, PRIORITY]
    if state.trip[t, SIZE] == 0 and state.trip[t, IS_ABOARD] == 0:
        cut_out(data, state, len(data.stop) + t)
        state.vehicle[v, TRIPS] -= 1
        state.counters[OPEN_TRIPS] -= 1
        push(state, CLOSED, t)


@inner(forceinline=False)
def link(data: Data, state: State, c: int, p: int) -> None:
    """Put customer ``c`` behind node ``p``, on its trip. Times are not updated."""
    t = np.int64(state.node[p, TRIP])
    touch_vehicle(data, state, np.int64(state.trip[t, OWNER]))
    touch_node(data, state, len(data.stop) + t)
    touch_node(data, state, c)
    touch_node(data, state, p)
    q = np.int64(state.node[p, NEXT])
    touch_node(data, state, q)
    state.node[c, TRIP] = t
    state.node[c, PREVIOUS] = p
    state.node[c, NEXT] = q
    state.node[p, NEXT] = c
    state.node[q, PREVIOUS] = c
    state.trip[t, SIZE] += 1
    state.totals[MISSING] -= data.stop[c, PRIORITY]
