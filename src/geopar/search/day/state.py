"""The plan under search: each vehicle's day as one linked list, with an exact undo.

A vehicle's list goes from its start over the depot, where a trip is loaded, the customers of that
trip, the depot again for the next one, and so on to its end. All of them are *nodes*: customers
first (``0 .. n-1``), then a depot node for each trip, then the starts and the ends of vehicles.

Every change inside an iteration first copies what it touches. Rejecting an iteration puts the
copies back; accepting it adds what was touched to the list of what differs from the best plan. So
neither costs more than what was changed, whatever the size of the instance.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import inlined, inner
from geopar.compiled.random import seed_state
from geopar.search.day.data import (
    CLOSES,
    END,
    FROM,
    HOME,
    OPENS,
    PRIORITY,
    ROW,
    SERVICE,
    TO,
    Data,
    Floats,
    Int32s,
    Ints,
    distance,
    duration,
)

# How many customers one ruin may remove at most, and how many of the absent are tried with them.
MOST_REMOVED, MOST_ABSENT = 64, 16

# Columns of ``State.node``; TRIP is -1 for whoever is absent or removed, PLACE a row of travel,
# BEST_NEXT who follows in the best plan.
NEXT, PREVIOUS, TRIP, STAMP, OLD_NEXT, OLD_PREVIOUS, OLD_TRIP, DIRTY, PLACE, BEST_NEXT = range(10)
# For customers: the place among the absent, or -1.
WHERE = 10
# For depot nodes, which are trips: vehicle, number of customers, when ruined, and what kind.
OWNER, SIZE, OLD_SIZE, RUINED, KIND, OLD_OWNER = range(10, 16)
# Kinds of trips: an ABOARD one serves what the vehicle has on board, and nobody else; a LOCKED one
# stays as it is, whatever it carries.
FREELY, ABOARD_TRIP, LOCKED_TRIP = range(3)
# Columns of ``State.time``. It is so far (WAY) and takes so long (HOP) from the node before. All
# others are about the begin of service at a node: it lies between OPEN and CLOSE, takes SPENT, and
# is at BEGIN. What follows is in time if it is not after LATEST; the
# vehicle is then done at max(begin, REST_FROM) + REST (segments: Kindervater & Savelsbergh 1997,
# Vidal et al. 2013). What comes before takes at least SPAN if the vehicle leaves at LEAVE or
# somewhat earlier. TRIP_SPAN, TRIP_FROM and TRIP_LEAVE are the same from leaving the depot on.
# Behind these are their copies.
OPEN, CLOSE, SPENT, BEGIN, LATEST, WAY, HOP, REST_FROM, REST, SPAN, LEAVE = range(11)
TRIP_SPAN, TRIP_FROM, TRIP_LEAVE = range(11, 14)
TIMES, OLD_TIMES = 14, 16
# Columns of ``State.amount``, by trip: when the last goods are released, then the load in each
# dimension; then their copies.
RELEASE, LOAD = range(2)
# Columns of ``State.tour``, by vehicle, then their copies.
FINISH, DUTY, DRIVEN, ARRIVALS, COST, TRIPS = range(6)
TOURS = 6
# Rows of ``State.lists``; the last is scratch.
FREE, TOUCHED_NODES, TOUCHED_TRIPS, TOUCHED_VEHICLES, REMOVED, CLOSED = range(6)
DIRTY_NODES, ABSENT, WALK = range(6, 9)
# Places in ``State.counters``: the lengths of those lists, and then these.
ITERATION, BLINK_IN, OLD_FREE, OPEN_TRIPS, OLD_OPEN_TRIPS, LAST_HOME = range(9, 15)
# Places in ``State.totals``. MISSING is the sum of the priorities of the absent.
TOTAL, OLD_TOTAL, MISSING, OLD_MISSING, SHARPNESS, HORIZON = range(6)
BEST_MISSING, BEST, BEST_TOTAL = range(6, 9)

CACHE_LINE = 64
# Stamps are 32 bits wide; long before they run out, all are set back.
LAST_STAMP = 1 << 30


class State(NamedTuple):
    """All that changes; ``-1`` stands for none."""

    node: Int32s
    time: Floats
    amount: Floats
    tour: Floats
    lists: Int32s
    scratch: Floats
    counters: Ints
    totals: Floats
    random: NDArray[np.uint64]


def _in_lines(shape: tuple[int, int], kind: Any) -> NDArray[Any]:
    """Zeros, each row of which begins with a cache line."""
    size = np.dtype(kind).itemsize
    line = CACHE_LINE // size
    flat = np.zeros(shape[0] * shape[1] + line, dtype=kind)
    first = -(flat.ctypes.data // size) % line
    return flat[first : first + shape[0] * shape[1]].reshape(shape)


def empty_state(data: Data, seed: int) -> State:
    """Everybody absent, nobody on the road."""
    n, m = len(data.stop), len(data.fleet)
    slots = n + 2 * (MOST_REMOVED + MOST_ABSENT) + m
    nodes = n + slots + 2 * m
    state = State(
        node=_in_lines((nodes, 16), np.int32),
        time=_in_lines((nodes, 2 * OLD_TIMES), np.float64),
        amount=np.zeros((slots, 2 * (1 + data.dimensions))),
        tour=np.zeros((m, 16)),
        lists=np.zeros((9, nodes), dtype=np.int32),
        scratch=np.zeros(nodes),
        counters=np.zeros(15, dtype=np.int64),
        totals=np.zeros(9),
        random=seed_state(seed),
    )
    state.node[:] = -1
    state.node[:, [STAMP, DIRTY]] = 0
    state.node[:n, PLACE] = data.task[:n, ROW]
    state.time[:n, OPEN] = data.stop[:, OPENS]
    state.time[:n, CLOSE] = data.stop[:, CLOSES]
    state.time[:n, SPENT] = data.stop[:, SERVICE]
    start, end = n + slots, n + slots + m
    state.node[start:end, PLACE] = data.fleet[:, HOME]
    state.node[end:, PLACE] = data.fleet[:, END]
    state.node[start:end, NEXT] = state.node[start:end, BEST_NEXT] = np.arange(end, end + m)
    state.node[end:, PREVIOUS] = np.arange(start, end)
    state.time[start:end, OPEN] = state.time[start:end, BEGIN] = data.shift[:, FROM]
    state.time[start:end, CLOSE] = state.time[start:end, LEAVE] = data.shift[:, TO]
    at_depot = (data.depot >= 0) & (data.fleet[:, END] == data.depot)
    closes = np.where(at_depot, np.minimum(data.shift[:, TO], data.closes), data.shift[:, TO])
    state.time[end:, CLOSE] = state.time[end:, LATEST] = closes
    state.time[end:, [OPEN, REST_FROM]] = -np.inf
    state.lists[FREE, :slots] = np.arange(slots - 1, -1, -1)
    state.counters[FREE] = slots
    state.lists[ABSENT, :n] = state.node[:n, WHERE] = np.arange(n)
    state.counters[ABSENT] = n
    state.totals[MISSING] = data.stop[:, PRIORITY].sum()
    return state


@inlined
def start_of(data: Data, state: State, v: int) -> int:
    """The node at which vehicle ``v`` begins."""
    return len(data.stop) + len(state.amount) + v


@inlined
def end_of(data: Data, state: State, v: int) -> int:
    """The node at which vehicle ``v`` ends."""
    return len(data.stop) + len(state.amount) + len(data.fleet) + v


@inlined
def push(state: State, row: int, item: int) -> None:
    """Add to one of the lists."""
    state.lists[row, state.counters[row]] = item
    state.counters[row] += 1


@inlined
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
            state.time[x, OLD_TIMES + i] = state.time[x, i]
        t = x - len(data.stop)
        if 0 <= t < len(state.amount):
            push(state, TOUCHED_TRIPS, t)
            row[OLD_SIZE] = row[SIZE]
            row[OLD_OWNER] = row[OWNER]
            for i in range(1 + data.dimensions):
                state.amount[t, 1 + data.dimensions + i] = state.amount[t, i]


@inlined
def touch_vehicle(data: Data, state: State, v: int) -> None:
    """Copy vehicle ``v`` and its start for the undo, once an iteration."""
    x = start_of(data, state, v)
    if state.node[x, STAMP] != state.counters[ITERATION]:
        touch_node(data, state, x)
        push(state, TOUCHED_VEHICLES, v)
        for i in range(TOURS):
            state.tour[v, TOURS + i] = state.tour[v, i]


@inlined
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


@inner
def renew_stamps(data: Data, state: State) -> None:
    """Set all stamps back, if they are near their end."""
    if state.counters[ITERATION] > LAST_STAMP:
        state.counters[ITERATION] = 0
        state.node[:, STAMP] = 0
        trips = slice(len(data.stop), len(data.stop) + len(state.amount))
        state.node[trips, RUINED] = -1


@inner
def reject(data: Data, state: State) -> None:
    """Put everything back as it was at :func:`begin`."""
    for i in range(state.counters[TOUCHED_NODES]):
        x = state.lists[TOUCHED_NODES, i]
        row = state.node[x]
        row[NEXT] = row[OLD_NEXT]
        row[PREVIOUS] = row[OLD_PREVIOUS]
        row[TRIP] = row[OLD_TRIP]
        for j in range(TIMES):
            state.time[x, j] = state.time[x, OLD_TIMES + j]
    for i in range(state.counters[TOUCHED_TRIPS]):
        t = state.lists[TOUCHED_TRIPS, i]
        row = state.node[len(data.stop) + t]
        row[SIZE] = row[OLD_SIZE]
        row[OWNER] = row[OLD_OWNER]
        for j in range(1 + data.dimensions):
            state.amount[t, j] = state.amount[t, 1 + data.dimensions + j]
    for i in range(state.counters[TOUCHED_VEHICLES]):
        v = state.lists[TOUCHED_VEHICLES, i]
        for j in range(TOURS):
            state.tour[v, j] = state.tour[v, TOURS + j]
    # Trips come off the top of the free list and are still written there.
    state.counters[FREE] = state.counters[OLD_FREE]
    state.counters[OPEN_TRIPS] = state.counters[OLD_OPEN_TRIPS]
    state.totals[TOTAL] = state.totals[OLD_TOTAL]
    state.totals[MISSING] = state.totals[OLD_MISSING]


@inner
def accept(state: State) -> None:
    """Keep the iteration: free the emptied trips, and keep a list of who is absent."""
    for i in range(state.counters[CLOSED]):
        push(state, FREE, state.lists[CLOSED, i])
    for i in range(state.counters[REMOVED]):
        c = state.lists[REMOVED, i]
        at = state.node[c, WHERE]
        if state.node[c, TRIP] < 0 and at < 0:
            state.node[c, WHERE] = state.counters[ABSENT]
            push(state, ABSENT, c)
        elif state.node[c, TRIP] >= 0 and at >= 0:
            state.counters[ABSENT] -= 1
            last = state.lists[ABSENT, state.counters[ABSENT]]
            state.lists[ABSENT, at] = last
            state.node[last, WHERE] = at
            state.node[c, WHERE] = -1
    for i in range(state.counters[TOUCHED_NODES]):
        x = np.int64(state.lists[TOUCHED_NODES, i])
        if state.node[x, DIRTY] == 0:
            state.node[x, DIRTY] = 1
            push(state, DIRTY_NODES, x)


@inner
def save_best(state: State) -> None:
    """Copy to the best plan what differs from it."""
    for i in range(state.counters[DIRTY_NODES]):
        x = state.lists[DIRTY_NODES, i]
        state.node[x, DIRTY] = 0
        state.node[x, BEST_NEXT] = state.node[x, NEXT]
    state.counters[DIRTY_NODES] = 0


@inlined
def join(data: Data, state: State, v: int, x: int, y: int) -> None:
    """Let node ``y`` follow node ``x``, both touched, on the list of vehicle ``v``."""
    state.node[x, NEXT] = y
    state.node[y, PREVIOUS] = x
    i, j = np.int64(state.node[x, PLACE]), np.int64(state.node[y, PLACE])
    state.time[y, WAY] = distance(data, v, i, j)
    state.time[y, HOP] = duration(data, v, i, j)


@inner
def put_in(data: Data, state: State, v: int, p: int, x: int) -> None:
    """Put node ``x`` behind node ``p`` of vehicle ``v``."""
    q = np.int64(state.node[p, NEXT])
    touch_vehicle(data, state, v)
    touch_node(data, state, p)
    touch_node(data, state, x)
    touch_node(data, state, q)
    join(data, state, v, p, x)
    join(data, state, v, x, q)


@inner
def cut_out(data: Data, state: State, v: int, x: int) -> None:
    """Join the neighbours of node ``x`` of vehicle ``v``."""
    p, q = np.int64(state.node[x, PREVIOUS]), np.int64(state.node[x, NEXT])
    touch_vehicle(data, state, v)
    touch_node(data, state, p)
    touch_node(data, state, x)
    touch_node(data, state, q)
    join(data, state, v, p, q)


@inner
def open_trip(data: Data, state: State, v: int, p: int, kind: int) -> int:
    """An empty trip of vehicle ``v`` behind ``p``, with which a trip ends, or its start."""
    n = len(data.stop)
    state.counters[FREE] -= 1
    t = np.int64(state.lists[FREE, state.counters[FREE]])
    x = n + t
    touch_node(data, state, x)
    state.node[x, TRIP] = t
    state.node[x, OWNER] = v
    state.node[x, SIZE] = 0
    state.node[x, KIND] = kind
    from_depot = data.depot >= 0 and kind & ABOARD_TRIP == 0
    state.node[x, PLACE] = data.depot if from_depot else data.fleet[v, HOME]
    state.time[x, OPEN] = data.opens if from_depot else -np.inf
    state.time[x, CLOSE] = data.closes - data.loading if from_depot else np.inf
    state.time[x, SPENT] = data.loading if from_depot else 0.0
    # Who begins at the moment that is written there already is passed over later.
    state.time[x, TRIP_SPAN] = -state.time[x, SPENT]
    state.time[x, TRIP_FROM] = -np.inf
    state.time[x, TRIP_LEAVE] = np.inf
    state.amount[t, RELEASE] = -np.inf
    for i in range(data.dimensions):
        state.amount[t, LOAD + i] = 0.0
    put_in(data, state, v, p, x)
    state.tour[v, TRIPS] += 1.0
    state.counters[OPEN_TRIPS] += 1
    return t  # type: ignore[return-value]


@inner
def unlink(data: Data, state: State, c: int) -> None:
    """Take customer ``c`` out; an emptied trip too, unless it is aboard. Times are not updated."""
    x = len(data.stop) + np.int64(state.node[c, TRIP])
    v = np.int64(state.node[x, OWNER])
    cut_out(data, state, v, c)
    touch_node(data, state, x)
    state.node[c, TRIP] = -1
    state.node[x, SIZE] -= 1
    state.totals[MISSING] += data.stop[c, PRIORITY]
    if state.node[x, SIZE] == 0 and state.node[x, KIND] == FREELY:
        cut_out(data, state, v, x)
        state.tour[v, TRIPS] -= 1.0
        state.counters[OPEN_TRIPS] -= 1
        push(state, CLOSED, x - len(data.stop))


@inner
def link(data: Data, state: State, c: int, p: int) -> None:
    """Put customer ``c`` behind node ``p``, on its trip. Times are not updated."""
    t = np.int64(state.node[p, TRIP])
    x = len(data.stop) + t
    touch_node(data, state, x)
    put_in(data, state, np.int64(state.node[x, OWNER]), p, c)
    state.node[c, TRIP] = t
    state.node[x, SIZE] += 1
    state.totals[MISSING] -= data.stop[c, PRIORITY]
