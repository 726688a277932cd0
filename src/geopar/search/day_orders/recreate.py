"""Where to put an order: what pairs of places cost, and whether the route can then be driven.

A pickup is tried on the legs around the stops near it. From there the route is followed with the
order on board, and its delivery tried behind every stop, until there is no room, or it is too late
for what follows, or dearer than the best place known. Whether the rest of the route bears a delay
is one comparison with its latest time; what the delay costs is followed until waiting absorbs it
or until nothing can absorb it any more.
"""

from __future__ import annotations

import math

import numpy as np

from geopar.compiled.jit import inlined, inner
from geopar.compiled.random import below, uniform
from geopar.search.day_orders.data import (
    ARRIVALS,
    DISTANCE,
    DURATION,
    MAKESPAN,
    NOBODY,
    SERVICE,
    Data,
)
from geopar.search.day_orders.state import (
    AFTER,
    BEGIN,
    CURRENT,
    FAR,
    HOLD,
    LATEST,
    LEAVE,
    LEG,
    OUT,
    RIGID,
    State,
    cost_of_finish,
    delivery_of,
    end_of,
    put,
    refresh,
    start_of,
    touch,
    weigh,
)
from geopar.search.day_orders.timing import earliest, latest, length, travel


@inner(_nrt=False)
def ripple(
    data: Data, state: State, v: int, s: np.uint32, begin: float
) -> tuple[float, float, np.uint32]:
    """What follows when service at ``s`` begins at another time.

    Returns
    -------
    delay, finish, calm
        By how much all deliveries from there on are delayed in sum, when the vehicle is done, and
        the first stop that is as before; the end if there is none.
    """
    stops, end, place = state.stops, end_of(state), data.place
    delay = 0.0
    while True:
        shift = begin - stops[s, BEGIN]
        if shift == 0.0:
            return delay, stops[state.last[v], LEAVE], s
        is_delivery = 1.0 if data.orders <= s else 0.0
        if 0.0 < shift <= stops[s, RIGID]:
            delay += shift * (stops[s, AFTER] + is_delivery)
            return delay, stops[state.last[v], LEAVE] + shift, end
        delay += shift * is_delivery
        leave = begin + place[s, SERVICE]
        following = state.following[s]
        if following == end:
            return delay, leave, end
        begin = earliest(data, following, leave + stops[s, LEG])
        s = following


@inner(_nrt=False)
def duty(
    data: Data,
    state: State,
    v: int,
    order: np.uint32,
    a: np.uint32,
    c: np.uint32,
    finish: float,
    calm: np.uint32,
) -> float:
    """How long a vehicle is on duty with an order picked up behind ``a``, delivered behind ``c``.

    The route is followed backward from its finish, or from the first stop that is as before.
    """
    stops, place, end = state.stops, data.place, end_of(state)
    delivery, b = delivery_of(data, order), state.following[a]
    n = b if c == order else state.following[c]
    if data.goal == ARRIVALS:
        # It leaves in time for its first stop, which is another only if the pickup is.
        start = start_of(data, v)
        if a != start and data.row[a] != data.row[start]:
            return finish - stops[start, HOLD]  # type: ignore[no-any-return]
        leg = travel(data, v, start, order)
        return finish - (earliest(data, order, stops[start, LEAVE] + leg) - leg)  # type: ignore[no-any-return]
    hold = finish
    if n != end:
        s = calm
        if s == end:
            s = state.last[v]
            hold = latest(data, s, finish - place[s, SERVICE])
        else:
            hold = stops[s, HOLD]
        while s != n:
            s = state.preceding[s]
            hold = latest(data, s, hold - stops[s, LEG] - place[s, SERVICE])
        hold -= travel(data, v, delivery, n)
    hold = latest(data, delivery, hold - place[delivery, SERVICE])
    if c != order:
        hold = latest(data, c, hold - travel(data, v, c, delivery) - place[c, SERVICE])
        s = c
        while s != b:
            s = state.preceding[s]
            hold = latest(data, s, hold - stops[s, LEG] - place[s, SERVICE])
        hold -= travel(data, v, order, b)
    else:
        hold -= travel(data, v, order, delivery)
    hold = latest(data, order, hold - place[order, SERVICE])
    s = a
    hold = latest(data, s, hold - travel(data, v, a, order) - place[a, SERVICE])
    while s < 2 * data.orders and hold != stops[s, HOLD]:
        s = state.preceding[s]
        hold = latest(data, s, hold - stops[s, LEG] - place[s, SERVICE])
    if s < 2 * data.orders:
        hold = stops[start_of(data, v), HOLD]
    return finish - max(hold, data.ready[v])  # type: ignore[no-any-return]


@inlined(_nrt=False)
def has_room(data: Data, state: State, v: int, s: np.uint32, order: np.uint32) -> bool:
    """Whether the order finds room behind a stop."""
    fits = True
    for d in range(data.size.shape[1]):
        fits &= state.load[s, d] + data.size[order, d] <= data.capacity[v, d]
    return fits


@inlined(_nrt=False)
def may_precede(data: Data, s: np.uint32, following: np.uint32) -> bool:
    """Whether what a vehicle is told to begin with stays first if ``s`` comes before a stop."""
    told, then = data.rank[s], data.rank[following]
    return then < 0 or 0 <= told < then


@inner(_nrt=False)
def cheapest_on_leg(
    data: Data, state: State, v: int, order: np.uint32, a: np.uint32, limit: float
) -> tuple[float, np.uint32]:
    """The best delivery place for a pickup behind ``a``.

    Returns
    -------
    cost, place
        The growth, below ``limit``, and the stop after which the delivery goes (the pickup itself
        counts); the end when there is no place below the limit.
    """
    stops, place, goal, end = state.stops, data.place, data.goal, end_of(state)
    found = end
    if not has_room(data, state, v, a, order):
        return limit, found
    time = earliest(data, order, stops[a, LEAVE] + travel(data, v, a, order))
    if time == np.inf:
        return limit, found
    time += place[order, SERVICE]
    delivery = delivery_of(data, order)
    n = state.following[a]
    is_limited = goal == DURATION or data.longest[v] < np.inf
    # Growth so far: of deliveries between, or of the way.
    grown, way = 0.0, 0.0
    if goal == DISTANCE:
        way = length(data, v, a, order) - stops[a, FAR]
    c = order
    while True:
        if goal == ARRIVALS and grown + time - data.dawn >= limit:
            break
        if n == end or may_precede(data, delivery, n):
            begin = earliest(data, delivery, time + travel(data, v, c, delivery))
            if begin == np.inf:
                break
            leave = begin + place[delivery, SERVICE]
            cost, delay, finish, calm = 0.0, 0.0, leave, end
            fits = leave <= data.due[v]
            if n != end:
                onward = earliest(data, n, leave + travel(data, v, delivery, n))
                fits = onward <= stops[n, LATEST]
            if goal == ARRIVALS:
                cost = grown + begin - data.dawn
            elif goal == DISTANCE:
                cost = way + length(data, v, c, delivery)
                if n != end:
                    cost += length(data, v, delivery, n)
                if c != order:
                    cost -= stops[c, FAR]
            if fits and cost < limit:
                if n != end and (goal != DISTANCE or is_limited):
                    delay, finish, calm = ripple(data, state, v, n, onward)
                if goal == ARRIVALS:
                    cost += delay
                elif goal == MAKESPAN:
                    cost = cost_of_finish(data, state, finish - data.dawn)
                    cost -= cost_of_finish(data, state, state.total[v, MAKESPAN])
                if is_limited and cost < limit:
                    served = duty(data, state, v, order, a, c, finish, calm)
                    fits = served <= data.longest[v]
                    if goal == DURATION:
                        cost = served - state.total[v, DURATION]
                if fits and cost < limit:
                    limit, found = cost, c
        if n == end:
            break
        # On to the next stop with the order on board.
        time = earliest(data, n, time + (travel(data, v, c, n) if c == order else stops[c, LEG]))
        if time > stops[n, LATEST] or not has_room(data, state, v, n, order):
            break
        if goal == ARRIVALS and data.orders <= n:
            grown += time - stops[n, BEGIN]
        elif goal == DISTANCE and c == order:
            way += length(data, v, order, n)
        time += place[n, SERVICE]
        c, n = n, state.following[n]
    return limit, found


@inner(_nrt=False)
def until_blink(state: State, blink: float) -> int:
    """How many places are seen before one is overlooked."""
    if blink <= 0.0:
        return 1 << 62
    return int(math.log(1.0 - uniform(state.random)) / math.log(1.0 - blink))


@inlined(_nrt=False)
def may_serve(data: Data, v: int, order: np.uint32) -> bool:
    """Whether a vehicle may take an order."""
    rows, columns = data.allowed.shape
    return bool(data.allowed[order if rows > 1 else 0, v if columns > 1 else 0])


@inner(_nrt=False)
def cheapest_of_vehicle(
    data: Data, state: State, v: int, order: np.uint32, limit: float
) -> tuple[float, np.uint32, np.uint32]:
    """As :func:`cheapest` in all places of one vehicle."""
    end = end_of(state)
    pickup_after, delivery_after = end, end
    if data.home[order] == NOBODY or data.home[order] not in (-1, v):
        return limit, pickup_after, delivery_after
    if not may_serve(data, v, order):
        return limit, pickup_after, delivery_after
    told = data.rank[order]
    a = start_of(data, v)
    while a != end:
        b = state.following[a]
        # What is told has one place: behind what is told before it.
        is_behind = told < 0 or a >= 2 * data.orders or 0 <= data.rank[a] < told
        if not is_behind:
            break
        if b == end or may_precede(data, order, b):
            limit, place = cheapest_on_leg(data, state, v, order, a, limit)
            if place != end:
                pickup_after, delivery_after = a, place
        a = b
    return limit, pickup_after, delivery_after


@inner(_nrt=False)
def cheapest(
    data: Data, state: State, order: np.uint32, limit: float
) -> tuple[float, np.uint32, np.uint32]:
    """The cheapest way to insert an order that costs less than ``limit``.

    Returns
    -------
    cost, pickup_after, delivery_after
        The places are the end when there is no way below the limit.
    """
    end, home = end_of(state), data.home[order]
    pickup_after, delivery_after = end, end
    if home != -1:
        if home == NOBODY:
            return limit, end, end
        return cheapest_of_vehicle(data, state, home, order, limit)
    blink = data.settings.blink
    seen = until_blink(state, blink)
    for i in range(np.uint32(data.near.shape[1])):
        s = data.near[order, i]
        v = np.int64(state.vehicle[s])
        if v == OUT or not may_serve(data, v, order):
            continue
        # Each leg is looked at from the end that is nearer to the pickup.
        near = travel(data, v, s, order) + travel(data, v, order, s)
        for side in range(2):
            a = s if side == 0 else state.preceding[s]
            b = state.following[a]
            other = b if side == 0 else a
            if other < 2 * data.orders:
                far = travel(data, v, other, order) + travel(data, v, order, other)
                if far < near or (far == near and side == 1):
                    continue
            if b != end and not may_precede(data, order, b):
                continue
            if seen == 0:
                seen = until_blink(state, blink)
                continue
            seen -= 1
            limit, place = cheapest_on_leg(data, state, v, order, a, limit)
            if place != end:
                pickup_after, delivery_after = a, place
    # Vehicles that set out near the pickup, and any one at random: idle ones may be far away.
    starts = data.near_starts.shape[1]
    for i in range(starts + 1):
        v = np.int64(below(state.random, len(data.ready)))
        if i < starts:
            v = np.int64(data.near_starts[order, i]) - 2 * data.orders
        a = start_of(data, v)
        b = state.following[a]
        if may_serve(data, v, order) and (b == end or may_precede(data, order, b)):
            limit, place = cheapest_on_leg(data, state, v, order, a, limit)
            if place != end:
                pickup_after, delivery_after = a, place
    return limit, pickup_after, delivery_after


@inner(_nrt=False)
def cheapest_anywhere(
    data: Data, state: State, order: np.uint32
) -> tuple[float, np.uint32, np.uint32]:
    """The cheapest way of all to insert an order."""
    limit, pickup_after, delivery_after = np.inf, end_of(state), end_of(state)
    for v in range(len(data.ready)):
        cost, after, then = cheapest_of_vehicle(data, state, v, order, limit)
        if after != end_of(state):
            limit, pickup_after, delivery_after = cost, after, then
    return limit, pickup_after, delivery_after


@inner(_nrt=False)
def insert(
    data: Data, state: State, order: np.uint32, pickup_after: np.uint32, delivery_after: np.uint32
) -> bool:
    """Insert an order at these places; return whether the route can be driven."""
    v = np.int64(state.vehicle[pickup_after])
    touch(data, state, v)
    put(state, v, pickup_after, order)
    put(state, v, delivery_after, delivery_of(data, order))
    if not refresh(data, state, v):
        return False
    state.value[CURRENT] += weigh(data, state, v)
    return True
