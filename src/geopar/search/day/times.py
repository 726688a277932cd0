"""How time goes along a vehicle's list: forwards, backwards, and on duty.

See :mod:`geopar.problems.day` for the rules, and :mod:`geopar.search.day.state` for what is kept.
"""

from __future__ import annotations

import numpy as np

from geopar.compiled.jit import inlined, inner
from geopar.search.day.data import (
    ARRIVALS as BY_ARRIVALS,
)
from geopar.search.day.data import (
    FROM,
    LONGEST,
    MOST_TRIPS,
    RELEASED,
    TO,
    Data,
    distance,
    duration,
)
from geopar.search.day.state import (
    ARRIVALS,
    BEGIN,
    CLOSE,
    DRIVEN,
    DUTY,
    FINISH,
    IS_ABOARD,
    LATEST,
    LEAVE,
    LOAD,
    NEXT,
    OPEN,
    PLACE,
    PREVIOUS,
    RELEASE,
    REST,
    REST_FROM,
    SPAN,
    SPENT,
    TRIP_FROM,
    TRIP_LEAVE,
    TRIP_SPAN,
    TRIPS,
    State,
    end_of,
    start_of,
    touch_node,
    touch_vehicle,
)


@inlined
def leg_time(data: Data, state: State, v: int, x: int, y: int) -> float:
    """How long vehicle ``v`` takes between two nodes."""
    return duration(data, v, state.node[x, PLACE], state.node[y, PLACE])  # type: ignore[no-any-return]


@inlined
def leg_length(data: Data, state: State, v: int, x: int, y: int) -> float:
    """How far it is for vehicle ``v`` between two nodes."""
    return distance(data, v, state.node[x, PLACE], state.node[y, PLACE])  # type: ignore[no-any-return]


@inner
def first_moment(data: Data, x: int, now: float, opens: float) -> float:
    """When service can begin at node ``x`` for who is there now; later than it closes if never."""
    if data.several and x < len(data.stop):
        for i in range(data.first_window[x], data.first_window[x + 1]):
            if now <= data.window[i, 1]:
                return max(now, data.window[i, 0])  # type: ignore[no-any-return]
    return max(now, opens)


@inner
def last_moment(data: Data, x: int, limit: float) -> float:
    """The last moment inside a window of node ``x`` up to ``limit``; below it opens if none."""
    if data.several and x < len(data.stop):
        for i in range(data.first_window[x + 1] - 1, data.first_window[x] - 1, -1):
            if data.window[i, 0] <= limit:
                return min(limit, data.window[i, 1])  # type: ignore[no-any-return]
        if data.first_window[x + 1] > data.first_window[x]:
            return -np.inf
    return limit


@inner(forceinline=False)
def refresh(data: Data, state: State, v: int) -> bool:
    """Bring everything about vehicle ``v`` but its cost up to date; whether it keeps all limits.

    Only capacity and who may serve whom are not asked for.
    """
    touch_vehicle(data, state, v)
    if state.vehicle[v, TRIPS] == 0:
        rest(data, state, v)
        return True
    kept = forwards(data, state, v)
    kept &= backwards(data, state, v)
    state.tour[v, DUTY] = duty_of(data, state, v)
    kept &= state.tour[v, DUTY] <= data.shift[v, LONGEST]
    return kept and state.vehicle[v, TRIPS] <= data.fleet[v, MOST_TRIPS]  # type: ignore[no-any-return]


@inner
def rest(data: Data, state: State, v: int) -> None:
    """Vehicle ``v`` stays where it is."""
    for i in range(ARRIVALS + 1):
        state.tour[v, i] = 0.0
    start, end = start_of(data, state, v), end_of(data, state, v)
    touch_node(data, state, end)
    state.time[start, SPAN] = 0.0
    state.time[start, LEAVE] = data.shift[v, TO]
    state.time[end, LATEST] = state.time[end, CLOSE]
    state.time[end, REST] = 0.0
    state.time[end, REST_FROM] = -np.inf


@inner
def load_trip(data: Data, state: State, t: int) -> None:
    """Sum up what trip ``t`` carries, and when it can leave."""
    n = len(data.stop)
    for i in range(1 + data.demand.shape[1]):
        state.amount[t, i] = 0.0
    release = -np.inf
    c = np.int64(state.node[n + t, NEXT])
    while c < n:
        release = max(release, data.stop[c, RELEASED])
        for i in range(data.demand.shape[1]):
            state.amount[t, LOAD + i] += data.demand[c, i]
        c = np.int64(state.node[c, NEXT])
    if state.trip[t, IS_ABOARD] == 1:
        release = -np.inf
    state.amount[t, RELEASE] = release
    state.time[n + t, OPEN] = opening(data, state, n + t, release)


@inner
def opening(data: Data, state: State, x: int, release: float) -> float:
    """When loading can begin at depot node ``x``, for goods that are there at ``release``."""
    if state.trip[x - len(data.stop), IS_ABOARD] == 1:
        return -np.inf
    soonest = data.opens if data.depot >= 0 else -np.inf
    return max(soonest, release - state.time[x, SPENT])  # type: ignore[no-any-return]


@inner(forceinline=False)
def forwards(data: Data, state: State, v: int) -> bool:
    """When service begins everywhere; whether nobody is served too late."""
    n, slots = len(data.stop), len(state.trip)
    x = start_of(data, state, v)
    state.time[x, SPAN] = 0.0
    state.time[x, LEAVE] = state.time[x, CLOSE]
    driven, arrivals, kept = 0.0, 0.0, True
    end = end_of(data, state, v)
    while x != end:
        y = np.int64(state.node[x, NEXT])
        touch_node(data, state, y)
        if n <= y < n + slots:
            load_trip(data, state, y - n)
        past = state.time[x]
        now = state.time[y]
        step = past[SPENT] + leg_time(data, state, v, x, y)
        now[BEGIN] = first_moment(data, y, past[BEGIN] + step, now[OPEN])
        kept &= now[BEGIN] <= now[CLOSE]
        driven += leg_length(data, state, v, x, y)
        if y < n:
            arrivals += now[BEGIN] - data.dawn
        if data.duties:
            span = past[SPAN] + step
            now[SPAN] = span + max(0.0, now[OPEN] - past[LEAVE] - span)
            now[LEAVE] = min(past[LEAVE], now[CLOSE] - now[SPAN])
        if data.releases:
            if y >= n:
                # Counted from leaving, when all is loaded.
                now[TRIP_SPAN] = -now[SPENT]
                now[TRIP_FROM] = -np.inf
                now[TRIP_LEAVE] = np.inf
            else:
                span = past[TRIP_SPAN] + step
                wait = max(0.0, now[OPEN] - past[TRIP_LEAVE] - span)
                now[TRIP_SPAN] = span + wait
                now[TRIP_FROM] = max(now[OPEN] - span, past[TRIP_FROM]) - wait
                now[TRIP_LEAVE] = min(past[TRIP_LEAVE], now[CLOSE] - now[TRIP_SPAN])
        x = y
    state.tour[v, FINISH] = state.time[end, BEGIN]
    state.tour[v, DRIVEN] = driven
    state.tour[v, ARRIVALS] = arrivals
    return kept


@inner(forceinline=False)
def backwards(data: Data, state: State, v: int) -> bool:
    """How late service may begin everywhere, and what the rest takes then."""
    y = end_of(data, state, v)
    start = start_of(data, state, v)
    state.time[y, LATEST] = state.time[y, CLOSE]
    state.time[y, REST] = 0.0
    state.time[y, REST_FROM] = -np.inf
    kept = True
    while y != start:
        x = np.int64(state.node[y, PREVIOUS])
        now = state.time[x]
        then = state.time[y]
        step = now[SPENT] + leg_time(data, state, v, x, y)
        now[LATEST] = last_moment(data, x, min(now[CLOSE], then[LATEST] - step))
        kept &= now[LATEST] >= now[OPEN]
        now[REST] = step + max(0.0, then[REST_FROM] - now[CLOSE] - step) + then[REST]
        now[REST_FROM] = min(now[CLOSE], max(now[OPEN], then[REST_FROM] - step))
        y = x
    return kept


@inner(forceinline=False)
def duty_of(data: Data, state: State, v: int) -> float:
    """How long vehicle ``v`` is on duty if it leaves as late as it can."""
    start, end = start_of(data, state, v), end_of(data, state, v)
    if not data.several and data.goal != BY_ARRIVALS:
        return state.time[start, REST]  # type: ignore[no-any-return]
    y, finish = end, state.tour[v, FINISH]
    if data.goal == BY_ARRIVALS:
        # Nobody is served later: only who comes first can still be waited for at home.
        y = np.int64(state.node[state.node[start, NEXT], NEXT])
    moment = state.time[y, BEGIN]
    while y != start:
        x = np.int64(state.node[y, PREVIOUS])
        moment -= state.time[x, SPENT] + leg_time(data, state, v, x, y)
        moment = min(state.time[x, CLOSE], last_moment(data, x, moment))
        y = x
    return finish - max(moment, data.shift[v, FROM])  # type: ignore[no-any-return]
