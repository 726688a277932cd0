"""What it would add to the cost to serve a customer between two nodes.

Where everybody has one window at most and arrivals are not the goal, segments tell at once;
otherwise the vehicle is followed.
"""

from __future__ import annotations

import numpy as np

from geopar.compiled.jit import inner
from geopar.search.day.cost import LEGS_A_HORIZON, TIE, cost_of, weight
from geopar.search.day.data import ARRIVALS as BY_ARRIVALS
from geopar.search.day.data import (
    DISTANCE,
    FROM,
    LONGEST,
    MAKESPAN,
    RELEASED,
    Data,
    distance,
    duration,
)
from geopar.search.day.state import (
    BEGIN,
    CLOSE,
    COST,
    DRIVEN,
    FINISH,
    LATEST,
    LEAVE,
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
    start_of,
)
from geopar.search.day.times import first_moment, last_moment, opening


@inner(forceinline=False)
def judge(data: Data, state: State, c: int, p: int, q: int, v: int, t: int, most: float) -> float:
    """What serving ``c`` between nodes ``p`` and ``q`` of vehicle ``v`` adds to the cost.

    Parameters
    ----------
    t
        On this trip, or -1 for a trip of its own.
    most
        Infinite is returned for what is not feasible, and may be for what adds this much.
    """
    n = len(data.stop)
    here, there = np.int64(state.node[p, PLACE]), np.int64(state.node[q, PLACE])
    place = np.int64(state.node[c, PLACE])
    idle = state.vehicle[v, TRIPS] == 0
    depot = data.depot if data.depot >= 0 else here
    added = distance(data, v, place, there)
    if t < 0:
        added += distance(data, v, here, depot) + distance(data, v, depot, place)
    else:
        added += distance(data, v, here, place)
    if not idle:
        added -= distance(data, v, here, there)
    way = added * data.per_length
    if data.goal == DISTANCE and way >= most:
        return np.inf  # type: ignore[no-any-return]
    # In time without what comes before p being later?
    past, mine, rest = state.time[p], state.time[c], state.time[q]
    now, span, leave, spent = past[BEGIN], past[SPAN], past[LEAVE], past[SPENT]
    later = False
    if t < 0:
        step = spent + duration(data, v, here, depot)
        loading = data.loading if data.depot >= 0 else 0.0
        opens, closes = data.stop[c, RELEASED] - loading, np.inf
        if data.depot >= 0:
            opens, closes = max(data.opens, opens), data.closes - loading
        now = max(now + step, opens)
        if now > closes:
            return np.inf  # type: ignore[no-any-return]
        if data.duties:
            span += step
            span += max(0.0, opens - leave - span)
            leave = min(leave, closes - span)
        spent, here = loading, depot
    elif data.releases and data.stop[c, RELEASED] > state.amount[t, RELEASE]:
        x = n + t
        d = np.int64(state.node[x, PREVIOUS])
        opens = opening(data, state, x, data.stop[c, RELEASED])
        before = state.time[d]
        step = before[SPENT] + duration(data, v, state.node[d, PLACE], state.node[x, PLACE])
        arrival = max(before[BEGIN] + step, opens)
        if arrival > state.time[x, LATEST]:
            return np.inf  # type: ignore[no-any-return]
        later = True
        if data.duties:
            span = before[SPAN] + step
            span += max(0.0, opens - before[LEAVE] - span)
            leave = min(before[LEAVE], state.time[x, CLOSE] - span)
        if p == x:
            now = arrival
        elif not data.several:
            loaded = state.time[x, SPENT]
            arrival += loaded
            if arrival > past[TRIP_LEAVE]:
                return np.inf  # type: ignore[no-any-return]
            now = max(arrival, past[TRIP_FROM]) + past[TRIP_SPAN]
            if data.duties:
                span += loaded
                wait = max(0.0, past[TRIP_FROM] - leave - span)
                leave = min(leave, past[TRIP_LEAVE] - span)
                span += wait + past[TRIP_SPAN]
    step = spent + duration(data, v, here, place)
    now = first_moment(data, c, now + step, mine[OPEN])
    if now > mine[CLOSE]:
        return np.inf  # type: ignore[no-any-return]
    onward = mine[SPENT] + duration(data, v, place, there)
    arrival = now + onward
    if arrival > rest[LATEST]:
        return np.inf  # type: ignore[no-any-return]
    if data.several or data.goal == BY_ARRIVALS:
        if data.goal == DISTANCE and not data.duties and not later:
            return way
        return followed(data, state, c, p, v, t, added)  # type: ignore[no-any-return]
    if data.duties:
        span += step
        span += max(0.0, mine[OPEN] - leave - span)
        leave = min(leave, mine[CLOSE] - span)
        span += onward
        duty = span + max(0.0, rest[REST_FROM] - leave - span) + rest[REST]
        if duty > data.shift[v, LONGEST]:
            return np.inf  # type: ignore[no-any-return]
        if data.goal != DISTANCE and data.goal != MAKESPAN:
            old = 0.0 if idle else state.time[start_of(data, state, v), REST]
            return (duty - old) * data.per_time + TIE * way  # type: ignore[no-any-return]
    if data.goal == DISTANCE:
        return way
    # No cheaper than its way, which is cheap to know.
    if way / LEGS_A_HORIZON >= most:
        return np.inf  # type: ignore[no-any-return]
    finish = max(arrival, rest[REST_FROM]) + rest[REST]
    old = 0.0 if idle else weight(data, state, v, state.tour[v, FINISH])
    return weight(data, state, v, finish) - old + way / LEGS_A_HORIZON  # type: ignore[no-any-return]


@inner(forceinline=False)
def followed(data: Data, state: State, c: int, p: int, v: int, t: int, added: float) -> float:
    """As :func:`judge`, by following the vehicle from its start to its end and back."""
    n, slots = len(data.stop), len(state.trip)
    start = start_of(data, state, v)
    x, count, inserted = start, 0, 0
    place, now = np.int64(state.node[start, PLACE]), data.shift[v, FROM]
    arrivals, first, y = 0.0, -1, 0
    release = data.stop[c, RELEASED]
    # A trip of its own is numbered -1 in the walk.
    while y < n + slots:
        if x == p and inserted == 0:
            y = -1 if t < 0 else c
            inserted = 1 if t < 0 else 2
        elif inserted == 1:
            y = c
            inserted = 2
        else:
            x = y = np.int64(state.node[x, NEXT])
        if y >= 0:
            there = np.int64(state.node[y, PLACE])
        else:
            there = data.depot if data.depot >= 0 else place
        now += duration(data, v, place, there)
        place = there
        if y < 0:
            loading = data.loading if data.depot >= 0 else 0.0
            begin = max(now, release - loading)
            if data.depot >= 0:
                begin = max(begin, data.opens)
                if begin > data.closes - loading:
                    return np.inf  # type: ignore[no-any-return]
            now = begin + loading
        else:
            opens = state.time[y, OPEN]
            if t >= 0 and y == n + t:
                opens = opening(data, state, y, max(release, state.amount[t, RELEASE]))
            begin = first_moment(data, y, now, opens)
            if begin > state.time[y, CLOSE]:
                return np.inf  # type: ignore[no-any-return]
            if y < n:
                arrivals += begin - data.dawn
                if first < 0:
                    first = count
            now = begin + state.time[y, SPENT]
        state.walk[count] = y
        state.walked[count] = begin
        count += 1
    finish, duty = now, 0.0
    if data.duties:
        duty = finish - leaving(data, state, v, count, first)
        if duty > data.shift[v, LONGEST]:
            return np.inf  # type: ignore[no-any-return]
    driven = state.tour[v, DRIVEN] + added
    return cost_of(data, state, v, finish, duty, driven, arrivals) - state.tour[v, COST]  # type: ignore[no-any-return]


@inner
def leaving(data: Data, state: State, v: int, count: int, first: int) -> float:
    """When vehicle ``v`` leaves, as late as it can, on the walk that was just followed."""
    start = start_of(data, state, v)
    home = np.int64(state.node[start, PLACE])
    depot = data.depot if data.depot >= 0 else home
    i = first if data.goal == BY_ARRIVALS else count - 1
    moment, y = state.walked[i], state.walk[i]
    there = np.int64(state.node[y, PLACE])
    while i >= 0:
        i -= 1
        x = state.walk[i] if i >= 0 else start
        if x < 0:
            moment -= data.loading + duration(data, v, depot, there)
            if data.depot >= 0:
                moment = min(moment, data.closes - data.loading)
            there = depot
        else:
            place = np.int64(state.node[x, PLACE])
            moment -= state.time[x, SPENT] + duration(data, v, place, there)
            moment = min(last_moment(data, x, moment), state.time[x, CLOSE])
            there = place
    return max(moment, data.shift[v, FROM])  # type: ignore[no-any-return]
