"""First plans: cheapest insertion, or a given plan."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import cKDTree

from geopar.search.compiled import compiled
from geopar.search.omdcpdp.data import Data, Stops
from geopar.search.omdcpdp.insert import cheapest, cheapest_at_an_end, insert
from geopar.search.omdcpdp.state import (
    CURRENT,
    ITERATIONS,
    State,
    empty,
    end_of,
    keep,
    link,
    record_best,
    refresh,
    start_of,
    touch,
)


def insertion(data: Data, seed: int, noise: float = 0.0) -> State:
    """Insert all orders, those that can be delivered soonest first, each at its cheapest place.

    With noise the sequence is disturbed by about that share of the delivery times, differently for
    every seed but zero.
    """
    state = empty(data, seed)
    soonest = data.least
    if noise and seed:
        chance = np.random.default_rng(seed).standard_normal(len(soonest))
        soonest = soonest * (1.0 + noise * chance)
    sequence = np.argsort(soonest, kind="stable").astype(np.uint32)
    fill(data._replace(near=_near_so_far(data, sequence)), state, sequence)
    return state


def _near_so_far(data: Data, sequence: Stops) -> Stops:
    """For each pickup the stops around it that are in the plan when its turn comes, or soon after.

    The orders come in blocks, each as large as all before it; a pickup looks at its own block and
    those before.
    """
    orders, end = data.orders, len(data.xy)
    starts = np.arange(2 * orders, end)
    count = data.settings.start_neighbours
    near = np.full((orders, count), end, dtype=np.uint32)
    done, size = 0, min(orders, max(count, len(starts)))
    while done < orders:
        tasks = sequence[:size].astype(np.int64)
        stops = np.concatenate([tasks, tasks + orders, starts])
        found = min(count, len(stops))
        _, index = cKDTree(data.xy[stops]).query(
            data.xy[sequence[done:size]], np.arange(1, found + 1)
        )
        near[sequence[done:size], :found] = stops[index]
        done, size = size, min(orders, 2 * size)
    return near


def given(data: Data, routes: Sequence[ArrayLike], seed: int) -> State:
    """A plan by the tasks of each vehicle in order."""
    state = empty(data, seed)
    for v, route in enumerate(routes):
        take(data, state, v, np.asarray(route, dtype=np.int64))
    record_best(data, state)
    return state


@compiled(_nrt=False)
def fill(data: Data, state: State, sequence: Stops) -> None:
    """Insert orders in this sequence."""
    for order in sequence:
        state.counter[ITERATIONS] += 1
        _, pickup_after, delivery_after = cheapest(data, state, order, np.inf)
        if pickup_after == end_of(state):
            pickup_after, delivery_after = cheapest_at_an_end(data, state, order), order
        state.value[CURRENT] += insert(data, state, order, pickup_after, delivery_after)
        keep(state)
    record_best(data, state)


@compiled(_nrt=False)
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
