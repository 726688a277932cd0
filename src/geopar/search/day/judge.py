"""What it would add to the cost to serve a customer between two nodes.

Where everybody has one window at most and arrivals are not the goal, segments tell at once;
otherwise the vehicle is followed.
"""

from __future__ import annotations

import numpy as np

from geopar.compiled.jit import inlined, inner
from geopar.search.day.cost import LARGEST_WEIGHT, LEGS_A_HORIZON, TIE, cost_of, weight
from geopar.search.day.data import ARRIVALS as BY_ARRIVALS
from geopar.search.day.data import (
    DISTANCE,
    DURATION,
    FROM,
    LONGEST,
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
    DUTY,
    FINISH,
    HOP,
    HORIZON,
    LATEST,
    LEAVE,
    NEXT,
    OPEN,
    PLACE,
    PREVIOUS,
    RELEASE,
    REST,
    REST_FROM,
    SHARPNESS,
    SPAN,
    SPENT,
    TRIP_FROM,
    TRIP_LEAVE,
    TRIP_SPAN,
    TRIPS,
    WALK,
    WAY,
    State,
    start_of,
)
from geopar.search.day.times import first_moment, last_moment, opening


@inlined
def way_added(data: Data, state: State, c: int, p: int, q: int, v: int, t: int) -> float:
    """How much farther vehicle ``v`` drives to serve ``c`` between ``p`` and ``q``, see judge."""
    here, there = np.int64(state.node[p, PLACE]), np.int64(state.node[q, PLACE])
    place = np.int64(state.node[c, PLACE])
    added = distance(data, v, place, there)
    if t >= 0:
        return added + distance(data, v, here, place) - state.time[q, WAY]  # type: ignore[no-any-return]
    depot = data.depot if data.depot >= 0 else here
    if state.tour[v, TRIPS] > 0.0:
        added -= state.time[q, WAY]
    return added + distance(data, v, here, depot) + distance(data, v, depot, place)  # type: ignore[no-any-return]


@inlined
def arrival_with(data: Data, state: State, c: int, p: int, q: int, v: int) -> float:
    """When ``q`` is reached with ``c`` before it, on a trip that leaves as it does now.

    Infinite where ``c`` or what follows would be too late.
    """
    place = np.int64(state.node[c, PLACE])
    hop = duration(data, v, np.int64(state.node[p, PLACE]), place)
    now = state.time[p, BEGIN] + state.time[p, SPENT] + hop
    if now > state.time[c, CLOSE]:
        return np.inf
    now = max(now, state.time[c, OPEN])
    onward = state.time[c, SPENT] + duration(data, v, place, np.int64(state.node[q, PLACE]))
    if now + onward > state.time[q, LATEST]:
        return np.inf
    return now + onward  # type: ignore[no-any-return]


@inlined
def later_home(
    data: Data, state: State, q: int, v: int, arrival: float, added: float, most: float
) -> float:
    """What it adds to the smooth makespan to be at ``q`` then, and to drive so much farther.

    Infinite is returned for what adds ``most`` or more: weights grow at least as along a line, so
    that most places are seen off without an exponential.
    """
    finish = max(arrival, state.time[q, REST_FROM]) + state.time[q, REST]
    way = added * data.per_length / LEGS_A_HORIZON
    driven = state.tour[v, DRIVEN] * data.per_length / LEGS_A_HORIZON
    slope = min(state.tour[v, COST] - driven, LARGEST_WEIGHT)
    rate = state.totals[SHARPNESS] / state.totals[HORIZON]
    if way + slope * rate * (finish - state.tour[v, FINISH]) >= most:
        return np.inf
    return weight(data, state, finish) + driven + way - state.tour[v, COST]  # type: ignore[no-any-return]


@inlined
def loaded_before(
    data: Data, state: State, p: int, v: int, release: float
) -> tuple[float, float, float]:
    """At the depot behind ``p`` for a trip of its own: when loading begins, duty and last start.

    Duty so far and the last moment to have started are counted only where duties are limited.
    When is infinite where the depot is shut by then.
    """
    past = state.time[p]
    here = np.int64(state.node[p, PLACE])
    depot = data.depot if data.depot >= 0 else here
    span, leave = past[SPAN], past[LEAVE]
    step = past[SPENT] + duration(data, v, here, depot)
    opens, closes = release - data.loading, np.inf
    if data.depot >= 0:
        opens, closes = max(data.opens, opens), data.closes - data.loading
    now = max(past[BEGIN] + step, opens)
    if now > closes:
        return np.inf, span, leave
    if data.duties:
        span += step
        span += max(0.0, opens - leave - span)
        leave = min(leave, closes - span)
    return now, span, leave


@inlined
def released_later(
    data: Data, state: State, p: int, x: int, release: float
) -> tuple[float, float, float]:
    """At ``p`` when its trip, which begins at ``x``, leaves later; see :func:`loaded_before`.

    Where nodes have several windows the time is as before: whoever follows the vehicle finds out.
    """
    past, start = state.time[p], state.time[x]
    before = state.time[np.int64(state.node[x, PREVIOUS])]
    now, span, leave = past[BEGIN], past[SPAN], past[LEAVE]
    opens = opening(data, state, x, release)
    step = before[SPENT] + start[HOP]
    arrival = max(before[BEGIN] + step, opens)
    if arrival > start[LATEST]:
        return np.inf, span, leave
    if data.duties:
        span = before[SPAN] + step
        span += max(0.0, opens - before[LEAVE] - span)
        leave = min(before[LEAVE], start[CLOSE] - span)
    if p == x:
        now = arrival
    elif not data.several:
        loaded = start[SPENT]
        arrival += loaded
        if arrival > past[TRIP_LEAVE]:
            return np.inf, span, leave
        now = max(arrival, past[TRIP_FROM]) + past[TRIP_SPAN]
        if data.duties:
            span += loaded
            wait = max(0.0, past[TRIP_FROM] - leave - span)
            leave = min(leave, past[TRIP_LEAVE] - span)
            span += wait + past[TRIP_SPAN]
    return now, span, leave


@inner
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
    added = way_added(data, state, c, p, q, v, t)
    way = added * data.per_length
    if data.goal == DISTANCE and way >= most:
        return np.inf
    past, mine, rest = state.time[p], state.time[c], state.time[q]
    now, span, leave, spent = past[BEGIN], past[SPAN], past[LEAVE], past[SPENT]
    release = data.stop[c, RELEASED]
    later = False
    if t < 0:
        now, span, leave = loaded_before(data, state, p, v, release)
        spent = data.loading
        here = data.depot if data.depot >= 0 else here  # type: ignore[assignment]
    elif data.releases and release > state.amount[t, RELEASE]:
        now, span, leave = released_later(data, state, p, n + t, release)
        later = True
    if now == np.inf:
        return np.inf
    step = spent + duration(data, v, here, place)
    now = first_moment(data, c, now + step, mine[OPEN])
    if now > mine[CLOSE]:
        return np.inf
    onward = mine[SPENT] + duration(data, v, place, there)
    arrival = now + onward
    if arrival > rest[LATEST]:
        return np.inf
    if data.several or data.goal == BY_ARRIVALS:
        if data.goal == DISTANCE and not data.duties and not later:
            return way  # type: ignore[no-any-return]
        return followed(data, state, c, p, v, t, added)  # type: ignore[no-any-return]
    duty = 0.0
    if data.duties:
        span += step
        span += max(0.0, mine[OPEN] - leave - span)
        leave = min(leave, mine[CLOSE] - span)
        span += onward
        duty = span + max(0.0, rest[REST_FROM] - leave - span) + rest[REST]
        if duty > data.shift[v, LONGEST]:
            return np.inf
    if data.goal == DISTANCE:
        return way  # type: ignore[no-any-return]
    if data.goal == DURATION:
        return (duty - state.tour[v, DUTY]) * data.per_time + TIE * way  # type: ignore[no-any-return]
    return later_home(data, state, q, v, arrival, added, most)  # type: ignore[no-any-return]


@inner
def followed(data: Data, state: State, c: int, p: int, v: int, t: int, added: float) -> float:
    """As :func:`judge`, by following the vehicle from its start to its end and back."""
    n, slots = len(data.stop), len(state.amount)
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
            x = y = np.int64(state.node[x, NEXT])  # type: ignore[assignment]
        if y >= 0:
            there = np.int64(state.node[y, PLACE])
        else:
            there = data.depot if data.depot >= 0 else place  # type: ignore[assignment]
        now += duration(data, v, place, there)
        place = there
        if y < 0:
            loading = data.loading if data.depot >= 0 else 0.0
            begin = max(now, release - loading)
            if data.depot >= 0:
                begin = max(begin, data.opens)
                if begin > data.closes - loading:
                    return np.inf
            now = begin + loading
        else:
            opens = state.time[y, OPEN]
            if t >= 0 and y == n + t:
                opens = opening(data, state, y, max(release, state.amount[t, RELEASE]))
            begin = first_moment(data, y, now, opens)
            if begin > state.time[y, CLOSE]:
                return np.inf
            if y < n:
                arrivals += begin - data.dawn
                if first < 0:
                    first = count
            now = begin + state.time[y, SPENT]
        state.lists[WALK, count] = y
        state.scratch[count] = begin
        count += 1
    finish, duty = now, 0.0
    if data.duties:
        duty = finish - leaving(data, state, v, count, first)
        if duty > data.shift[v, LONGEST]:
            return np.inf
    driven = state.tour[v, DRIVEN] + added
    return cost_of(data, state, finish, duty, driven, arrivals) - state.tour[v, COST]  # type: ignore[no-any-return]


@inner
def leaving(data: Data, state: State, v: int, count: int, first: int) -> float:
    """When vehicle ``v`` leaves, as late as it can, on the walk that was just followed."""
    start = start_of(data, state, v)
    home = np.int64(state.node[start, PLACE])
    depot = data.depot if data.depot >= 0 else home
    i = first if data.goal == BY_ARRIVALS else count - 1
    moment, y = state.scratch[i], np.int64(state.lists[WALK, i])
    there = np.int64(state.node[y, PLACE])
    while i >= 0:
        i -= 1
        x = np.int64(state.lists[WALK, i]) if i >= 0 else start
        if x < 0:
            moment -= data.loading + duration(data, v, depot, there)
            if data.depot >= 0:
                moment = min(moment, data.closes - data.loading)
            there = depot  # type: ignore[assignment]
        else:
            place = np.int64(state.node[x, PLACE])
            moment -= state.time[x, SPENT] + duration(data, v, place, there)
            moment = min(last_moment(data, x, moment), state.time[x, CLOSE])
            moment = max(moment, state.scratch[i] if i >= 0 else data.shift[v, FROM])
            there = place
    return moment  # type: ignore[no-any-return]
