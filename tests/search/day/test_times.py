"""How time goes: by a scan of all moments, and by a walk in plain Python."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import instances
from day_plans import (
    CLOSE,
    Trips,
    Walk,
    anew,
    any_routes,
    at_random,
    contents,
    days_by_goal,
    forced,
    nodes_of,
    plan_of,
    same_numbers,
    spots_for,
)
from geopar.compiled.jit import compiled
from geopar.problems.day import Day
from geopar.search import day as search
from geopar.search.day.data import CARRIER, CLOSES, OPENS, RELEASED
from geopar.search.day.judge import judge
from geopar.search.day.recreate import place
from geopar.search.day.state import (
    ABOARD_TRIP,
    ARRIVALS,
    BEGIN,
    COST,
    DRIVEN,
    DUTY,
    FINISH,
    FREELY,
    LATEST,
    LOAD,
    RELEASE,
    REST,
    REST_FROM,
    TOUCHED_NODES,
    TRIP,
    accept,
    begin,
)
from geopar.search.day.times import first_moment, last_moment, opening, refresh

QUARTER = 0.25


@compiled(allocates=True)
def moments(data, x, now, opens):
    return first_moment(data, x, now, opens), last_moment(data, x, now)


@compiled(allocates=True)
def opens_at(data, state, x, release):
    return opening(data, state, x, release)


@compiled(allocates=True)
def refreshed(data, state, v):
    begin(state)
    kept = refresh(data, state, v)
    accept(state)
    return kept, state.counters[TOUCHED_NODES]


@compiled(allocates=True)
def placed(data, state, c, p, q, v, t):
    """Whether it can be, and then done."""
    if judge(data, state, c, p, q, v, t, np.inf) == np.inf:
        return False
    begin(state)
    place(data, state, c, p, v, t)
    accept(state)
    return True


_quarters = st.integers(0, 40).map(lambda k: k * QUARTER)
_spans = st.tuples(_quarters, _quarters).map(lambda pair: tuple(sorted(pair)))


@given(st.lists(st.lists(_spans, max_size=3), min_size=4, max_size=4), st.integers(-8, 48))
def test_the_first_and_the_last_moment_inside_of_windows_by_a_scan(windows, now):
    data = search.prepare(instances.square().replace(day=Day(windows=windows)))
    moment = now * QUARTER
    # Every quarter from before the first window to after the last.
    scan = np.arange(-10, 60) * QUARTER
    for c, mine in enumerate(windows):
        first, last = moments(data, c, moment, float(data.stop[c, OPENS]))
        if not mine:
            assert first == last == moment
            continue
        fine = scan[[any(a <= t <= b for a, b in mine) for t in scan.tolist()]]
        soonest, latest = fine[fine >= moment], fine[fine <= moment]
        if len(soonest):
            assert first == soonest[0]
        else:
            assert first > data.stop[c, CLOSES]
        if len(latest) and data.several:
            assert last == pytest.approx(latest[-1], abs=1e-8)
        elif data.several:
            assert last == -math.inf
        else:
            assert last == moment  # those who ask look at one window themselves


def test_loading_begins_when_the_depot_is_open_and_all_is_there_when_it_ends():
    released = [3.0, 9.0, 0.0, 0.0]
    problem = instances.square().replace(day=Day(released=released, loading=2.0, opens=1.5))
    data = search.prepare(problem)
    state, _ = forced(data, [[[0], [1]], []])
    x, y = (x for x in nodes_of(data, state, 0) if 4 <= x < 4 + len(state.amount))
    assert [opens_at(data, state, x, release) for release in (0.0, 9.0)] == [1.5, 7.0]
    assert state.time[y, BEGIN] == 7.0
    # Whoever has it on board need not wait, and without a depot there is nothing to load.
    aboard, _ = forced(data, [[[0, 1]], []], [[ABOARD_TRIP], []])
    x = nodes_of(data, aboard, 0)[1]
    assert opens_at(data, aboard, x, 9.0) == -math.inf
    day = Day(released=released, has_depot=False, start=[(0, 0)] * 2)
    data = search.prepare(problem.replace(day=day))
    state, _ = forced(data, [[[0, 1]], []])
    assert opens_at(data, state, nodes_of(data, state, 0)[1], 9.0) == 9.0


@settings(max_examples=150)
@given(days_by_goal(), st.integers(0, 99))
def test_a_vehicle_keeps_its_times_exactly_if_a_walk_does_and_both_tell_the_same(problem, seed):
    data, walk = search.prepare(problem), Walk(problem)
    routes, kinds = any_routes(problem, seed)
    state, kept = forced(data, routes, kinds)
    assert plan_of(data, state) == routes
    for v, trips in enumerate(routes):
        driven, strictly = walk.drive(v, trips), walk.drive(v, trips, -CLOSE)
        if (driven is None) != (strictly is None) or not trips:
            continue
        assert kept[v] == (driven is not None)
        if driven is None:
            continue
        stops, tour = [c for trip in trips for c in trip], state.tour[v]
        assert state.time[stops, BEGIN] == pytest.approx(driven.begins, abs=1e-7)
        assert tour[FINISH] == pytest.approx(driven.finish, abs=1e-7)
        assert tour[DRIVEN] == pytest.approx(driven.length, abs=1e-7)
        assert tour[ARRIVALS] == pytest.approx(sum(b - walk.dawn for b in driven.begins), abs=1e-6)
        assert tour[DUTY] == pytest.approx(driven.duty, abs=1e-6)
        assert tour[COST] == pytest.approx(walk.cost(data, state, driven), rel=1e-5, abs=1e-6)


@given(days_by_goal(), st.integers(0, 99))
def test_the_latest_moment_is_the_last_after_which_the_rest_is_in_time(problem, seed):
    data, walk = search.prepare(problem), Walk(problem)
    routes, kinds = any_routes(problem, seed)
    state, _ = forced(data, routes, kinds)
    for v, trips in enumerate(routes):
        first = walk.shift[v][0]
        if walk.moments(v, trips, first, -CLOSE) is None:
            continue
        for c in (c for trip in trips for c in trip):
            soonest, latest = state.time[c, [BEGIN, LATEST]].tolist()
            some = min(latest, soonest + 100.0)
            for moment in (soonest, (soonest + some) / 2, some):
                then = walk.moments(v, trips, first, CLOSE, (c, moment - CLOSE / 10))
                if not data.several or moment in (soonest, some):
                    assert then is not None, (c, moment)
                if then is not None and data.rests and not data.several:
                    told = max(moment, state.time[c, REST_FROM]) + state.time[c, REST]
                    assert told == pytest.approx(then[1], abs=1e-6)
            if latest < math.inf:
                assert walk.moments(v, trips, first, CLOSE, (c, latest + 1e-5)) is None


@given(days_by_goal(), st.integers(0, 99))
def test_a_trip_carries_what_its_customers_need_and_leaves_with_the_last_of_their_goods(
    problem, seed
):
    data = search.prepare(problem)
    routes, kinds = any_routes(problem, seed)
    state, _ = forced(data, routes, kinds)
    for c in range(problem.num_tasks):
        (trip,) = (trip for trips in routes for trip in trips if c in trip)
        amount = state.amount[state.node[c, TRIP]]
        needed = [problem.demand[trip].sum()]
        if problem.day.extra_demand is not None:
            needed += problem.day.extra_demand[trip].sum(axis=0).tolist()
        assert amount[LOAD : LOAD + data.dimensions] == pytest.approx(needed)
        assert amount[RELEASE] == data.stop[trip, RELEASED].max()


@given(days_by_goal(), st.integers(0, 99))
def test_who_is_up_to_date_stays_so_and_nothing_is_copied_for_it(problem, seed):
    data, state = at_random(problem, seed)
    before = contents(data, state)
    for v, trips in enumerate(plan_of(data, state)):
        kept, touched = refreshed(data, state, v)
        assert kept
        # The start, and trips, whose loads are summed up anew.
        assert touched == 1 + len(trips)
    after = contents(data, state)
    for one, other in list(zip(before, after, strict=True))[1:]:
        if one is not before[7] and one is not before[8]:  # who differs from the best plan
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


def surely(walk: Walk, v: int, trips: Trips) -> bool:
    """Whether a vehicle keeps to its times, also if rounding goes against it.

    Who misses a window by a hair may be better off in the next one, so both are asked.
    """
    return all(walk.drive(v, trips, slack) is not None for slack in (CLOSE, -CLOSE))


@given(days_by_goal(), st.integers(0, 99), st.data())
def test_after_an_insertion_all_numbers_are_those_of_a_plan_made_from_nothing(problem, seed, draw):
    data, walk = search.prepare(problem), Walk(problem)
    routes, kinds = any_routes(problem, seed)
    # Only vehicles that keep to their times, and of the others who is certain of it.
    for v, trips in enumerate(routes):
        if not surely(walk, v, trips):
            routes[v] = [t for t, kind in zip(trips, kinds[v], strict=True) if kind != FREELY]
            kinds[v] = kinds[v][: len(routes[v])]
            assume(not routes[v] or surely(walk, v, routes[v]))
    state, kept = forced(data, routes, kinds)
    assert all(kept)
    out = [c for c in range(problem.num_tasks) if state.node[c, TRIP] < 0]
    count = 0
    for c in (c for c in out if data.task[c, CARRIER] < 0):
        spots = [spot for spot in spots_for(data, state, c) if surely(walk, spot.v, spot.trips)]
        if spots:
            spot = draw.draw(st.sampled_from(spots))
            assert placed(data, state, c, *spot[:4])
            assert plan_of(data, state)[spot.v] == spot.trips
            count += 1
            same_numbers(data, state, anew(data, state))
    assume(count)


def test_a_later_release_is_known_before_the_depot_even_if_it_is_on_the_way():
    # The third is between the first two: the way stays as it is, and the trip leaves at 5.
    places = [(1.0, 0.0), (2.0, 0.0), (1.5, 0.0)]
    problem = instances.HCVRP([0, 0], places, [1] * 3, [3], [1])
    data = search.prepare(problem.replace(day=Day(released=[0, 0, 5], most_trips=[1])))
    state, _ = forced(data, [[[0, 1]]])
    start, depot, *_ = nodes_of(data, state, 0)
    assert placed(data, state, 2, 0, 1, 0, int(state.node[0, TRIP]))
    assert state.time[[start, depot], REST_FROM].tolist() == [5.0, 5.0]
    assert state.tour[0, FINISH] == 9.0
