"""What an insertion adds is what a walk in plain Python says of the plan before and after it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

import instances
from day_plans import (
    CLOSE,
    Driven,
    Spot,
    Walk,
    close_to,
    forced,
    plan_of,
    spots_for,
    states_with_somebody_out,
)
from geopar.compiled.jit import compiled
from geopar.problems.day import Day
from geopar.search import day as search
from geopar.search.day.data import RELEASED
from geopar.search.day.judge import arrival_with, judge
from geopar.search.day.recreate import place
from geopar.search.day.state import (
    DUTY,
    NEXT,
    RELEASE,
    TOTAL,
    begin,
    reject,
)


@compiled(allocates=True)
def judged(data, state, c, places, most, found, arrivals):
    for i in range(len(places)):
        p, q, v, t = places[i]
        found[i] = judge(data, state, c, p, q, v, t, most)
        if t >= 0:
            arrivals[i] = arrival_with(data, state, c, p, q, v)


@compiled(allocates=True)
def placed(data, state, c, p, v, t):
    """By how much the cost grows when it is done; undone again."""
    begin(state)
    before = state.totals[TOTAL]
    place(data, state, c, p, v, t)
    grown = state.totals[TOTAL] - before
    reject(data, state)
    return grown


def prices(data, state, c, spots: list[Spot], most: float = math.inf):
    """What is said of each place, and when the next stop would be reached there."""
    places = np.array([spot[:4] for spot in spots], dtype=np.int64).reshape(-1, 4)
    found, arrivals = np.full((2, len(spots)), np.nan)
    judged(data, state, c, places, most, found, arrivals)
    return found.tolist(), arrivals.tolist()


@settings(max_examples=150)
@given(states_with_somebody_out())
def test_it_adds_the_difference_of_two_walks_and_is_infinite_where_none_keeps_to_the_times(case):
    problem, data, state, c = case
    walk, routes = Walk(problem), plan_of(data, state)
    spots = list(spots_for(data, state, c))
    nothing = Driven([], walk.dawn, 0.0, 0.0)
    now = [walk.drive(v, trips) if trips else nothing for v, trips in enumerate(routes)]
    for spot, price in zip(spots, prices(data, state, c, spots)[0], strict=True):
        strictly = walk.drive(spot.v, spot.trips, -CLOSE)
        driven, before = walk.drive(spot.v, spot.trips), now[spot.v]
        if driven is None:
            assert price == math.inf
        elif strictly is not None:
            cost = walk.cost(data, state, before) if routes[spot.v] else 0.0
            grown = walk.cost(data, state, driven) - cost
            way = abs(driven.length - before.length) * data.per_length
            late = abs(driven.finish - before.finish) * data.per_time
            assert close_to(price, grown, way, late), spot
            done = placed(data, state, c, spot.p, spot.v, spot.t)
            assert close_to(done, grown, way, late), spot


@settings(max_examples=100)
@given(states_with_somebody_out())
def test_what_costs_less_than_most_is_never_seen_off(case):
    _, data, state, c = case
    spots = list(spots_for(data, state, c))
    found, _ = prices(data, state, c, spots)
    for spot, price in zip(spots, found, strict=True):
        if price == math.inf:
            continue
        hair = 1e-6 * max(1.0, abs(price))
        assert prices(data, state, c, [spot], price + hair)[0] == [price]
        assert prices(data, state, c, [spot], price - hair)[0][0] in (price, math.inf)


@given(states_with_somebody_out())
def test_a_look_at_the_arrival_overlooks_no_place_and_is_exact_with_one_window(case):
    problem, data, state, c = case
    walk = Walk(problem)
    spots = [spot for spot in spots_for(data, state, c) if spot.t >= 0]
    found, arrivals = prices(data, state, c, spots)
    for spot, price, arrival in zip(spots, found, arrivals, strict=True):
        if price < math.inf:
            assert arrival < math.inf
        in_time = data.stop[c, RELEASED] <= state.amount[spot.t, RELEASE]
        driven = walk.drive(spot.v, spot.trips, -CLOSE)
        if driven is None or data.several or not in_time:
            continue
        order = [one for trip in spot.trips for one in trip]
        at, v = order.index(c), spot.v
        following = int(state.node[spot.p, NEXT])
        depot = problem.num_tasks if problem.day.has_depot else int(problem.homes[v])
        there = following if following < len(data.stop) else depot
        if following >= len(data.stop) + len(state.amount):
            there = int(problem.ends[v])
        hop = walk.hop[v][c][there] if there >= 0 else 0.0
        assert arrival == pytest.approx(driven.begins[at] + walk.service[c] + hop, abs=1e-7)


def line(**parts):
    """Customers at 1, 2 and 3 on a line from the depot, one vehicle of speed one."""
    customers = [[1, 0], [2, 0], [3, 0]]
    return instances.HCVRP([0, 0], customers, [1] * 3, [3], [1]).replace(day=Day(**parts))


@pytest.mark.parametrize(
    ("parts", "least"),
    [
        # The last trip is back at 4, loads for one, and is at 3 at 8.
        ({"closes": 11, "loading": 0.5}, 11.0),
        ({"available": [(0, 11)], "loading": 0.5}, 11.0),
        ({"longest": [11], "loading": 0.5}, 11.0),
        ({"windows": [[], [], [(0, 8)]], "loading": 0.5}, 8.0),
        ({"windows": [[], [], [(0, 1), (5, 8)]], "loading": 0.5}, 8.0),
    ],
)
def test_a_limit_that_is_met_exactly_is_kept_and_one_a_little_less_is_not(parts, least):
    found = []
    for less in (0.0, 1e-6):
        tight = {name: _less(value, least, less) for name, value in parts.items()}
        problem = line(**tight, minimise="distance")
        data = search.prepare(problem)
        state, _ = forced(data, [[[1]]])
        (spot,) = (spot for spot in spots_for(data, state, 2) if spot.trips == [[1], [2]])
        found.append(prices(data, state, 2, [spot])[0][0])
    assert found[0] == pytest.approx(6.0 * data.per_length)
    assert found[1] == math.inf


def _less(value, limit: float, less: float):
    """The limit, wherever it stands, a little less."""
    if isinstance(value, list | tuple):
        return type(value)(_less(one, limit, less) for one in value)
    return value - less if value == limit else value


def test_goods_that_are_released_later_join_a_trip_that_would_begin_at_zero():
    # One trip for all: the first two wait for the third's goods, which are there at 5.
    problem = line(released=[0, 0, 5], most_trips=[1], minimise="distance")
    data = search.prepare(problem)
    state, _ = forced(data, [[[0, 1]]])
    spots = list(spots_for(data, state, 2))
    assert [spot.trips for spot in spots] == [[[2, 0, 1]], [[0, 2, 1]], [[0, 1, 2]]]
    # Farther out than both: there and back on the way.
    added = np.array([4, 2, 2]) * data.per_length
    assert prices(data, state, 2, spots)[0] == pytest.approx(added)


def test_who_must_be_early_makes_the_vehicle_wait_on_duty_for_who_opens_late():
    # At 1 until 3, at 2 not before 20: it leaves at 2 instead of 18, and is back at 22.
    data = search.prepare(line(windows=[[(0, 3)], [(20, 30)], []], minimise="duration"))
    state, _ = forced(data, [[[1]]])
    assert state.tour[0, DUTY] == pytest.approx(4.0)
    (spot,) = (spot for spot in spots_for(data, state, 0) if spot.trips == [[0, 1]])
    assert prices(data, state, 0, [spot])[0] == pytest.approx([16.0 * data.per_time], rel=1e-5)
    state, _ = forced(data, [[[0, 1]]])
    assert state.tour[0, DUTY] == pytest.approx(20.0)
    # And who comes before both waits as well, at home.
    (spot,) = (spot for spot in spots_for(data, state, 2) if spot.trips == [[2, 0, 1]])
    assert prices(data, state, 2, [spot])[0] == [math.inf]
    (spot,) = (spot for spot in spots_for(data, state, 2) if spot.trips == [[0, 2, 1]])
    assert prices(data, state, 2, [spot])[0] == pytest.approx([0.0], abs=1e-5)
