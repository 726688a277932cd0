"""A second opinion on a state: everything that the search keeps up to date, computed anew."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from geopar.search.day import data as given
from geopar.search.day import state as columns
from geopar.search.day.data import Data
from geopar.search.day.start import best_routes
from geopar.search.day.state import State

# Moments may differ by their rounding.
CLOSE = 1e-7


class BrokenStateError(Exception):
    """The plan under search is no plan, or its numbers are not those of the plan."""


class _Visit(NamedTuple):
    """A node of a vehicle's list, with all that decides when it goes on."""

    node: int
    place: int
    windows: list[tuple[float, float]]
    spent: float


def audit(data: Data, state: State) -> None:
    """Follow every vehicle in plain Python, for tests, after every iteration if need be.

    Raises
    ------
    BrokenStateError
        Where the state is wrong.
    """
    served: list[int] = []
    total = 0.0
    slots = []
    for v in range(len(data.fleet)):
        visits = _visits(data, state, v)
        if len(visits) > 2:
            served += [visit.node for visit in visits if visit.node < len(data.stop)]
            slots += [visit.node for visit in visits]
            _check_times(data, state, v, visits)
        else:
            _check(state.tour[v, columns.COST] == 0.0, "rest", v)
        total += float(state.tour[v, columns.COST])
    absent = state.lists[columns.ABSENT, : state.counters[columns.ABSENT]].tolist()
    _check(sorted(served + absent) == list(range(len(data.stop))), "served once", served)
    missing = float(data.stop[absent, given.PRIORITY].sum())
    _check(math.isclose(missing, state.totals[columns.MISSING], abs_tol=CLOSE), "missing", missing)
    _check(math.isclose(total, state.totals[columns.TOTAL], rel_tol=CLOSE), "total", total)
    n = len(data.stop)
    used = {slot - n for slot in slots if n <= slot < n + len(state.amount)}
    free = state.lists[columns.FREE, : state.counters[columns.FREE]].tolist()
    _check(sorted([*used, *free]) == list(range(len(state.amount))), "slots", used)
    _check(len(used) == state.counters[columns.OPEN_TRIPS], "open trips", used)
    best = [c for trips in best_routes(data, state) for trip in trips for c in trip.tolist()]
    _check(len(best) == len(set(best)), "best plan", best)
    left = [c for c in range(n) if c not in set(best)]
    least = float(data.stop[left, given.PRIORITY].sum())
    _check(math.isclose(least, state.totals[columns.BEST_MISSING], abs_tol=CLOSE), "best", least)


def _check(holds: bool, what: str, value: object) -> None:
    if not holds:
        raise BrokenStateError(what, value)


def _visits(data: Data, state: State, v: int) -> list[_Visit]:
    """The list of a vehicle, with its loads and who it may serve checked on the way."""
    n, slots = len(data.stop), len(state.amount)
    x, previous, visits = n + slots + v, -1, list[_Visit]()
    trip, load, trips = -1, np.zeros(data.dimensions), 0
    first = state.node[state.node[x, columns.NEXT]]
    under_way = bool(first[columns.TRIP] >= 0 and first[columns.KIND] & columns.ABOARD_TRIP)
    _check((state.node[x, columns.PLACE] < 0) == under_way, "under way", v)
    while True:
        row = state.node[x]
        _check(previous < 0 or row[columns.PREVIOUS] == previous, "previous", x)
        _check(len(visits) < len(state.node), "circle", v)
        if x < n:
            _check(row[columns.TRIP] == trip, "trip", x)
            load = load + data.stop[x, given.DEMAND :]
            _check(bool((load <= data.shift[v, given.CAPACITY :]).all()), "load", x)
            _check(not len(data.allowed) or data.allowed[x, v] == 1, "allowed", x)
            kind = state.node[n + trip, columns.KIND]
            _check((data.task[x, given.CARRIER] == v) == (kind != columns.FREELY), "certain", x)
            some = slice(*data.task[x : x + 2, given.FIRST_WINDOW])
            windows = [(a, b) for a, b, _ in data.window[some].tolist()]
            stop = data.stop[x]
            windows = windows or [(stop[given.OPENS], stop[given.CLOSES])]
            visits.append(
                _Visit(x, int(data.task[x, given.ROW]), windows, float(stop[given.SERVICE]))
            )
        elif x < n + slots:
            trip, load, trips = x - n, np.zeros(data.dimensions), trips + 1
            _check(state.node[x, columns.OWNER] == v, "owner", x)
            visits.append(_depot_visit(data, state, v, trip))
        elif x < n + slots + len(data.fleet):
            place = -1 if under_way else int(data.fleet[v, given.HOME])
            window = (float(data.shift[v, given.FROM]), float(data.shift[v, given.TO]))
            visits.append(_Visit(x, place, [window], 0.0))
        else:
            end, closes = int(data.fleet[v, given.END]), float(data.shift[v, given.TO])
            if end == data.depot >= 0:
                closes = min(closes, data.closes)
            visits.append(_Visit(x, end, [(-math.inf, closes)], 0.0))
            break
        previous, x = x, int(row[columns.NEXT])
    _check(state.tour[v, columns.TRIPS] == trips, "trips", v)
    _check(trips <= data.fleet[v, given.MOST_TRIPS], "most trips", v)
    return visits


def _depot_visit(data: Data, state: State, v: int, t: int) -> _Visit:
    """Loading, and the amounts of a trip."""
    n = len(data.stop)
    customers: list[int] = []
    c = int(state.node[n + t, columns.NEXT])
    while c < n:
        _check(len(customers) < n, "circle", c)
        customers.append(c)
        c = int(state.node[c, columns.NEXT])
    _check(len(customers) == state.node[n + t, columns.SIZE] > 0, "size", t)
    load = data.stop[customers, given.DEMAND :].sum(axis=0)
    kept = state.amount[t, columns.LOAD : columns.LOAD + data.dimensions]
    _check(np.allclose(load, kept), "amount", t)
    aboard = state.node[n + t, columns.KIND] & columns.ABOARD_TRIP
    release = float(data.stop[customers, given.RELEASED].max())
    _check(release == state.amount[t, columns.RELEASE], "release", t)
    if aboard:
        return _Visit(n + t, int(data.fleet[v, given.HOME]), [(-math.inf, math.inf)], 0.0)
    if data.depot < 0:
        return _Visit(n + t, int(data.fleet[v, given.HOME]), [(release, math.inf)], 0.0)
    opens, closes = max(data.opens, release - data.loading), data.closes - data.loading
    return _Visit(n + t, data.depot, [(opens, closes)], data.loading)


def _travel(data: Data, v: int, i: int, j: int) -> tuple[float, float]:
    if i < 0 or j < 0:
        return 0.0, 0.0
    speed, profile = data.shift[v, given.SPEED], data.fleet[v, given.PROFILE]
    if data.straight:
        length = math.dist(data.xy[i], data.xy[j])
        return length / speed, length
    return float(data.durations[profile, i, j] / speed), float(data.distances[profile, i, j])


def _follow(data: Data, v: int, visits: list[_Visit], now: float) -> list[float] | None:
    """When service begins at each of some visits, if the first is reached now; None if late."""
    begins: list[float] = []
    for i, visit in enumerate(visits):
        if i:
            now += visits[i - 1].spent + _travel(data, v, visits[i - 1].place, visit.place)[0]
        moment = next((max(now, a) for a, b in visit.windows if now <= b + CLOSE / 10), None)
        if moment is None:
            return None
        begins.append(moment)
        now = moment
    return begins


def _check_times(data: Data, state: State, v: int, visits: list[_Visit]) -> None:
    """All that is kept of a vehicle that is on the road."""
    shift = data.shift[v]
    begins = _follow(data, v, visits, float(shift[given.FROM]))
    if begins is None:
        raise BrokenStateError("late", v)
    finish = begins[-1]
    for i, visit in enumerate(visits):
        kept = state.time[visit.node]
        _check(math.isclose(kept[columns.BEGIN], begins[i], abs_tol=CLOSE), "begin", visit)
        latest = float(kept[columns.LATEST])
        _check(latest >= begins[i] - CLOSE, "latest", visit)
        for moment in (begins[i], latest):
            if math.isfinite(moment):
                rest = _follow(data, v, visits[i:], moment - 1e-9)
                _check(rest is not None, "latest is too late", visit)
                if rest is not None and data.rests and not data.several:
                    told = max(moment, kept[columns.REST_FROM]) + kept[columns.REST]
                    _check(math.isclose(told, rest[-1], abs_tol=CLOSE), "rest", visit)
        later = latest + 2 * CLOSE
        _check(math.isinf(latest) or _follow(data, v, visits[i:], later) is None, "later", visit)
    tour = state.tour[v]
    driven = sum(_travel(data, v, one.place, other.place)[1] for one, other in pairwise(visits))
    n = len(data.stop)
    stops = [(i, begin) for i, begin in enumerate(begins) if visits[i].node < n]
    arrivals = sum(begin - data.dawn for _, begin in stops)
    _check(math.isclose(tour[columns.FINISH], finish, abs_tol=CLOSE), "finish", v)
    _check(math.isclose(tour[columns.DRIVEN], driven, abs_tol=CLOSE), "driven", v)
    _check(math.isclose(tour[columns.ARRIVALS], arrivals, abs_tol=CLOSE), "arrivals", v)
    if not data.duties:
        return
    duty = finish - _leaving(data, v, visits, begins)
    _check(math.isclose(tour[columns.DUTY], duty, abs_tol=10 * CLOSE), "duty", (v, duty))
    _check(duty <= shift[given.LONGEST] + 10 * CLOSE, "longest", v)


def _leaving(data: Data, v: int, visits: list[_Visit], begins: list[float]) -> float:
    """By halving: the last moment from which the vehicle does as well as from the first."""
    n = len(data.stop)
    good, bad = float(data.shift[v, given.FROM]), begins[-1] + 1.0
    for _ in range(80):
        middle = (good + bad) / 2
        then = _follow(data, v, visits, middle)
        fine = then is not None and then[-1] <= begins[-1] + CLOSE / 10
        if fine and then is not None and data.goal == given.ARRIVALS:
            pairs = zip(visits, then, begins, strict=True)
            fine = all(a <= b + CLOSE / 10 for visit, a, b in pairs if visit.node < n)
        good, bad = (middle, bad) if fine else (good, middle)
    return good
