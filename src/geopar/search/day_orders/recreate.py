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
    ANYBODY,
    ARRIVALS,
    CLOSES,
    DISTANCE,
    DURATION,
    MAKESPAN,
    NOBODY,
    OPENS,
    SERVICE,
    Data,
)
from geopar.search.day_orders.state import (
    AFTER,
    BEGIN,
    BUSY,
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
    put,
    refresh,
    touch,
    weigh,
)
from geopar.search.day_orders.timing import earliest, latest, length, travel
from geopar.search.omdcpdp.state import delivery_of, end_of, start_of


@inlined
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


@inlined
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
        if a != start:
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


@inlined
def has_room(data: Data, state: State, v: int, s: np.uint32, order: np.uint32) -> bool:
    """Whether the order finds room behind a stop."""
    fits = True
    for d in range(data.size.shape[1]):
        fits &= state.load[s, d] + data.size[order, d] <= data.capacity[v, d]
    return bool(fits)


@inlined
def may_precede(data: Data, s: np.uint32, following: np.uint32) -> bool:
    """Whether what a vehicle is told to begin with stays first if ``s`` comes before a stop."""
    told, then = data.rank[s], data.rank[following]
    return bool(then < 0 or 0 <= told < then)


@inlined
def may_follow(data: Data, s: np.uint32, preceding: np.uint32) -> bool:
    """Whether what is told comes in its order, and before all else, if ``s`` is after a stop."""
    told = data.rank[s]
    return bool(told < 0 or 0 <= data.rank[preceding] < told)


@inlined
def least_delay(data: Data, state: State, s: np.uint32, shift: float) -> float:
    """By how much deliveries from ``s`` on are delayed at least, in sum, if ``s`` is."""
    stops = state.stops
    own = shift if data.orders <= s else 0.0
    if 0.0 < shift <= stops[s, RIGID]:
        return own + shift * stops[s, AFTER]  # type: ignore[no-any-return]
    return own


@inlined
def way_over_delivery(
    data: Data, state: State, v: int, order: np.uint32, c: np.uint32, n: np.uint32, way: float
) -> float:
    """A detour so far, and from ``c`` over the delivery to ``n``, in the measure of the goal."""
    delivery, has_next, is_new = delivery_of(data, order), n != end_of(state), c == order
    if data.goal == DISTANCE:
        way = way + length(data, v, c, delivery) - (0.0 if is_new else state.stops[c, FAR])
        return way + (length(data, v, delivery, n) if has_next else 0.0)
    way = way + travel(data, v, c, delivery) - (0.0 if is_new else state.stops[c, LEG])
    return way + (travel(data, v, delivery, n) if has_next else 0.0)


@inlined
def cost_with(
    data: Data,
    state: State,
    v: int,
    order: np.uint32,
    a: np.uint32,
    c: np.uint32,
    begin: float,
    known: float,
    limit: float,
) -> float:
    """What it adds to pick an order up behind ``a`` and deliver it behind ``c`` at ``begin``.

    Parameters
    ----------
    known
        By how much deliveries up to ``c`` are later in sum, if arrivals are the goal; all that it
        adds, if distance is.
    limit
        Infinite is returned for what cannot be driven, and may be for what adds this much.
    """
    place, goal, end = data.place, data.goal, end_of(state)
    delivery = delivery_of(data, order)
    n = state.following[a if c == order else c]
    is_limited = goal == DURATION or data.longest[v] < np.inf
    leave = begin + place[delivery, SERVICE]
    delay, finish, calm, cost = 0.0, leave, end, known
    if n == end:
        if leave > data.due[v]:
            return np.inf
    else:
        onward = earliest(data, n, leave + travel(data, v, delivery, n))
        if onward > state.stops[n, LATEST]:
            return np.inf
        if goal != DISTANCE or is_limited:
            delay, finish, calm = ripple(data, state, v, n, onward)
    if goal == ARRIVALS:
        cost = known + begin - data.dawn + delay
    elif goal == MAKESPAN:
        cost = cost_of_finish(data, state, finish - data.dawn)
        cost -= cost_of_finish(data, state, state.total[v, MAKESPAN])
    if is_limited and cost < limit:
        served = duty(data, state, v, order, a, c, finish, calm)
        if served > data.longest[v]:
            return np.inf
        if goal == DURATION:
            cost = served - state.total[v, DURATION]
    return cost


@inlined
def cheapest_on_leg(
    data: Data, state: State, v: int, order: np.uint32, a: np.uint32, limit: float
) -> tuple[float, np.uint32]:
    """The best delivery place for a pickup behind ``a``.

    What prunes the search takes for granted that no detour is shorter than the way itself. Where a
    matrix says otherwise a place may be overlooked; none is taken that cannot be driven.

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
    leg = travel(data, v, a, order)
    time = earliest(data, order, stops[a, LEAVE] + leg) + place[order, SERVICE]
    delivery, n, c = delivery_of(data, order), state.following[a], order
    direct = travel(data, v, order, delivery)
    if time == np.inf or time + direct > place[delivery, CLOSES]:
        return limit, found
    # What a detour adds to the way, in the measure of the goal, and what it is compared to.
    way, spare = 0.0, 0.0
    if goal == DISTANCE:
        way = length(data, v, a, order) - stops[a, FAR]
    elif goal == DURATION:
        way = leg - stops[a, LEG] + place[order, SERVICE] + place[delivery, SERVICE]
        spare = state.total[v, BUSY] - state.total[v, DURATION]
    # The next stop with the order on board: when, and how much later than now.
    then, shift = 0.0, 0.0
    # How much later deliveries before the new one are, and at least those behind it.
    grown, rest = 0.0, 0.0
    if n != end:
        then = earliest(data, n, time + travel(data, v, order, n))
        if then > stops[n, LATEST]:
            return limit, found
        shift = then - stops[n, BEGIN]
        rest = least_delay(data, state, n, shift)
    while True:
        # Never cheaper from here on.
        if goal == ARRIVALS:
            if grown + rest + time - data.dawn + (direct if c == order else 0.0) >= limit:
                break
        elif goal != MAKESPAN and c != order and way + spare >= limit:
            break
        if n == end or may_precede(data, delivery, n):
            to = direct if c == order else travel(data, v, c, delivery)
            begin = earliest(data, delivery, time + to)
            if begin == np.inf:
                break
            cost = grown + rest + begin - data.dawn
            if goal in (DISTANCE, DURATION):
                cost = way_over_delivery(data, state, v, order, c, n, spare + way)
            if goal == MAKESPAN or cost < limit:
                known = grown if goal == ARRIVALS else cost
                cost = cost_with(data, state, v, order, a, c, begin, known, limit)
                if cost < limit:
                    limit, found = cost, c
        if n == end or not (may_follow(data, delivery, n) and has_room(data, state, v, n, order)):
            break
        # On to the next stop with the order on board.
        if goal == ARRIVALS and data.orders <= n:
            grown += shift
        elif c == order and goal == DISTANCE:
            way += length(data, v, order, n)
        elif c == order and goal == DURATION:
            way += travel(data, v, order, n)
        time = then + place[n, SERVICE]
        c, n = n, state.following[n]
        rest = 0.0
        if n != end:
            then = earliest(data, n, time + stops[c, LEG])
            if then > stops[n, LATEST]:
                break
            shift = then - stops[n, BEGIN]
            rest = least_delay(data, state, n, shift)
    return limit, found


@inner
def until_blink(state: State, blink: float) -> int:
    """How many places are seen before one is overlooked."""
    if blink <= 0.0:
        return 1 << 62
    return int(math.log(1.0 - uniform(state.random)) / math.log(1.0 - blink))


@inlined
def may_serve(data: Data, v: int, order: np.uint32) -> bool:
    """Whether a vehicle may take an order."""
    rows, columns = data.allowed.shape
    return bool(data.allowed[order if rows > 1 else 0, v if columns > 1 else 0])


@inner
def list_legs(data: Data, state: State, order: np.uint32) -> int:
    """List the legs around a pickup that it could be put on; return how many."""
    stops, place, end = state.stops, data.place, end_of(state)
    count = 0
    # When the pickup can be left at the soonest, and when it must be begun.
    soonest, closes = place[order, OPENS] + place[order, SERVICE], place[order, CLOSES]
    for i in range(np.uint32(data.near.shape[1])):
        s = data.near[order, i]
        v = np.int64(state.vehicle[s])
        if v == OUT or not may_serve(data, v, order):
            continue
        near = travel(data, v, order, s)
        # Each leg is looked at from the end that is nearer to the pickup.
        for side in range(2):
            a = s if side == 0 else state.preceding[s]
            b = state.following[a]
            if stops[a, LEAVE] > closes:
                continue
            if b != end and (soonest > stops[b, LATEST] or not may_precede(data, order, b)):
                continue
            other = b if side == 0 else a
            if other < 2 * data.orders:
                far = travel(data, v, order, other)
                if far < near or (far == near and side == 1):
                    continue
            state.legs[count] = a
            count += 1
    # Vehicles that set out near the pickup, and any one at random: idle ones may be far away.
    starts = data.near_starts.shape[1]
    for i in range(starts + 1):
        a = start_of(data, below(state.random, len(data.ready)))
        if i < starts:
            a = data.near_starts[order, i]
        b = state.following[a]
        if b != end and not may_precede(data, order, b):
            continue
        if may_serve(data, np.int64(state.vehicle[a]), order):
            state.legs[count] = a
            count += 1
    return count


@inner
def list_all_legs(data: Data, state: State, order: np.uint32, v: int, count: int) -> int:
    """Add all legs of a vehicle that a pickup could be put on to the list; return its length."""
    end = end_of(state)
    if data.home[order] not in (ANYBODY, v) or not may_serve(data, v, order):
        return count
    told = data.rank[order]
    a = start_of(data, v)
    # What is told has one place: behind what is told before it.
    while a != end and (told < 0 or a >= 2 * data.orders or 0 <= data.rank[a] < told):
        b = state.following[a]
        if b == end or may_precede(data, order, b):
            state.legs[count] = a
            count += 1
        a = b
    return count


@inner
def cheapest_of(
    data: Data, state: State, order: np.uint32, count: int, limit: float
) -> tuple[float, np.uint32, np.uint32]:
    """The cheapest way to insert an order on one of so many listed legs.

    Returns
    -------
    cost, pickup_after, delivery_after
        The places are the end when there is no way that costs less than ``limit``.
    """
    end, blink = end_of(state), data.settings.blink
    pickup_after, delivery_after = end, end
    seen = until_blink(state, blink)
    bound = np.inf
    if data.goal == ARRIVALS:
        bound = data.dawn - data.direct[order] - data.place[order, SERVICE]
    for i in range(count):
        a = state.legs[i]
        if state.stops[a, LEAVE] >= limit + bound:
            continue
        if seen == 0:
            seen = until_blink(state, blink)
            continue
        seen -= 1
        v = np.int64(state.vehicle[a])
        limit, found = cheapest_on_leg(data, state, v, order, a, limit)
        if found != end:
            pickup_after, delivery_after = a, found
    return limit, pickup_after, delivery_after


@inner
def cheapest(
    data: Data, state: State, order: np.uint32, limit: float
) -> tuple[float, np.uint32, np.uint32]:
    """The cheapest way to insert an order, around its pickup; see :func:`cheapest_of`."""
    home = data.home[order]
    if home == ANYBODY:
        count = list_legs(data, state, order)
    elif home == NOBODY:
        count = np.int64(0)
    else:
        count = list_all_legs(data, state, order, home, np.int64(0))
    return cheapest_of(data, state, order, count, limit)  # type: ignore[no-any-return]


@inner
def cheapest_anywhere(
    data: Data, state: State, order: np.uint32
) -> tuple[float, np.uint32, np.uint32]:
    """The cheapest way of all to insert an order."""
    count = np.int64(0)
    for v in range(len(data.ready)):
        count = list_all_legs(data, state, order, v, count)
    return cheapest_of(data, state, order, count, np.inf)  # type: ignore[no-any-return]


@inner
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
