"""Reading sketches in compiled loops; see :mod:`geopar.model.sketch`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from geopar.model.kernels import squash
from geopar.model.look import Seen
from geopar.model.sketch import MOST_APART, Sketches
from geopar.search.compiled import compiled, inner


@inner
def _possible(
    demand: Any, is_open: Any, carrier: Any, half: int, left: float, m: int, j: int
) -> bool:
    """Whether a vehicle may serve a task now."""
    if not is_open[j] or demand[j] > left:
        return False
    return carrier.shape[0] == 0 or j < half or carrier[j - half] == m


@compiled
def wish(
    owner: Any, trip: Any, rank: Any, sequence: Any, first: Any, share: Any, demand: Any,
    place: Any, is_open: Any, carrier: Any, left: Any, found: Any,
) -> None:  # fmt: skip
    """Fill in the next stop of every vehicle of every row."""
    rows, vehicles = place.shape
    rollouts, home = rows // owner.shape[0], sequence.shape[1]
    half, delivers = home // 2, carrier.shape[1] > 0
    for s in range(rows):
        b = s // rollouts
        for m in range(vehicles):
            p = place[s, m]
            on_trip = p < home and not delivers
            at, end = first[b, m], first[b, m + 1]
            if on_trip:
                at, end = rank[b, p] + 1, home
            found[s, m] = home
            while at < end:
                j = sequence[b, at]
                if on_trip and trip[b, j] != trip[b, p]:
                    break
                if _possible(demand[b], is_open[s], carrier[s], half, left[s, m], m, j):
                    found[s, m] = j
                    break
                at += 1


@compiled
def seen(
    owner: Any, trip: Any, rank: Any, sequence: Any, first: Any, share: Any, demand: Any,
    place: Any, is_open: Any, carrier: Any, wishes: Any, finish: Any, pace: Any, shared: Any,
    candidates: Any, agents: Any, fleet: Any, pairs: Any,
) -> None:  # fmt: skip
    """Fill in what the sketch adds to the features of agents, fleet and pairs."""
    rows, vehicles = place.shape
    rollouts, home = rows // owner.shape[0], sequence.shape[1]
    half, columns = home // 2, pairs.shape[2]
    is_shared, delivers = shared.shape[0] > 0, carrier.shape[1] > 0
    left, outlook = np.empty(vehicles + 1), np.empty(vehicles + 1)
    in_trip, leader = np.empty(home + 1), np.empty(home + 1, dtype=np.int64)
    for s in range(rows):
        b = s // rollouts
        left[:] = 0.0
        in_trip[:] = 0.0
        leader[:] = home + 1
        for j in range(home):
            waiting, holder = is_open[s, j], owner[b, j]
            if delivers and j >= half:
                if waiting:
                    holder = carrier[s, j - half]
                else:
                    waiting = is_open[s, j - half]
            if waiting:
                left[holder] += share[b, j]
                in_trip[trip[b, j]] += share[b, j]
            if is_open[s, j] and rank[b, j] < leader[trip[b, j]]:
                leader[trip[b, j]] = rank[b, j]
        mean, most = 0.0, -np.inf
        for m in range(vehicles):
            left[m] /= pace[b, m]
            outlook[m] = finish[s, m] + left[m]
            mean += outlook[m] / vehicles
            most = max(most, outlook[m])
        fleet[s, 0] = most - mean
        fleet[s, 1] = most
        for m in range(vehicles):
            agents[s, m, 0] = outlook[m] - mean
            agents[s, m, 1] = outlook[m] - most
            agents[s, m, 2] = left[m]
            p = place[s, m]
            for k in range(columns):
                j = shared[b, k] if is_shared else candidates[s, m, k]
                pair = pairs[s, m, k]
                pair[0] = wishes[s, m] == j
                for f in range(1, pair.shape[0]):
                    pair[f] = 0.0
                if j == home:
                    continue
                holder = owner[b, j]
                if delivers and j >= half and is_open[s, j]:
                    holder = carrier[s, j - half]
                pair[1] = holder == m
                if trip[b, j] == trip[b, p]:
                    pair[2] = 1.0
                    pair[3] = squash(float(rank[b, j] - rank[b, p]))
                pair[4] = min(max(outlook[holder] - outlook[m], -MOST_APART), MOST_APART)
                pair[5] = squash(in_trip[trip[b, j]] / pace[b, m] * 8.0)
                pair[6] = is_open[s, j] and rank[b, j] == leader[trip[b, j]]


@inner
def wish_of(
    sketches: Sketches, b: int, place: Any, is_open: Any, carrier: Any, left: Any, found: Any
) -> None:
    """:func:`wish` for one state, a row each, of instance ``b``."""
    here = slice(b, b + 1)
    wish(
        sketches.owner[here], sketches.trip[here], sketches.rank[here], sketches.sequence[here],
        sketches.first[here], sketches.share[here], sketches.demand[here],
        place, is_open, carrier, left, found,
    )  # fmt: skip


@inner
def add_sketch(
    sketches: Sketches, b: int, place: Any, is_open: Any, carrier: Any, wishes: Any, column: int,
    seen_now: Seen,
) -> bool:  # fmt: skip
    """What a sketch adds to what is seen in one state; whether it has a wish for anybody.

    ``column`` is that of the agents' features which tells when they would be done.
    """
    here = slice(b, b + 1)
    home = sketches.sequence.shape[1]
    finish = np.empty(wishes.shape, dtype=np.float32)
    somebody = False
    for m in range(wishes.shape[1]):
        finish[0, m] = seen_now.agents[0, m, column]
        somebody = somebody or wishes[0, m] != home
    shared = np.empty((0, 1), dtype=np.int64)
    seen(
        sketches.owner[here], sketches.trip[here], sketches.rank[here], sketches.sequence[here],
        sketches.first[here], sketches.share[here], sketches.demand[here],
        place, is_open, carrier, wishes, finish, sketches.pace[here], shared,
        seen_now.candidates, seen_now.agents_added, seen_now.fleet_added, seen_now.pairs_added,
    )  # fmt: skip
    return somebody


# As numpy adds up: eight sums at once, in blocks of at most so many.
_LANES, _BLOCK = 8, 128


@inner
def _sum(values: Any) -> float:
    """The sum as numpy takes it, so that not even rounding differs."""
    count = values.shape[0]
    if count > _BLOCK:
        half = count // 2
        half -= half % _LANES
        return _sum(values[:half]) + _sum(values[half:])
    total = 0.0
    done = 0
    if count >= _LANES:
        done = count - count % _LANES
        lane = values[:_LANES].copy()
        for at in range(_LANES, done):
            lane[at % _LANES] += values[at]
        total = ((lane[0] + lane[1]) + (lane[2] + lane[3])) + (
            (lane[4] + lane[5]) + (lane[6] + lane[7])
        )
    for at in range(done, count):
        total += values[at]
    return total


@inner
def _hop(places: Any, i: int, j: int) -> float:
    return math.hypot(places[i, 0] - places[j, 0], places[i, 1] - places[j, 1])


@compiled
def tables(
    places: Any, following: Any, trips: Any,
    owner: Any, trip: Any, rank: Any, sequence: Any, first: Any, share: Any,
) -> None:  # fmt: skip
    """Write plans out as sketches, every vehicle's trips in canonical order.

    ``places`` is ``(B, N + 1, 2)`` float64; ``following`` and ``trips`` are those of
    :class:`geopar.search.hcvrp.sketches.FirstPlans`; the others are what
    :class:`geopar.model.sketch.Sketch` holds, and are filled. The canonical order is that of
    :func:`geopar.problems.hcvrp.canonical.canonical`.
    """
    size, home = sequence.shape
    vehicles = first.shape[1] - 1
    slots = trips.shape[1]
    hops, stops = np.empty(home + 1), np.empty(home, dtype=np.int64)
    length, count = np.empty(slots), np.empty(slots, dtype=np.int64)
    turned = np.empty(slots, dtype=np.bool_)
    listed = np.empty(slots, dtype=np.int64)
    for b in range(size):
        at, number = 0, 0
        owner[b, home], trip[b, home], rank[b, home], share[b, home] = vehicles, home, -1, 0.0
        for v in range(vehicles):
            first[b, v] = at
            found = 0
            for t in range(slots):
                c = trips[b, t, 0]
                if trips[b, t, 1] != v or c >= home:
                    continue
                n, begin = 0, _hop(places[b], c, home)
                end = begin
                while True:
                    n += 1
                    after = following[b, c]
                    if after >= home:
                        break
                    hops[n - 1] = _hop(places[b], after, c)
                    c = after
                end = _hop(places[b], c, home)
                count[t], turned[t] = n, begin < end
                length[t] = begin + _sum(hops[: n - 1]) + end
                # The longest first; of equals that which was found first.
                k = found
                while k > 0 and length[listed[k - 1]] < length[t]:
                    listed[k] = listed[k - 1]
                    k -= 1
                listed[k] = t
                found += 1
            for k in range(found):
                t = listed[k]
                c, n = trips[b, t, 0], count[t]
                for i in range(n):
                    stops[n - 1 - i if turned[t] else i] = c
                    c = following[b, c]
                before = home
                for i in range(n):
                    hops[i] = _hop(places[b], stops[i], before)
                    before = stops[i]
                hops[n] = _hop(places[b], home, before)
                part = _sum(hops[: n + 1]) / n
                for i in range(n):
                    j = stops[i]
                    owner[b, j], trip[b, j], rank[b, j], share[b, j] = v, number, at, part
                    sequence[b, at] = j
                    at += 1
                number += 1
        first[b, vehicles] = at
