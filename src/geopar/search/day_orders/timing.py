"""When a vehicle is where: how long legs take, when service begins, how late it could begin.

Earliest times go forward along a route, latest times backward (Kindervater & Savelsbergh 1997,
"Vehicle routing: handling edge exchanges"). Stops may have several windows, so both are followed
stop by stop; a stop with one window or none costs two comparisons.
"""

from __future__ import annotations

import numpy as np

from geopar.compiled.jit import inlined
from geopar.search.day_orders.data import CLOSES, GAPS, OPENS, SHUT, Data, X, Y

# Of the room for rounding in data.py a half.
_SAFETY = 2e-10


@inlined
def travel(data: Data, v: int, a: np.uint32, b: np.uint32) -> float:
    """How long a vehicle takes from stop to stop."""
    if data.straight:
        dx = data.place[a, X] - data.place[b, X]
        dy = data.place[a, Y] - data.place[b, Y]
        return np.sqrt(dx * dx + dy * dy) * data.slow[v]  # type: ignore[no-any-return]
    i, j = data.row[a], data.row[b]
    # What is on board is picked up at the start, whatever a matrix says of the way from there
    # to itself.
    if i == j:
        return 0.0
    return data.durations[data.profile[v], i, j] * data.slow[v]  # type: ignore[no-any-return]


@inlined
def length(data: Data, v: int, a: np.uint32, b: np.uint32) -> float:
    """How far it is from stop to stop."""
    if data.straight:
        dx = data.place[a, X] - data.place[b, X]
        dy = data.place[a, Y] - data.place[b, Y]
        return np.sqrt(dx * dx + dy * dy)  # type: ignore[no-any-return]
    i, j = data.row[a], data.row[b]
    if i == j:
        return 0.0
    return data.distances[data.profile[v], i, j]  # type: ignore[no-any-return]


@inlined
def earliest(data: Data, s: np.uint32, time: float) -> float:
    """When service begins for who comes at ``time``; never (infinite) after the last window."""
    place = data.place
    if time <= place[s, OPENS]:
        return place[s, OPENS]  # type: ignore[no-any-return]
    if time > place[s, CLOSES]:
        return np.inf
    if place[s, GAPS] == 0.0:
        return time
    for g in range(data.gap[s], data.gap[s + np.uint32(1)]):
        if data.gap_begins[g] < time < data.gap_ends[g]:
            return data.gap_ends[g]  # type: ignore[no-any-return]
    return time


@inlined
def latest(data: Data, s: np.uint32, time: float) -> float:
    """When service begins at the latest if it must not begin after ``time``.

    Before the first window it is the first window: who asks knows that there is a way.
    """
    place = data.place
    if time >= place[s, SHUT]:
        return place[s, SHUT]  # type: ignore[no-any-return]
    if time <= place[s, OPENS]:
        return place[s, OPENS]  # type: ignore[no-any-return]
    if place[s, GAPS] == 0.0:
        return time
    for g in range(data.gap[s], data.gap[s + np.uint32(1)]):
        # Rounding must not lose a window, nor run over its end.
        begin, end = data.gap_begins[g], data.gap_ends[g]
        begin -= _SAFETY * max(1.0, abs(begin))
        if begin < time < end - _SAFETY * max(1.0, abs(end)):
            return begin  # type: ignore[no-any-return]
    return time
