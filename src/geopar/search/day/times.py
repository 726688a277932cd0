"""How time goes along a vehicle's list: forwards, backwards, and on duty.

See :mod:`geopar.problems.day` for the rules, and :mod:`geopar.search.day.state` for what is kept.
"""

from __future__ import annotations

import numpy as np

from geopar.compiled.jit import inlined, inner
from geopar.search.day.data import ARRIVALS as BY_ARRIVALS
from geopar.search.day.data import (
    DEMAND,
    FIRST_WINDOW,
    FROM,
    LONGEST,
    MOST_TRIPS,
    RELEASED,
    Data,
)
from geopar.search.day.state import (
    ABOARD_TRIP,
    ARRIVALS,
    BEGIN,
    CLOSE,
    DRIVEN,
    DUTY,
    FINISH,
    HOP,
    KIND,
    LATEST,
    LEAVE,
    LOAD,
    NEXT,
    OPEN,
    OWNER,
    PREVIOUS,
    RELEASE,
    REST,
    REST_FROM,
    SIZE,
    SPAN,
    SPENT,
    TRIP,
    TRIP_FROM,
    TRIP_LEAVE,
    TRIP_SPAN,
    TRIPS,
    WAY,
    State,
    end_of,
    start_of,
    touch_node,
    touch_vehicle,
)


@inlined
def first_moment(data: Data, x: int, now: float, opens: float) -> float:
    """When service can begin at node ``x`` for who is there now; later than it closes if never."""
    if data.several and x < len(data.stop):
        for i in range(data.task[x, FIRST_WINDOW], data.task[x + 1, FIRST_WINDOW]):
            if now <= data.window[i, 1]:
                return max(now, data.window[i, 0])  # type: ignore[no-any-return]
    return max(now, opens)


@inlined
def last_moment(data: Data, x: int, limit: float) -> float:
    """The last moment inside a window of node ``x`` up to ``limit``; below it opens if none."""
    if data.several and x < len(data.stop):
        first, last = data.task[x, FIRST_WINDOW], data.task[x + 1, FIRST_WINDOW]
        for i in range(last - 1, first - 1, -1):
            # Who is there when it opens may seem a hair early after rounding.
            if data.window[i, 2] <= limit:
                return max(data.window[i, 0], min(limit, data.window[i, 1]))  # type: ignore[no-any-return]
        if last > first:
            return -np.inf
    return limit


@inlined
def opening(data: Data, state: State, x: int, release: float) -> float:
    """When loading can begin at depot node ``x``, for goods that are there at ``release``."""
    if state.node[x, KIND] & ABOARD_TRIP != 0:
        return -np.inf
    soonest = data.opens if data.depot >= 0 else -np.inf
    return max(soonest, release - state.time[x, SPENT])  # type: ignore[no-any-return]


@inlined
def pass_on(data: Data, state: State, x: int, y: int) -> bool:
    """Bring up to date what node ``y`` knows of what comes before, by ``x``; whether it differs."""
    n = len(data.stop)
    step = state.time[x, SPENT] + state.time[y, HOP]
    opens = state.time[y, OPEN]
    begin = first_moment(data, y, state.time[x, BEGIN] + step, opens)
    differs = begin != state.time[y, BEGIN]
    span, leave = 0.0, 0.0
    if data.duties:
        leave = state.time[x, LEAVE]
        span = state.time[x, SPAN] + step
        span += max(0.0, opens - leave - span)
        leave = min(leave, state.time[y, CLOSE] - span)
        differs |= span != state.time[y, SPAN] or leave != state.time[y, LEAVE]
    # Counted from leaving, when all is loaded.
    trip_span, trip_from, trip_leave = -state.time[y, SPENT], -np.inf, np.inf
    if data.releases and y < n:
        trip_span = state.time[x, TRIP_SPAN] + step
        trip_leave = state.time[x, TRIP_LEAVE]
        wait = max(0.0, opens - trip_leave - trip_span)
        trip_from = max(opens - trip_span, state.time[x, TRIP_FROM]) - wait
        trip_span += wait
        trip_leave = min(trip_leave, state.time[y, CLOSE] - trip_span)
        differs |= trip_span != state.time[y, TRIP_SPAN]
        differs |= trip_from != state.time[y, TRIP_FROM]
        differs |= trip_leave != state.time[y, TRIP_LEAVE]
    if differs:
        touch_node(data, state, y)
        state.time[y, BEGIN] = begin
        state.time[y, SPAN] = span
        state.time[y, LEAVE] = leave
        state.time[y, TRIP_SPAN] = trip_span
        state.time[y, TRIP_FROM] = trip_from
        state.time[y, TRIP_LEAVE] = trip_leave
    return differs  # type: ignore[no-any-return]


@inlined
def pass_back(data: Data, state: State, x: int, y: int) -> bool:
    """Bring up to date what node ``x`` knows of what follows, by ``y``; whether it differs."""
    step = state.time[x, SPENT] + state.time[y, HOP]
    close = state.time[x, CLOSE]
    latest = last_moment(data, x, min(close, state.time[y, LATEST] - step))
    differs = latest != state.time[x, LATEST]
    rest, rest_from = 0.0, 0.0
    if data.rests:
        rest_from = state.time[y, REST_FROM]
        rest = step + max(0.0, rest_from - close - step) + state.time[y, REST]
        rest_from = min(close, max(state.time[x, OPEN], rest_from - step))
        differs |= rest != state.time[x, REST] or rest_from != state.time[x, REST_FROM]
    if differs:
        touch_node(data, state, x)
        state.time[x, LATEST] = latest
        state.time[x, REST] = rest
        state.time[x, REST_FROM] = rest_from
    return differs  # type: ignore[no-any-return]


@inner
def load_trip(data: Data, state: State, t: int) -> None:
    """Sum up what trip ``t`` carries, and when it can leave."""
    n = len(data.stop)
    touch_node(data, state, n + t)
    for i in range(data.dimensions):
        state.amount[t, LOAD + i] = 0.0
    release = -np.inf
    c = np.int64(state.node[n + t, NEXT])
    while c < n:
        release = max(release, data.stop[c, RELEASED])
        for i in range(data.dimensions):
            state.amount[t, LOAD + i] += data.stop[c, DEMAND + i]
        c = np.int64(state.node[c, NEXT])
    state.amount[t, RELEASE] = release
    state.time[n + t, OPEN] = opening(data, state, n + t, release)


@inner
def refresh(data: Data, state: State, v: int) -> bool:
    """Bring everything about vehicle ``v`` but its cost up to date; whether it keeps all limits.

    Only capacity and who may serve whom are not asked for.
    """
    touch_vehicle(data, state, v)
    n, slots = len(data.stop), len(state.amount)
    start, end = start_of(data, state, v), end_of(data, state, v)
    driven, arrivals, kept = 0.0, 0.0, True
    x = start
    while x != end and state.tour[v, TRIPS] > 0.0:
        y = np.int64(state.node[x, NEXT])
        if n <= y < n + slots:
            load_trip(data, state, y - n)
        pass_on(data, state, x, y)
        kept &= state.time[y, BEGIN] <= state.time[y, CLOSE]
        driven += state.time[y, WAY]
        if y < n:
            arrivals += state.time[y, BEGIN] - data.dawn
        x = y
    state.tour[v, DRIVEN] = driven
    state.tour[v, ARRIVALS] = arrivals
    state.tour[v, FINISH] = state.time[end, BEGIN] if x == end else 0.0
    while x != start:
        y = x
        x = np.int64(state.node[y, PREVIOUS])
        pass_back(data, state, x, y)
    state.tour[v, DUTY] = duty_of(data, state, v)
    kept &= not data.duties or state.tour[v, DUTY] <= data.shift[v, LONGEST]
    return kept and state.tour[v, TRIPS] <= data.fleet[v, MOST_TRIPS]


@inner
def inserted(data: Data, state: State, c: int, added: float) -> None:
    """Bring times and amounts up to date after customer ``c`` was linked, as far as they change.

    Parameters
    ----------
    added
        By how much the way is longer.
    """
    n = len(data.stop)
    t = np.int64(state.node[c, TRIP])
    depot = n + t
    v = np.int64(state.node[depot, OWNER])
    start, end = start_of(data, state, v), end_of(data, state, v)
    for i in range(data.dimensions):
        state.amount[t, LOAD + i] += data.stop[c, DEMAND + i]
    x, q = np.int64(state.node[c, PREVIOUS]), np.int64(state.node[c, NEXT])
    state.tour[v, DRIVEN] += added
    state.tour[v, ARRIVALS] += state.time[c, BEGIN] - data.dawn
    if state.node[depot, SIZE] == 1:
        x = np.int64(state.node[depot, PREVIOUS])  # the trip is new
    if data.stop[c, RELEASED] > state.amount[t, RELEASE]:
        state.amount[t, RELEASE] = data.stop[c, RELEASED]
        state.time[depot, OPEN] = opening(data, state, depot, data.stop[c, RELEASED])
        x = np.int64(state.node[depot, PREVIOUS])
    # Whatever is the same in between: what comes before a depot that opens later has to know.
    outer = x
    passed = False
    while x != end:
        y = np.int64(state.node[x, NEXT])
        before = state.time[y, BEGIN]
        differs = pass_on(data, state, x, y)
        if y < n:
            state.tour[v, ARRIVALS] += state.time[y, BEGIN] - before
        if passed and not differs:
            break
        passed |= y == c
        x = y
    state.tour[v, FINISH] = state.time[end, BEGIN]
    y, x = q, c  # type: ignore[assignment]
    passed = False
    while y != start:
        differs = pass_back(data, state, x, y)
        passed |= x == outer
        if passed and not differs:
            break
        y = x
        x = np.int64(state.node[x, PREVIOUS])
    state.tour[v, DUTY] = duty_of(data, state, v)


@inner
def duty_of(data: Data, state: State, v: int) -> float:
    """How long vehicle ``v`` is on duty if it leaves as late as it can, where that matters."""
    if not data.duties or state.tour[v, TRIPS] == 0.0:
        return 0.0
    start, y = start_of(data, state, v), end_of(data, state, v)
    if not data.several and data.goal != BY_ARRIVALS:
        return state.time[start, REST]  # type: ignore[no-any-return]
    if data.goal == BY_ARRIVALS:
        # Nobody is served later: only who comes first can still be waited for at home.
        y = np.int64(state.node[state.node[start, NEXT], NEXT])
    moment = state.time[y, BEGIN]
    while y != start:
        x = np.int64(state.node[y, PREVIOUS])
        moment -= state.time[x, SPENT] + state.time[y, HOP]
        moment = min(state.time[x, CLOSE], last_moment(data, x, moment))
        moment = max(moment, state.time[x, BEGIN])
        y = x
    return state.tour[v, FINISH] - max(moment, data.shift[v, FROM])  # type: ignore[no-any-return]
