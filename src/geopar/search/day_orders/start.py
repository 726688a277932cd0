"""First plans: cheapest insertion, or a given plan, repaired where the day asks for it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from geopar.compiled.jit import compiled
from geopar.search.day_orders.data import NOBODY, Data, Ints
from geopar.search.day_orders.recreate import cheapest, cheapest_anywhere, insert
from geopar.search.day_orders.state import (
    ABSENT,
    ITERATIONS,
    OUT,
    OUTSIDE,
    State,
    empty,
    keep,
    put,
    record_best,
    refresh,
    refresh_all,
    take_note,
    touch,
    undo,
    weigh,
)
from geopar.search.omdcpdp.state import end_of, start_of

# Tries differ by so much in when it is an order's turn; and so many orders are tried in all.
_NOISE = 0.3
_INSERTED_IN_ALL = 4_000


def initial(data: Data, seed: int) -> State:
    """Insert all orders where they cost least: first what is told, then by turns."""
    state = empty(data, seed)
    _settle(data, state, seed)
    return state


def best_initial(data: Data, tries: int) -> State:
    """The best of some insertions, or of fewer when there are many orders."""
    from geopar.search.day_orders import best_cost

    tries = min(tries, max(1, _INSERTED_IN_ALL // data.orders))
    return min((initial(data, seed) for seed in range(tries)), key=lambda s: best_cost(data, s))


def from_routes(data: Data, routes: Sequence[Ints], seed: int) -> State:
    """A plan by the tasks of each vehicle in order; what cannot stay is inserted elsewhere."""
    state = empty(data, seed)
    for v, route in enumerate(routes):
        tour = _in_order(data, state, v, np.asarray(route, dtype=np.int64))
        if not take(data, state, v, tour):
            _take_what_fits(data, state, v, tour)
    _settle(data, state, seed)
    return state


def _in_order(data: Data, state: State, v: int, route: Ints) -> Ints:
    """The whole orders of a route that the vehicle may serve, what is told first."""
    at = {int(task): i for i, task in reversed(list(enumerate(route)))}
    kept = {
        order
        for order in at
        if order < data.orders
        and at.get(order + data.orders, -1) > at[order]
        and data.home[order] in (-1, v)
        and data.home[order] != NOBODY
        and data.allowed[order % len(data.allowed), v % data.allowed.shape[1]]
        and state.vehicle[order] < 0
    }
    tour = [task for task in sorted(at, key=at.__getitem__) if task % data.orders in kept]
    told = sorted((task for task in tour if data.rank[task] >= 0), key=data.rank.__getitem__)
    return np.array(told + [t for t in tour if data.rank[t] < 0], dtype=np.int64)


def _take_what_fits(data: Data, state: State, v: int, tour: Ints) -> None:
    """Keep one order of a route after the other, as far as it can be driven."""
    kept: set[int] = set()
    orders = tour % data.orders
    told_first = sorted(dict.fromkeys(orders.tolist()), key=lambda o: data.home[o] < 0)
    for order in told_first:
        kept.add(order)
        if not take(data, state, v, tour[np.isin(orders, list(kept))]):
            kept.remove(order)
    take(data, state, v, tour[np.isin(orders, list(kept))])


def _settle(data: Data, state: State, seed: int) -> None:
    """Insert all that is out of the plan, and make it the best plan."""
    key = data.least + np.where(np.isfinite(data.closing), data.closing, 0.0)
    if seed:
        noise = np.random.default_rng(seed % 2**63).standard_normal(data.orders)
        key = key * np.exp(_NOISE * noise)
    told = np.where(data.home >= 0, data.rank[: data.orders], data.orders)
    turns = np.lexsort((key, -data.priority, told))
    fill(data, state, turns)


@compiled
def fill(data: Data, state: State, turns: Ints) -> None:
    """Insert all orders that are out of the plan, by turns."""
    end = end_of(state)
    for turn in turns:
        order = np.uint32(turn)
        if state.vehicle[order] >= 0:
            continue
        state.counter[ITERATIONS] += 1
        _, pickup_after, delivery_after = cheapest(data, state, order, np.inf)
        if pickup_after == end:
            _, pickup_after, delivery_after = cheapest_anywhere(data, state, order)
        if pickup_after != end and insert(data, state, order, pickup_after, delivery_after):
            state.removed[0] = order
            take_note(data, state, 1)
            keep(state)
        elif pickup_after != end:
            undo(data, state)
    state.value[ABSENT] = 0.0
    for i in range(state.counter[OUTSIDE]):
        state.value[ABSENT] += data.priority[state.absent[i]]
    refresh_all(data, state)
    record_best(data, state)


@compiled
def take(data: Data, state: State, v: int, route: Ints) -> bool:
    """Give a vehicle this route instead of its own if it can be driven."""
    state.counter[ITERATIONS] += 1
    touch(data, state, v)
    end, a = end_of(state), start_of(data, v)
    number = 0
    s = state.following[a]
    while s != end:
        state.vehicle[s] = OUT
        if s < data.orders:
            state.removed[number] = s
            number += 1
        s = state.following[s]
    state.following[a] = end
    for task in route:
        s = np.uint32(task)
        put(state, v, a, s)
        if s < data.orders:
            state.removed[number] = s
            number += 1
        a = s
    fits = refresh(data, state, v)
    if not fits:
        undo(data, state)
        return False
    weigh(data, state, v)
    take_note(data, state, number)
    keep(state)
    return True
