"""Exchange: two trips swap short stretches of customers, or one gives a stretch away.

Nearly all trips are full, so a customer can only leave its trip for one that gives up as much
demand in return. A recreation, which inserts one customer after another, seldom finds that; here
all such swaps of a neighbourhood are weighed. The moves are those of CROSS exchange (Taillard,
Badeau, Gendreau, Guertin & Potvin 1997), also with stretches turned round.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from geopar.compiled.jit import inlined, inner
from geopar.compiled.random import below
from geopar.search.hcvrp.data import (
    DEMAND,
    FREE_FOR_ALL,
    PLAIN,
    SERVICE,
    SPEED,
    Data,
    distance,
    may_serve,
)
from geopar.search.hcvrp.recreate import growth
from geopar.search.hcvrp.state import (
    COST,
    NEXT,
    OLD_COST,
    OWNER,
    PREVIOUS,
    RATE,
    REMOVED,
    ROOM,
    TOUCHED_VEHICLES,
    TRIP,
    WEIGHT,
    State,
    accept,
    begin,
    link,
    reject,
    reweigh,
    unlink,
)

# No stretch has more customers than this.
LONGEST = 3
# Where, in the list of removed customers, the stretch of the other trip is written.
OTHERS = LONGEST + 1
# Where, in the same list, what it takes to serve the first few of a stretch is written.
SERVICES = 2 * OTHERS
# Below exp of this a weight is as good as nothing; ``growth`` is not made for less.
LEAST_EXPONENT = -32.0


class Exchange(NamedTuple):
    """So many customers go beside ``beside``, so many from there on ``way`` come in return."""

    cost: float
    beside: int
    way: int
    given: int
    taken: int
    turned: bool


@inner
def _growth(exponent: float) -> float:
    return growth(max(LEAST_EXPONENT, exponent))  # type: ignore[no-any-return]


@inner(forceinline=False)
def _may_serve_all(
    data: Data, state: State, first: int, count: int, way: int, vehicle: int
) -> bool:
    """Whether a vehicle may serve so many customers from ``first`` on ``way``."""
    c = np.int64(first)
    for _ in range(count):
        if not may_serve(data, c, vehicle):
            return False
        c = np.int64(state.customer[c, way])
    return True


@inlined
def _list_stretch(data: Data, state: State, c: int, ahead: int) -> int:
    """Fill the list of removed customers with a stretch from ``c`` on ``ahead``, and who follows.

    Length, load and service of its first a customers go to place a of the keys.

    Returns
    -------
    int
        How many customers it has, at most :data:`LONGEST`.
    """
    n = len(data.near)
    stretch, length, load = state.lists[REMOVED], state.key[:OTHERS], state.key[OTHERS:]
    service = state.key[SERVICES:]
    stretch[0], stretch[1] = c, state.customer[c, ahead]
    length[1], load[1] = 0.0, data.place[c, DEMAND]
    if len(data) > PLAIN:
        service[1] = data.place[c, SERVICE]
    most = 1
    while most < LONGEST and stretch[most] < n:
        last, following = np.int64(stretch[most - 1]), np.int64(stretch[most])
        length[most + 1] = length[most] + distance(data, last, following)
        load[most + 1] = load[most] + data.place[following, DEMAND]
        if len(data) > PLAIN:
            service[most + 1] = service[most] + data.place[following, SERVICE]
        stretch[most + 1] = state.customer[following, ahead]
        most += 1
    return most


@inner(forceinline=False)
def _best_exchange(data: Data, state: State, c: int, ahead: int) -> Exchange:
    """The cheapest one that gives away a stretch from ``c`` on ``ahead``, which is then listed."""
    n = len(data.near)
    t = np.int64(state.customer[c, TRIP])
    v = np.int64(state.trip[t, OWNER])
    before = np.int64(state.customer[c, NEXT + PREVIOUS - ahead])
    stretch, length, load = state.lists[REMOVED], state.key[:OTHERS], state.key[OTHERS:]
    service = state.key[SERVICES:]
    most = _list_stretch(data, state, c, ahead)
    into = distance(data, before, c)
    room = state.amount[t, ROOM]
    weight, rate = state.drive[v, WEIGHT], state.drive[v, RATE]
    best = Exchange(np.inf, -1, NEXT, 0, 0, False)
    for i in range(data.near.shape[1]):
        k = np.int64(data.near[c, i])
        u = state.customer[k, TRIP]
        if u == t:
            continue
        w = np.int64(state.trip[u, OWNER])
        their_room = state.amount[u, ROOM]
        their_weight, their_rate = state.drive[w, WEIGHT], state.drive[w, RATE]
        way = NEXT + below(state.random, 2)
        # They give the customers from x to y, which z follows; without any, y is k itself.
        x = np.int64(state.customer[k, way])
        y, z = k, x
        begun = distance(data, k, x)
        inside, back, their_service = 0.0, 0.0, 0.0
        for b in range(LONGEST + 1):
            ended = distance(data, y, z) if b else begun
            for a in range(1, most + 1):
                if load[a] - back > their_room or back - load[a] > room:
                    continue
                last, after = np.int64(stretch[a - 1]), np.int64(stretch[a])
                theirs = data.near_distance[c, i] + length[a] + distance(data, last, z) - ended
                ours = -into - length[a] - distance(data, last, after)
                turned = False
                if b == 0:
                    ours += distance(data, before, after)
                else:
                    theirs -= begun + inside
                    same = distance(data, before, x) + distance(data, y, after)
                    round_about = distance(data, before, y) + distance(data, x, after)
                    turned = round_about < same
                    ours += inside + min(same, round_about)
                if len(data) > PLAIN:
                    if len(data) > FREE_FOR_ALL and not (
                        _may_serve_all(data, state, c, a, ahead, w)
                        and _may_serve_all(data, state, x, b, way, v)
                    ):
                        continue
                    ours += data.vehicle[v, SPEED] * (their_service - service[a])
                    theirs += data.vehicle[w, SPEED] * (service[a] - their_service)
                if v == w:
                    cost = weight * _growth(rate * (ours + theirs))
                else:
                    cost = weight * _growth(rate * ours)
                    # growth(x) is never below x, so most are seen off without it
                    if cost + their_weight * their_rate * theirs >= best.cost:
                        continue
                    cost += their_weight * _growth(their_rate * theirs)
                if cost < best.cost:
                    best = Exchange(cost, k, way, a, b, turned)  # type: ignore[arg-type]
            if z == n:
                break
            if b:
                inside += ended
            back += data.place[z, DEMAND]
            if len(data) > PLAIN:
                their_service += data.place[z, SERVICE]
            y = z
            z = np.int64(state.customer[z, way])
    return best


@inner(forceinline=False)
def _make(data: Data, state: State, c: int, ahead: int, best: Exchange) -> None:
    """Make an exchange that :func:`_best_exchange` has found, but for the weights."""
    t, u = np.int64(state.customer[c, TRIP]), np.int64(state.customer[best.beside, TRIP])
    stretch = state.lists[REMOVED]
    before = np.int64(state.customer[c, NEXT + PREVIOUS - ahead])
    after = np.int64(stretch[best.given])
    z = np.int64(state.customer[best.beside, best.way])
    for b in range(best.taken):
        stretch[OTHERS + b] = z
        z = np.int64(state.customer[z, best.way])
    for a in range(best.given):
        unlink(data, state, np.int64(stretch[a]))
    for b in range(best.taken):
        unlink(data, state, np.int64(stretch[OTHERS + b]))
    # Against the direction of a trip each one comes before the one that was put in last.
    place = best.beside if best.way == NEXT else z
    for a in range(best.given):
        one = np.int64(stretch[a])
        link(data, state, one, u, place)
        if best.way == NEXT:
            place = one
    place = before if ahead == NEXT else after
    for b in range(best.taken):
        one = np.int64(stretch[OTHERS + (best.taken - 1 - b if best.turned else b)])
        link(data, state, one, t, place)
        if ahead == NEXT:
            place = one


@inner(forceinline=False)
def exchange(data: Data, state: State, c: int, most_growth: float) -> bool:
    """Make the best exchange at ``c`` (and True) if the cost grows by at most this factor."""
    ahead = NEXT + below(state.random, 2)
    best = _best_exchange(data, state, c, ahead)
    # Nobody may be near, and where costs are so large that they overflow, nothing is too dear.
    if best.beside < 0 or state.totals[COST] + best.cost > state.totals[COST] * most_growth:
        return False
    begin(state)
    _make(data, state, c, ahead, best)
    for i in range(state.counters[TOUCHED_VEHICLES]):
        reweigh(data, state, np.int64(state.lists[TOUCHED_VEHICLES, i]))
    # What it was thought to cost was not quite exact.
    if state.totals[COST] > state.totals[OLD_COST] * most_growth:
        reject(state)
        return False
    accept(data, state)
    return True
