"""First plans: cheapest insertion, or a given plan."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from geopar.compiled.jit import compiled, inner
from geopar.search.neighbours import Pause, go_on
from geopar.search.omdcpdp.data import Data, Floats, Stops
from geopar.search.omdcpdp.ends import Ends, no_ends, place_end, soonest_of_many
from geopar.search.omdcpdp.insert import cheapest, cheapest_on_leg, insert
from geopar.search.omdcpdp.state import (
    ARRIVAL,
    BEST,
    CURRENT,
    ITERATIONS,
    OPEN,
    OPEN_IN,
    State,
    X,
    Y,
    delivery_of,
    distance,
    empty,
    end_of,
    keep,
    link,
    record_best,
    refresh,
    start_of,
    touch,
)

# An order waits its turn by what it costs to insert now, less this part of what it would cost if a
# vehicle were free for it: far orders are not put off only because they are far.
_FORGIVEN = 0.4
# From so many orders on it is enough to be nearly the cheapest, which spares second looks.
_VERY_MANY_ORDERS, _HURRY = 10_000, 0.17
# Tries of a small instance differ by so much in the costs; and so many orders are tried in all.
_NOISE = 0.5
_INSERTED_IN_ALL = 2_000
# The longest route decides how many steps a construction takes. Where vehicles have many orders,
# one with more than this part above the mean is worth avoiding, at this part of the cost.
_MANY_FOR_ONE, _ABOVE_MEAN, _WORTH = 10.0, 0.08, 0.01
# Orders looked at between two pauses: some hundredths of a second.
_PIECE = 2_000


class Waiting(NamedTuple):
    """The orders that are not in the plan yet, and what is known of where they would go.

    Parameters
    ----------
    weight
        By which their costs count when it is decided whose turn it is.
    key, order, size
        Who waits, first the one with the least key: a heap, and in ``size[0]`` how many.
    known
        The stop after which each pickup was best when it was last looked at.
    free, last, ends
        When each vehicle has driven its route, at which stop that is, and a tree of both.
    """

    weight: Floats
    key: Floats
    order: NDArray[np.int64]
    size: NDArray[np.int64]
    known: Stops
    free: Floats
    last: Stops
    ends: Ends


def insertion(
    data: Data, seed: int, noise: float = 0.0, most: int | None = None, pause: Pause = go_on
) -> State:
    """Insert all orders, always the one that costs least to insert now, where it costs least.

    With noise the costs by which orders wait are disturbed by about that share, differently for
    every seed but zero. No vehicle gets more than ``most`` orders.
    """
    pause()
    state = empty(data, seed)
    pause()
    weight = np.ones(data.orders)
    if noise and seed:
        weight = np.exp(noise * np.random.default_rng(seed).standard_normal(data.orders))
    hurry = max(1.0, data.orders / _VERY_MANY_ORDERS) ** _HURRY
    fill(data, state, weight, hurry, data.orders if most is None else most, pause)
    return state


def fill(
    data: Data, state: State, weight: Floats, hurry: float, most: int, pause: Pause = go_on
) -> None:
    """Insert all orders; their costs are weighted to decide whose turn it is.

    It is an order's turn when it costs at most ``hurry`` times as much as the next. A vehicle with
    ``most`` orders gets no more. When the time is too short, it is less and less choosy.
    """
    vehicles = len(data.capacity)
    key = weight * (1.0 - _FORGIVEN) * data.least
    # A sorted list is a heap.
    order = np.argsort(key, kind="stable")
    pause()
    waiting = Waiting(
        weight=weight,
        key=key[order],
        order=order,
        size=np.array([data.orders]),
        known=np.full(data.orders, len(state.stops) - 1, dtype=np.uint32),
        free=np.zeros(vehicles),
        last=np.arange(2 * data.orders, 2 * data.orders + vehicles, dtype=np.uint32),
        ends=no_ends(data.xy, vehicles),
    )
    haste = Haste(data.orders)
    while waiting.size[0]:
        haste.look(int(waiting.size[0]), pause())
        fill_some(
            data, state, waiting, hurry * haste.hurry, most, _PIECE,
            min(haste.neighbours, data.settings.neighbours),
        )  # fmt: skip


class Haste:
    """How choosy an insertion can be in the time that is left for so many orders.

    ``hurry`` is how much dearer than the next an order may be when it is its turn, and beside so
    many ``neighbours`` of its pickup it may go.
    """

    # From as choosy as can be to the end of a route that is soonest there.
    LEVELS = ((1.0, 1 << 30), (1.5, 60), (1.5, 30), (2.5, 16), (math.inf, 0))
    # What the last takes for an order, with room; and a speed is known after so many pieces.
    SECONDS, PIECES = 6e-6, 8

    def __init__(self, orders: int) -> None:
        self._level, self._pieces = 0, 0
        self._began, self._orders = time.perf_counter(), orders
        self.hurry, self.neighbours = self.LEVELS[0]

    def look(self, orders: int, left: float) -> None:
        """See how many orders and seconds are left before the next piece."""
        if math.isinf(left):
            return
        self._pieces += 1
        if orders * self.SECONDS > left:
            self._take(len(self.LEVELS) - 1, orders)
        elif self._pieces > self.PIECES:
            taken = (time.perf_counter() - self._began) / max(1, self._orders - orders)
            if orders * taken > left and self._level < len(self.LEVELS) - 2:
                self._take(self._level + 1, orders)

    def _take(self, level: int, orders: int) -> None:
        self._level, self._pieces = level, 0
        self._began, self._orders = time.perf_counter(), orders
        self.hurry, self.neighbours = self.LEVELS[level]


def best_insertion(data: Data, tries: int) -> State:
    """The best of some insertions; fewer where one takes long, but always one or two.

    Where vehicles have many orders each, all but the first try to share them out evenly.
    """
    mean = data.orders / len(data.capacity)
    most = math.ceil((1.0 + _ABOVE_MEAN) * mean) if mean >= _MANY_FOR_ONE else data.orders
    tries = min(tries, max(2 if mean >= _MANY_FOR_ONE else 1, _INSERTED_IN_ALL // data.orders))
    # What disturbs a long sequence a little everywhere spoils it as a whole.
    noise = _NOISE / data.orders**0.5

    def worth(state: State) -> float:
        return float(state.value[BEST]) * (1.0 + _WORTH * bool(state.load.max() > most))

    states = (insertion(data, seed, noise, most if seed else None) for seed in range(tries))
    return min(states, key=worth)


def given(data: Data, routes: Sequence[ArrayLike], seed: int) -> State:
    """A plan by the tasks of each vehicle in order."""
    state = empty(data, seed)
    for v, route in enumerate(routes):
        take(data, state, v, np.asarray(route, dtype=np.int64))
    record_best(data, state)
    return state


@compiled
def fill_some(
    data: Data,
    state: State,
    waiting: Waiting,
    hurry: float,
    most: int,
    looks: int,
    neighbours: int,
) -> None:
    """Look at so many orders, or at all that wait, and insert those whose turn it is.

    Hardly any insertion makes another one cheaper, so a cost that was true once is a bound: only
    the order that is first by such bounds is looked at again.
    """
    end, vehicles = end_of(state), len(data.capacity)
    free, last, ends, weight = waiting.free, waiting.last, waiting.ends, waiting.weight
    are_many = len(ends.soonest) > 0
    if are_many and ends.square[0] < 0:
        for v in range(vehicles):
            place_end(ends, free, v, state.stops[last[v], X], state.stops[last[v], Y])
    while waiting.size[0] > 0 and looks > 0:
        looks -= 1
        order = np.uint32(waiting.order[0])
        state.counter[ITERATIONS] += 1
        # The leg that was best before mostly still is, which spares looking closely at others.
        cost, pickup_after, delivery_after = on_leg(data, state, order, waiting.known[order])
        if are_many:
            soonest, vehicle = soonest_of_many(
                ends, free, state.stops, last, state.stops[order, X], state.stops[order, Y],
                cost - data.direct[order],
            )  # fmt: skip
            soonest += data.direct[order]
        else:
            soonest, vehicle = soonest_at_an_end(data, state, order, free, last, cost)
        if vehicle >= 0:
            cost, pickup_after, delivery_after = soonest, last[vehicle], order
        growth, pickup, delivery = cheapest(data, state, order, cost, neighbours)
        if pickup != end:
            cost, pickup_after, delivery_after = growth, pickup, delivery
        waiting.known[order] = pickup_after
        key = weight[order] * (cost - _FORGIVEN * data.least[order])
        if waiting.size[0] > 1 and key > hurry * next_key(waiting):
            put_back(waiting, key, np.int64(order), waiting.size[0])
            continue
        waiting.size[0] -= 1
        size = waiting.size[0]
        put_back(waiting, waiting.key[size], waiting.order[size], size)
        state.value[CURRENT] += insert(data, state, order, pickup_after, delivery_after)
        vehicle = np.int64(state.vehicle[order])
        while state.following[last[vehicle]] != end:
            last[vehicle] = state.following[last[vehicle]]
        free[vehicle] = state.stops[last[vehicle], ARRIVAL]
        if state.load[vehicle] >= most:
            free[vehicle] = np.inf
            close(data, state, vehicle)
        if are_many:
            at = last[vehicle]
            place_end(ends, free, vehicle, state.stops[at, X], state.stops[at, Y])
        keep(state)
    if waiting.size[0] == 0:
        for v in range(vehicles):
            refresh(data, state, v)
        record_best(data, state)


@inner
def next_key(waiting: Waiting) -> float:
    """The least key but the first one's; there are two at least."""
    least = waiting.key[1]
    if waiting.size[0] > 2:
        least = min(least, waiting.key[2])
    return least  # type: ignore[no-any-return]


@inner
def put_back(waiting: Waiting, key: float, order: int, size: int) -> None:
    """Replace the first in a heap of this size; of equal keys the lower order comes first."""
    keys, orders = waiting.key, waiting.order
    at = 0
    while 2 * at + 1 < size:
        child = 2 * at + 1
        other = child + 1
        if other < size and (
            keys[other] < keys[child]
            or (keys[other] == keys[child] and orders[other] < orders[child])
        ):
            child = other
        if keys[child] > key or (keys[child] == key and orders[child] > order):
            break
        keys[at], orders[at] = keys[child], orders[child]
        at = child
    keys[at], orders[at] = key, order


@inner
def close(data: Data, state: State, v: int) -> None:
    """Let nothing more be inserted into a route, until it is refreshed."""
    s = start_of(data, v)
    while s != end_of(state):
        state.stops[s, OPEN] = state.stops[s, OPEN_IN] = np.inf
        s = state.following[s]


@inner
def on_leg(
    data: Data, state: State, order: np.uint32, a: np.uint32
) -> tuple[float, np.uint32, np.uint32]:
    """The cheapest way to insert an order with its pickup after ``a``, if that is in the plan."""
    stops, following, end = state.stops, state.following, end_of(state)
    if a == end:
        return np.inf, end, end
    b = following[a]
    cost, place = cheapest_on_leg(
        stops, following, order, delivery_of(data, order), data.direct[order], a, b,
        distance(stops, a, order), distance(stops, b, order), np.inf,
    )  # fmt: skip
    return cost, a, place


@inner
def soonest_at_an_end(
    data: Data, state: State, order: np.uint32, free: Floats, last: Stops, limit: float
) -> tuple[float, np.int64]:
    """When an order can be delivered after all else, if before ``limit``, and by whom, or -1."""
    vehicle = np.int64(-1)
    limit -= data.direct[order]
    for v in range(len(free)):
        # Most vehicles are free too late whatever the way.
        if free[v] < limit:
            arrival = free[v] + distance(state.stops, last[v], order)
            if arrival < limit:
                limit, vehicle = arrival, np.int64(v)
    return limit + data.direct[order], vehicle


@compiled
def take(data: Data, state: State, v: int, route: NDArray[np.int64]) -> None:
    """Give an idle vehicle this route."""
    state.counter[ITERATIONS] += 1
    touch(data, state, v)
    a = start_of(data, v)
    for task in route:
        s = np.uint32(task)
        link(state, a, s)
        state.vehicle[s] = v
        a = s
    link(state, a, end_of(state))
    state.load[v] = len(route) // 2
    state.value[CURRENT] += refresh(data, state, v)
    keep(state)
