"""The plan under search: trips as linked lists, owned by vehicles, with an exact undo.

Every change inside an iteration first copies what it touches. Rejecting an iteration puts the
copies back, bit by bit; accepting it adds what was touched to the list of what differs from the
best plan. So neither costs more than what was changed, whatever the size of the instance.

What belongs to one customer, trip or vehicle stands in one row, so that it is in one cache line.
What is read from a row is widened to 64 bits before it is passed on, so that every function is
compiled for one kind of integer only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import inner
from geopar.compiled.random import seed_state
from geopar.search.hcvrp.data import (
    CAPACITY,
    DEMAND,
    FREE_FOR_ALL,
    OFFSET,
    PLAIN,
    SERVICE,
    SPEED,
    Data,
    Floats,
    Int32s,
    Ints,
    distance,
    may_serve,
    to_depot,
)

# How many customers one ruin may remove at most.
MOST_REMOVED = 64

# Columns of ``State.customer``; TRIP is -1 while it is removed.
NEXT, PREVIOUS, TRIP, STAMP, OLD_NEXT, OLD_PREVIOUS, OLD_TRIP, DIRTY = range(8)
# Columns of ``State.leg``: the distance from the previous place, and its copy.
LEG, OLD_LEG = range(2)
# Columns of ``State.trip``; AFTER and BEFORE chain the trips of one vehicle.
FIRST, LAST, SIZE, _, OLD_FIRST, OLD_LAST, OLD_SIZE, _, OWNER, AFTER, BEFORE, RUINED = range(12)
OLD_OWNER = 12
TRIP_COLUMNS = 16  # one cache line
# (STAMP and DIRTY have the same columns in both.)
# Columns of ``State.amount``: what its vehicle could still carry on this trip, how long it is. Room
# rather than load, so that one look tells that a trip is full, as most are.
ROOM, LENGTH, OLD_ROOM, OLD_LENGTH = range(4)
# And how long the trip takes besides driving, loading included: on a day only, in rows behind those
# of all trips (see ``served``), so that rows that are looked at all the time stay short.
SERVED, OLD_SERVED = range(2)
# Columns of ``State.vehicle``, and STAMP as above.
HEAD, TRIPS = range(2)
# Columns of ``State.drive``: what it drives in all, its weight s_v exp(p (t_v / T - 1)), the copies
# of both, and its rate p / (s_v T), all with p the sharpness and T the horizon. On a day it counts
# as driven what could have been in all the time that the vehicle needs, s_v t_v.
DRIVEN, WEIGHT, OLD_DRIVEN, OLD_WEIGHT, RATE = range(5)
# Rows of ``State.lists``.
FREE, TOUCHED_CUSTOMERS, TOUCHED_TRIPS, TOUCHED_VEHICLES, REMOVED = range(5)
DIRTY_CUSTOMERS, DIRTY_TRIPS = range(5, 7)
# Places in ``State.counters``: the lengths of those lists, and then these.
ITERATION, BUSIEST, OPEN_TRIPS, BLINK_IN = range(7, 11)
# Places in ``State.totals``.
COST, OLD_COST, SHARPNESS, HORIZON, MAKESPAN, BEST = range(6)

# Stamps are 32 bits wide; long before they run out, all are set back.
LAST_STAMP = 1 << 30
# No weight exceeds exp of this, so that sums stay finite whatever a plan looks like.
LARGEST_EXPONENT = 600.0

# What a vehicle so many times larger has room for is rounded too coarsely to tell what would fit
# into the smaller one: then the load is summed up anew.
COARSE = 1e4

# Marks, in ``BEFORE``, a trip that was opened in this iteration and hangs on no vehicle yet.
NEW = -2


class State(NamedTuple):
    """All that changes. ``n`` stands for the depot, ``-1`` for none."""

    customer: Int32s
    leg: Floats
    trip: Int32s
    amount: Floats
    vehicle: Int32s
    drive: Floats
    lists: Int32s
    best_next: Int32s
    best_trip: Int32s
    """First customer and owner of each trip of the best plan."""
    key: Floats
    """Scratch for sorting."""
    counters: Ints
    totals: Floats
    random: NDArray[np.uint64]


def empty_state(data: Data, seed: int) -> State:
    """All customers removed, all trips free."""
    n, m = len(data.near), len(data.vehicle)
    slots = n + 2 * MOST_REMOVED
    state = State(
        customer=np.zeros((n, 8), dtype=np.int32),
        leg=np.zeros((n, 2)),
        trip=np.full((slots, TRIP_COLUMNS), -1, dtype=np.int32),
        amount=np.zeros((slots if len(data) == PLAIN else 2 * slots, 4)),
        vehicle=np.zeros((m, 4), dtype=np.int32),
        drive=np.zeros((m, 5)),
        lists=np.zeros((7, max(slots, m)), dtype=np.int32),
        best_next=np.full(n, n, dtype=np.int32),
        best_trip=np.full((slots, 2), -1, dtype=np.int32),
        key=np.zeros(MOST_REMOVED),
        counters=np.zeros(11, dtype=np.int64),
        totals=np.zeros(6),
        random=seed_state(seed),
    )
    state.customer[:, TRIP] = -1
    state.trip[:, [SIZE, STAMP, DIRTY, RUINED]] = 0
    state.vehicle[:, HEAD] = -1
    state.lists[FREE, :slots] = np.arange(slots - 1, -1, -1, dtype=np.int32)
    state.counters[FREE] = slots
    return state


@inner
def served(state: State, t: int) -> int:
    """The row of ``State.amount`` with what trip ``t`` takes besides driving; on a day only."""
    return len(state.trip) + t


@inner
def push(state: State, row: int, item: int) -> None:
    """Add to one of the lists."""
    state.lists[row, state.counters[row]] = item
    state.counters[row] += 1


@inner
def touch_customer(state: State, c: int) -> None:
    """Copy customer ``c`` for the undo, once an iteration."""
    row = state.customer[c]
    if row[STAMP] != state.counters[ITERATION]:
        row[STAMP] = state.counters[ITERATION]
        push(state, TOUCHED_CUSTOMERS, c)
        row[OLD_NEXT] = row[NEXT]
        row[OLD_PREVIOUS] = row[PREVIOUS]
        row[OLD_TRIP] = row[TRIP]
        state.leg[c, OLD_LEG] = state.leg[c, LEG]


@inner
def touch_trip(state: State, t: int) -> None:
    """Copy trip ``t``, and its vehicle, for the undo, once an iteration."""
    row = state.trip[t]
    if row[STAMP] != state.counters[ITERATION]:
        row[STAMP] = state.counters[ITERATION]
        push(state, TOUCHED_TRIPS, t)
        row[OLD_FIRST] = row[FIRST]
        row[OLD_LAST] = row[LAST]
        row[OLD_SIZE] = row[SIZE]
        row[OLD_OWNER] = row[OWNER]
        state.amount[t, OLD_ROOM] = state.amount[t, ROOM]
        state.amount[t, OLD_LENGTH] = state.amount[t, LENGTH]
        if len(state.amount) > len(state.trip):
            state.amount[served(state, t), OLD_SERVED] = state.amount[served(state, t), SERVED]
        touch_vehicle(state, np.int64(row[OWNER]))


@inner
def touch_vehicle(state: State, v: int) -> None:
    """Copy vehicle ``v`` for the undo, once an iteration."""
    if state.vehicle[v, STAMP] != state.counters[ITERATION]:
        state.vehicle[v, STAMP] = state.counters[ITERATION]
        push(state, TOUCHED_VEHICLES, v)
        state.drive[v, OLD_DRIVEN] = state.drive[v, DRIVEN]
        state.drive[v, OLD_WEIGHT] = state.drive[v, WEIGHT]


@inner
def begin(state: State) -> None:
    """Start an iteration: nothing touched yet."""
    state.counters[ITERATION] += 1
    state.counters[TOUCHED_CUSTOMERS] = 0
    state.counters[TOUCHED_TRIPS] = 0
    state.counters[TOUCHED_VEHICLES] = 0
    state.counters[REMOVED] = 0
    state.totals[OLD_COST] = state.totals[COST]


@inner(forceinline=False)
def renew_stamps(state: State) -> None:
    """Set all stamps back, if they are near their end."""
    if state.counters[ITERATION] > LAST_STAMP:
        state.counters[ITERATION] = 0
        state.customer[:, STAMP] = 0
        state.trip[:, STAMP] = 0
        state.trip[:, RUINED] = 0
        state.vehicle[:, STAMP] = 0


@inner(forceinline=False)
def reject(state: State) -> None:
    """Put everything back as it was at :func:`begin`."""
    for i in range(state.counters[TOUCHED_CUSTOMERS]):
        c = state.lists[TOUCHED_CUSTOMERS, i]
        row = state.customer[c]
        row[NEXT] = row[OLD_NEXT]
        row[PREVIOUS] = row[OLD_PREVIOUS]
        row[TRIP] = row[OLD_TRIP]
        state.leg[c, LEG] = state.leg[c, OLD_LEG]
    for i in range(state.counters[TOUCHED_TRIPS]):
        t = state.lists[TOUCHED_TRIPS, i]
        row = state.trip[t]
        row[FIRST] = row[OLD_FIRST]
        row[LAST] = row[OLD_LAST]
        row[SIZE] = row[OLD_SIZE]
        row[OWNER] = row[OLD_OWNER]
        state.amount[t, ROOM] = state.amount[t, OLD_ROOM]
        state.amount[t, LENGTH] = state.amount[t, OLD_LENGTH]
        if len(state.amount) > len(state.trip):
            state.amount[served(state, t), SERVED] = state.amount[served(state, t), OLD_SERVED]
        if row[BEFORE] == NEW:
            # It came off the top of the free list and is still written there.
            row[BEFORE] = -1
            row[OWNER] = -1
            state.counters[FREE] += 1
    for i in range(state.counters[TOUCHED_VEHICLES]):
        v = state.lists[TOUCHED_VEHICLES, i]
        state.drive[v, DRIVEN] = state.drive[v, OLD_DRIVEN]
        state.drive[v, WEIGHT] = state.drive[v, OLD_WEIGHT]
    state.totals[COST] = state.totals[OLD_COST]


@inner(forceinline=False)
def accept(data: Data, state: State) -> None:
    """Keep the iteration: hang trips on their new vehicles, free the emptied ones."""
    for i in range(state.counters[TOUCHED_TRIPS]):
        t = np.int64(state.lists[TOUCHED_TRIPS, i])
        row = state.trip[t]
        owner = np.int64(row[OWNER])
        if row[BEFORE] == NEW:
            attach(state, t, owner)
        elif row[SIZE] == 0:
            row[OWNER] = row[OLD_OWNER]
            detach(state, t)
            row[OWNER] = -1
            push(state, FREE, t)
        elif owner != row[OLD_OWNER]:
            row[OWNER] = row[OLD_OWNER]
            detach(state, t)
            attach(state, t, owner)
        mark_trip(state, t)
    # Only now: while trips change hands a vehicle may be without any for a moment.
    for i in range(state.counters[TOUCHED_VEHICLES]):
        rest_if_idle(data, state, np.int64(state.lists[TOUCHED_VEHICLES, i]))
    for i in range(state.counters[TOUCHED_CUSTOMERS]):
        c = np.int64(state.lists[TOUCHED_CUSTOMERS, i])
        if state.customer[c, DIRTY] == 0:
            state.customer[c, DIRTY] = 1
            push(state, DIRTY_CUSTOMERS, c)


@inner
def mark_trip(state: State, t: int) -> None:
    """Trip ``t`` may now differ from the best plan."""
    if state.trip[t, DIRTY] == 0:
        state.trip[t, DIRTY] = 1
        push(state, DIRTY_TRIPS, t)


@inner
def attach(state: State, t: int, v: int) -> None:
    """Hang trip ``t`` on vehicle ``v``."""
    head = state.vehicle[v, HEAD]
    state.trip[t, OWNER] = v
    state.trip[t, BEFORE] = -1
    state.trip[t, AFTER] = head
    if head >= 0:
        state.trip[head, BEFORE] = t
    state.vehicle[v, HEAD] = t
    state.vehicle[v, TRIPS] += 1
    state.counters[OPEN_TRIPS] += 1


@inner
def detach(state: State, t: int) -> None:
    """Take trip ``t`` off its vehicle."""
    v = state.trip[t, OWNER]
    before, after = state.trip[t, BEFORE], state.trip[t, AFTER]
    if before >= 0:
        state.trip[before, AFTER] = after
    else:
        state.vehicle[v, HEAD] = after
    if after >= 0:
        state.trip[after, BEFORE] = before
    state.vehicle[v, TRIPS] -= 1
    state.counters[OPEN_TRIPS] -= 1


@inner
def rest_if_idle(data: Data, state: State, v: int) -> None:
    """Let vehicle ``v``, if it has no trips, drive exactly nothing rather than what was rounded.

    However little is left over, it would take a slow vehicle long, and make it look busy.
    """
    if state.vehicle[v, TRIPS] == 0 and state.drive[v, DRIVEN] != before_trips(data, v):
        state.drive[v, DRIVEN] = before_trips(data, v)
        reweigh(data, state, v)


@inner
def before_trips(data: Data, v: int) -> float:
    """What vehicle ``v`` could have driven before its first trip."""
    if len(data) > PLAIN:
        return data.vehicle[v, SPEED] * data.vehicle[v, OFFSET]  # type: ignore[no-any-return]
    return 0.0


@inner
def driven_for(data: Data, state: State, t: int, v: int) -> float:
    """What trip ``t`` adds to what vehicle ``v`` drives."""
    if len(data) > PLAIN:
        stay = data.vehicle[v, SPEED] * state.amount[served(state, t), SERVED]
        return state.amount[t, LENGTH] + stay  # type: ignore[no-any-return]
    return state.amount[t, LENGTH]  # type: ignore[no-any-return]


@inner(forceinline=False)
def trip_may_go(data: Data, state: State, t: int, v: int) -> bool:
    """Whether vehicle ``v`` may serve everybody on trip ``t``."""
    if len(data) > FREE_FOR_ALL:
        c = np.int64(state.trip[t, FIRST])
        while c < len(data.near):
            if not may_serve(data, c, v):
                return False
            c = np.int64(state.customer[c, NEXT])
    return True


@inner
def open_trip(data: Data, state: State, v: int) -> int:
    """An empty trip for vehicle ``v``, hung on it only if the iteration is accepted."""
    n = len(data.near)
    state.counters[FREE] -= 1
    t = np.int64(state.lists[FREE, state.counters[FREE]])
    state.trip[t, OWNER] = v
    state.trip[t, BEFORE] = NEW
    state.trip[t, FIRST] = n
    state.trip[t, LAST] = n
    state.trip[t, SIZE] = 0
    state.amount[t, ROOM] = data.vehicle[v, CAPACITY]
    state.amount[t, LENGTH] = 0.0
    if len(data) > PLAIN:
        state.amount[served(state, t), SERVED] = 0.0
    touch_trip(state, t)
    return t  # type: ignore[return-value]


@inner
def room_with(data: Data, state: State, t: int, v: int) -> float:
    """What vehicle ``v`` could still carry on trip ``t``; below zero if the trip is too much."""
    now, then = data.vehicle[state.trip[t, OWNER], CAPACITY], data.vehicle[v, CAPACITY]
    if now > COARSE * then:
        return then - load_of(data, state, t)  # type: ignore[no-any-return]
    return state.amount[t, ROOM] + (then - now)  # type: ignore[no-any-return]


@inner(forceinline=False)
def load_of(data: Data, state: State, t: int) -> float:
    """What trip ``t`` carries, summed up customer by customer."""
    n = len(data.near)
    load = 0.0
    c = np.int64(state.trip[t, FIRST])
    while c < n:
        load += data.place[c, DEMAND]
        c = np.int64(state.customer[c, NEXT])
    return load


@inner
def give(data: Data, state: State, t: int, v: int) -> None:
    """Let vehicle ``v`` drive trip ``t``, for good only if the iteration is accepted."""
    touch_trip(state, t)
    touch_vehicle(state, v)
    one = np.int64(state.trip[t, OWNER])
    state.amount[t, ROOM] = room_with(data, state, t, v)
    state.drive[one, DRIVEN] -= driven_for(data, state, t, one)
    state.drive[v, DRIVEN] += driven_for(data, state, t, v)
    state.trip[t, OWNER] = v


@inner(forceinline=False)
def unlink(data: Data, state: State, c: int) -> None:
    """Take customer ``c`` out of its trip. Weights are not updated: :func:`reweigh` does that."""
    n = len(data.near)
    touch_customer(state, c)
    row = state.customer[c]
    t, p, q = np.int64(row[TRIP]), np.int64(row[PREVIOUS]), np.int64(row[NEXT])
    touch_trip(state, t)
    gap = distance(data, p, q) if p != q else 0.0
    if q < n:
        touch_customer(state, q)
        out = state.leg[q, LEG]
        state.customer[q, PREVIOUS] = p
        state.leg[q, LEG] = gap
    else:
        out = to_depot(data, c)
        state.trip[t, LAST] = p
    if p < n:
        touch_customer(state, p)
        state.customer[p, NEXT] = q
    else:
        state.trip[t, FIRST] = q
    row[TRIP] = -1
    change = gap - state.leg[c, LEG] - out
    state.trip[t, SIZE] -= 1
    if state.trip[t, SIZE] == 0:
        # Exactly nothing, so that rounding never stays behind in an empty trip.
        change = -state.amount[t, LENGTH]
        state.amount[t, ROOM] = data.vehicle[state.trip[t, OWNER], CAPACITY]
    else:
        state.amount[t, ROOM] += data.place[c, DEMAND]
    state.amount[t, LENGTH] += change
    if len(data) > PLAIN:
        owner = np.int64(state.trip[t, OWNER])
        less = data.place[c, SERVICE]
        if state.trip[t, SIZE] == 0:
            less = state.amount[served(state, t), SERVED]
        state.amount[served(state, t), SERVED] -= less
        change -= data.vehicle[owner, SPEED] * less
    state.drive[state.trip[t, OWNER], DRIVEN] += change


@inner(forceinline=False)
def link(data: Data, state: State, c: int, t: int, p: int) -> None:
    """Put customer ``c`` into trip ``t`` after place ``p``. Weights are not updated."""
    n = len(data.near)
    touch_customer(state, c)
    touch_trip(state, t)
    q = np.int64(state.trip[t, FIRST] if p == n else state.customer[p, NEXT])
    into = distance(data, p, c)
    out = distance(data, c, q)
    change = into + out
    if q < n:
        touch_customer(state, q)
        change -= state.leg[q, LEG]
        state.customer[q, PREVIOUS] = c
        state.leg[q, LEG] = out
    else:
        if p < n:
            change -= to_depot(data, p)
        state.trip[t, LAST] = c
    if p < n:
        touch_customer(state, p)
        state.customer[p, NEXT] = c
    else:
        state.trip[t, FIRST] = c
    row = state.customer[c]
    row[NEXT] = q
    row[PREVIOUS] = p
    row[TRIP] = t
    state.leg[c, LEG] = into
    state.trip[t, SIZE] += 1
    state.amount[t, ROOM] -= data.place[c, DEMAND]
    state.amount[t, LENGTH] += change
    if len(data) > PLAIN:
        more = data.place[c, SERVICE]
        if state.trip[t, SIZE] == 1:
            more += data.loading
        state.amount[served(state, t), SERVED] += more
        change += data.vehicle[state.trip[t, OWNER], SPEED] * more
    state.drive[state.trip[t, OWNER], DRIVEN] += change


@inner
def weight_of(data: Data, state: State, v: int, driven: float) -> float:
    """What vehicle ``v`` adds to the cost when it drives ``driven`` in all.

    The cost is Σ s_v exp(p (t_v / T - 1)), with p the sharpness and T the horizon: a smooth
    stand-in for the makespan. Weighting by speed makes equal times its equilibrium.
    """
    exponent = state.drive[v, RATE] * driven - state.totals[SHARPNESS]
    return data.vehicle[v, SPEED] * np.exp(min(exponent, LARGEST_EXPONENT))  # type: ignore[no-any-return]


@inner
def reweigh(data: Data, state: State, v: int) -> None:
    """Bring the weight of vehicle ``v``, and the cost, up to date with what it drives."""
    weight = weight_of(data, state, v, state.drive[v, DRIVEN])
    state.totals[COST] += weight - state.drive[v, WEIGHT]
    state.drive[v, WEIGHT] = weight


@inner(forceinline=False)
def reweigh_all(data: Data, state: State) -> None:
    """Recompute every sum from the trips, so that rounding never adds up, and all weights."""
    cost = 0.0
    longest = -1.0
    for v in range(len(data.vehicle)):
        driven = before_trips(data, v)
        t = np.int64(state.vehicle[v, HEAD])
        while t >= 0:
            driven += driven_for(data, state, t, v)
            t = np.int64(state.trip[t, AFTER])
        state.drive[v, DRIVEN] = driven
        speed = data.vehicle[v, SPEED]
        state.drive[v, RATE] = state.totals[SHARPNESS] / (state.totals[HORIZON] * speed)
        state.drive[v, WEIGHT] = weight_of(data, state, v, driven)
        cost += state.drive[v, WEIGHT]
        if driven / speed > longest and is_busy(data, state, v):
            longest = driven / speed
            state.counters[BUSIEST] = v
    state.totals[COST] = cost
    state.totals[MAKESPAN] = longest


@inner
def is_busy(data: Data, state: State, v: int) -> bool:
    """Whether vehicle ``v`` counts for the makespan: on a day, only if it leaves the depot."""
    return len(data) == PLAIN or state.vehicle[v, TRIPS] > 0


@inner(forceinline=False)
def update_makespan(data: Data, state: State) -> None:
    """Find the busiest vehicle again after an accepted change, looking only where needed."""
    busiest = state.counters[BUSIEST]
    longest = state.totals[MAKESPAN]
    rescan = False
    for i in range(state.counters[TOUCHED_VEHICLES]):
        v = state.lists[TOUCHED_VEHICLES, i]
        time = state.drive[v, DRIVEN] / data.vehicle[v, SPEED]
        if time >= longest and is_busy(data, state, v):
            longest = time
            busiest = v
            rescan = False
        elif v == busiest:
            rescan = True
    if rescan:
        longest = -1.0
        for v in range(len(data.vehicle)):
            time = state.drive[v, DRIVEN] / data.vehicle[v, SPEED]
            if time > longest and is_busy(data, state, v):
                longest = time
                busiest = v
    state.counters[BUSIEST] = busiest
    state.totals[MAKESPAN] = longest


@inner(forceinline=False)
def save_best(state: State) -> None:
    """Copy to the best plan what differs from it."""
    for i in range(state.counters[DIRTY_CUSTOMERS]):
        c = state.lists[DIRTY_CUSTOMERS, i]
        state.customer[c, DIRTY] = 0
        state.best_next[c] = state.customer[c, NEXT]
    for i in range(state.counters[DIRTY_TRIPS]):
        t = state.lists[DIRTY_TRIPS, i]
        state.trip[t, DIRTY] = 0
        state.best_trip[t, 0] = state.trip[t, FIRST]
        state.best_trip[t, 1] = state.trip[t, OWNER]
    state.counters[DIRTY_CUSTOMERS] = 0
    state.counters[DIRTY_TRIPS] = 0
    state.totals[BEST] = state.totals[MAKESPAN]
