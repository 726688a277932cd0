"""What is certain before the search begins: trips that are locked, and what is on board.

As much of it is kept as can be done in time and has room, the most important first. What cannot is
nobody else's, so it stays out.
"""

from __future__ import annotations

import numpy as np

from geopar.compiled.jit import inlined, inner
from geopar.search.day.cost import settle
from geopar.search.day.data import (
    ABOARD,
    CAPACITY,
    CARRIER,
    FOLLOWED_BY,
    HOME,
    LOCKED,
    NEXT_TRIP,
    PRIORITY,
    Data,
    Ints,
)
from geopar.search.day.recreate import insert_aboard
from geopar.search.day.state import (
    ABOARD_TRIP,
    LOAD,
    LOCKED_TRIP,
    NEXT,
    PLACE,
    PREVIOUS,
    REMOVED,
    SIZE,
    TRIP,
    State,
    accept,
    begin,
    end_of,
    link,
    open_trip,
    push,
    reject,
    start_of,
)
from geopar.search.day.times import refresh

# Marks of locked stops while it is found out which of them can be kept.
UNTRIED, KEPT, DROPPED = 0.0, 1.0, 2.0


@inner
def place_certain(data: Data, state: State, tasks: Ints, order: Ints) -> None:
    """What is locked or on board, as far as it can be kept.

    Parameters
    ----------
    tasks
        The stops of the given plan: goods on board are served in its sequence if they can be.
    order
        All customers, the most important first.
    """
    for v in range(len(data.fleet)):
        if data.fleet[v, LOCKED] >= 0:
            place_locked(data, state, v)
        elif data.fleet[v, ABOARD] > 0:
            place_aboard(data, state, v, tasks, order)
        else:
            begin(state)
            refresh(data, state, v)
        settle(data, state, v)
        accept(state)


@inlined
def set_out(data: Data, state: State, v: int, aboard: bool) -> None:
    """Begin anew with vehicle ``v``, which is under way or not."""
    begin(state)
    # Whoever is under way is loaded where it is: its first depot node is there.
    state.node[start_of(data, state, v), PLACE] = -1 if aboard else data.fleet[v, HOME]


@inner
def place_locked(data: Data, state: State, v: int) -> None:
    """The locked trips of vehicle ``v``, without those stops that cannot be kept."""
    count, c = 0, data.fleet[v, LOCKED]
    while c >= 0:
        state.scratch[count] = KEPT
        count += 1
        c = after(data, c)
    if drive_locked(data, state, v):
        return
    reject(data, state)
    state.scratch[:count] = UNTRIED
    for _ in range(count):
        best, best_i, c = -1.0, 0, data.fleet[v, LOCKED]
        for i in range(count):
            if state.scratch[i] == UNTRIED and data.stop[c, PRIORITY] > best:
                best, best_i = data.stop[c, PRIORITY], i
            c = after(data, c)
        state.scratch[best_i] = KEPT
        if not drive_locked(data, state, v):
            state.scratch[best_i] = DROPPED
        reject(data, state)
    drive_locked(data, state, v)


@inlined
def after(data: Data, c: int) -> int:
    """The locked stop after ``c``, on its trip or the next one, or -1."""
    following = data.task[c, FOLLOWED_BY]
    return NEXT_TRIP - following if following <= NEXT_TRIP else following  # type: ignore[no-any-return]


@inner
def drive_locked(data: Data, state: State, v: int) -> bool:
    """Put in the locked stops of vehicle ``v`` that are marked as kept; whether that is possible.

    To be accepted or rejected.
    """
    aboard = False
    if data.fleet[v, ABOARD] > 0:
        c, i = data.fleet[v, LOCKED], 0
        while c >= 0:
            aboard |= state.scratch[i] == KEPT
            i += 1
            c = data.task[c, FOLLOWED_BY]
    set_out(data, state, v, aboard)
    kind = LOCKED_TRIP | ABOARD_TRIP if aboard else LOCKED_TRIP
    c, p, i = data.fleet[v, LOCKED], np.int64(-1), 0
    while c >= 0:
        if state.scratch[i] == KEPT:
            if p < 0:
                last = np.int64(state.node[end_of(data, state, v), PREVIOUS])
                p = len(data.stop) + open_trip(data, state, v, last, np.int64(kind))
            link(data, state, c, p)
            push(state, REMOVED, c)
            p = c
        if data.task[c, FOLLOWED_BY] <= NEXT_TRIP:
            p, kind = np.int64(-1), LOCKED_TRIP
        c = after(data, c)
        i += 1
    kept = refresh(data, state, v)
    return kept and loads_fit(data, state, v)  # type: ignore[no-any-return]


@inner
def place_aboard(data: Data, state: State, v: int, tasks: Ints, order: Ints) -> None:
    """What vehicle ``v`` has on board as its first trip, without what cannot be served in time."""
    n = len(data.stop)
    set_out(data, state, v, True)
    t = open_trip(data, state, v, start_of(data, state, v), np.int64(ABOARD_TRIP))
    p = n + t
    for i in range(len(tasks)):
        c = tasks[i]
        if data.task[c, CARRIER] == v and state.node[c, TRIP] < 0:
            link(data, state, c, p)
            push(state, REMOVED, c)
            p = c
    kept = refresh(data, state, v) and loads_fit(data, state, v)
    if kept and state.node[n + t, SIZE] == data.fleet[v, ABOARD]:
        return
    reject(data, state)
    set_out(data, state, v, True)
    t = open_trip(data, state, v, start_of(data, state, v), np.int64(ABOARD_TRIP))
    refresh(data, state, v)
    for i in range(len(order)):
        if data.task[order[i], CARRIER] == v:
            push(state, REMOVED, order[i])
            insert_aboard(data, state, order[i])
    if state.node[n + t, SIZE] == 0:
        reject(data, state)
        set_out(data, state, v, False)
    refresh(data, state, v)


@inner
def loads_fit(data: Data, state: State, v: int) -> bool:
    """Whether no trip of vehicle ``v`` carries too much."""
    n = len(data.stop)
    x, end = start_of(data, state, v), end_of(data, state, v)
    while x != end:
        if n <= x < n + len(state.amount):
            for i in range(data.dimensions):
                if state.amount[x - n, LOAD + i] > data.shift[v, CAPACITY + i]:
                    return False
        x = np.int64(state.node[x, NEXT])
    return True
