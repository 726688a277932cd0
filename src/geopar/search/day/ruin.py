"""Ruin: remove strings of customers from trips that lie close together.

After "Slack Induction by String Removals" (Christiaens & Vanden Berghe 2020).
"""

from __future__ import annotations

import numpy as np

from geopar.compiled.jit import inner
from geopar.compiled.random import below, uniform
from geopar.search.day.data import Data
from geopar.search.day.state import (
    ABSENT,
    ITERATION,
    KIND,
    LAST_HOME,
    LOCKED_TRIP,
    MOST_ABSENT,
    MOST_REMOVED,
    NEXT,
    OPEN_TRIPS,
    PREVIOUS,
    REMOVED,
    RUINED,
    SIZE,
    TRIP,
    TRIPS,
    WHERE,
    State,
    push,
    start_of,
    unlink,
)

# How likely a spared stretch grows by one more customer.
SPARE_MORE = 0.5
# How often the seed is somebody absent, if there is anybody.
ON_ABSENT = 0.3


@inner
def choose_seed(data: Data, state: State, on_late: float) -> int:
    """A random customer, now and then an absent one or one of the last vehicle home."""
    n = len(data.stop)
    absent = state.counters[ABSENT]
    if absent > 0 and uniform(state.random) < ON_ABSENT:
        return np.int64(state.lists[ABSENT, below(state.random, absent)])  # type: ignore[return-value]
    c = below(state.random, n)
    if on_late > 0.0 and uniform(state.random) < on_late:
        v = state.counters[LAST_HOME]
        if state.tour[v, TRIPS] > 0.0:
            x, seen = np.int64(state.node[start_of(data, state, v), NEXT]), 0
            while x < n + len(state.amount):
                if x < n:
                    seen += 1
                    if below(state.random, seen) == 0:
                        c = x
                x = np.int64(state.node[x, NEXT])
    return c  # type: ignore[no-any-return]


@inner
def remove_string(data: Data, state: State, c: int, length: int, spared: int) -> None:
    """Remove ``length`` customers around ``c`` from its trip, sparing ``spared`` among them."""
    n = len(data.stop)
    span = length + spared
    start = c
    for _ in range(below(state.random, span)):
        if state.node[start, PREVIOUS] >= n:
            break
        start = state.node[start, PREVIOUS]
    # Where the trip ends before the string does, the string starts earlier.
    end, inside = start, 1
    while inside < span and state.node[end, NEXT] < n:
        end = state.node[end, NEXT]
        inside += 1
    while inside < span:
        start = state.node[start, PREVIOUS]
        inside += 1
    spare_from = 1 + below(state.random, length) if spared > 0 else span
    c = start
    for place in range(span):
        following = state.node[c, NEXT]
        if place < spare_from or place >= spare_from + spared:
            unlink(data, state, np.int64(c))
            push(state, REMOVED, c)
        c = following


@inner
def ruin(
    data: Data, state: State, seed: int, mean_removed: float, longest_string: float, split: float
) -> None:
    """Remove strings from the trips nearest to customer ``seed``, about ``mean_removed`` in all.

    The absent near by, and some others, join the removed.
    """
    n = len(data.stop)
    now = state.counters[ITERATION]
    string = min(longest_string, n / max(1, state.counters[OPEN_TRIPS]))
    most_strings = 4.0 * mean_removed / (1.0 + string) - 1.0
    strings = int(uniform(state.random) * max(1.0, most_strings)) + 1
    absent = 0
    for i in range(-1, data.near.shape[1]):
        c = np.int64(seed) if i < 0 else np.int64(data.near[seed, i])
        t = np.int64(state.node[c, TRIP])
        if t < 0:
            if state.node[c, WHERE] >= 0 and absent < MOST_ABSENT:
                push(state, REMOVED, c)
                absent += 1
            continue
        trip = state.node[n + t]
        if strings == 0 or trip[RUINED] == now or trip[KIND] >= LOCKED_TRIP:
            continue
        trip[RUINED] = now
        size = np.int64(trip[SIZE])
        length = int(uniform(state.random) * min(float(size), string)) + 1
        length = min(length, MOST_REMOVED + absent - state.counters[REMOVED])
        if length <= 0:
            strings = 0
            continue
        spared = 0
        if 1 < length < size and uniform(state.random) < split:
            spared = 1
            while length + spared < size and uniform(state.random) < SPARE_MORE:
                spared += 1
        remove_string(data, state, c, length, spared)
        strings -= 1
