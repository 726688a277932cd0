"""Insertions: each where it costs least of all places, by walks in plain Python."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import instances
from day_audit import audit
from day_plans import (
    CLOSE,
    Driven,
    Walk,
    at_random,
    close_to,
    contents,
    days_by_goal,
    forced,
    plan_of,
    random_day,
    spots_for,
    states_with_somebody_out,
    without,
)
from geopar.compiled.jit import compiled
from geopar.problems.day import GOALS, Day
from geopar.search import day as search
from geopar.search.day.cost import goal_of, settle
from geopar.search.day.data import CARRIER, FROM_DEPOT
from geopar.search.day.recreate import (
    blinks,
    has_room,
    insert,
    insert_aboard,
    may_serve,
    recreate,
    sort_removed,
)
from geopar.search.day.ruin import ruin
from geopar.search.day.state import (
    LOCKED_TRIP,
    MISSING,
    REMOVED,
    TOTAL,
    TOUCHED_VEHICLES,
    TRIP,
    accept,
    begin,
    push,
    reject,
)
from geopar.search.day.times import refresh


@compiled(allocates=True)
def inserted(data, state, c):
    """Whether, and by how much the cost grew."""
    begin(state)
    push(state, REMOVED, c)
    before = state.totals[TOTAL]
    if data.task[c, CARRIER] >= 0:
        done = insert_aboard(data, state, c)
    else:
        done = insert(data, state, c, 0.0, len(data.fleet))
    accept(state)
    return done, state.totals[TOTAL] - before


@compiled(allocates=True)
def fits(data, state, t, v, c):
    return has_room(data, state, t, v, c), may_serve(data, v, c)


@compiled(allocates=True)
def overlooked(state, blink, times):
    count = 0
    for _ in range(times):
        count += blinks(state, blink)
    return count


@compiled(allocates=True)
def sorted_removed(data, state, customers):
    begin(state)
    for c in customers:
        push(state, REMOVED, c)
    sort_removed(data, state)
    return state.lists[REMOVED, : state.counters[REMOVED]].copy()


@compiled(allocates=True)
def taken_apart_and_together(data, state, seed, blink, most):
    begin(state)
    ruin(data, state, seed, 8.0, 8.0, 0.5)
    possible = True
    for i in range(state.counters[TOUCHED_VEHICLES]):
        v = np.int64(state.lists[TOUCHED_VEHICLES, i])
        possible &= refresh(data, state, v)
        settle(data, state, v)
    done = possible and recreate(data, state, blink, most)
    if done:
        accept(state)
        goal_of(data, state)
    else:
        reject(data, state)
    return done


def growths(problem, data, state, spots) -> list[tuple[float, float, float]]:
    """What all places that can be driven add, with the change of way and finish."""
    walk, routes, found = Walk(problem), plan_of(data, state), []
    for v, trips, number in spots:
        at_home = Driven([], walk.dawn, 0.0, 0.0)
        before = walk.drive(v, routes[v]) if routes[v] else at_home
        driven, strictly = walk.drive(v, trips), walk.drive(v, trips, -CLOSE)
        # What is right at a limit may go either way.
        assume((driven is None) == (strictly is None))
        if driven is None or not walk.has_room(v, trips[number]):
            continue
        cost = walk.cost(data, state, before) if routes[v] else 0.0
        way = abs(driven.length - before.length) * data.per_length
        late = abs(driven.finish - before.finish) * data.per_time
        found.append((walk.cost(data, state, driven) - cost, way, late))
    return sorted(found)


@settings(max_examples=150)
@given(states_with_somebody_out(roads=False))
def test_a_customer_goes_where_it_costs_least_of_all_places(case):
    problem, data, state, c = case
    walk = Walk(problem)
    spots = [
        (spot.v, spot.trips, next(i for i, trip in enumerate(spot.trips) if c in trip))
        for spot in spots_for(data, state, c)
        if walk.may_serve(spot.v, c)
    ]
    ways = growths(problem, data, state, spots)
    before = plan_of(data, state)
    done, grown = inserted(data, state, c)
    assert done == bool(ways)
    assert (plan_of(data, state) != before) == done
    if done:
        slack = max(way + late for _, way, late in ways)
        assert close_to(grown, *ways[0][:1], slack, 0.0)
        assert plan_of(data, state) in [
            [*before[:v], trips, *before[v + 1 :]] for v, trips, _ in spots
        ]


@given(st.integers(0, 2**32 - 1), st.sampled_from(GOALS), st.integers(3, 7), st.data())
def test_goods_on_board_go_where_they_cost_least_on_the_first_trip(seed, goal, customers, draw):
    problem = random_day(customers, 2, {"service", "available"}, goal, seed)
    count = 2 + seed % (customers - 1)
    problem = problem.replace(
        capacity=[99, 9], day=problem.day.replace(on_board=[list(range(count)), []])
    )
    data, state = at_random(problem, seed % 100)
    aboard = [
        c for c in range(customers) if data.task[c, CARRIER] >= 0 and state.node[c, TRIP] >= 0
    ]
    assume(aboard)
    c = draw.draw(st.sampled_from(aboard))
    v = int(data.task[c, CARRIER])
    whole = plan_of(data, state)
    without(data, state, c, v)
    first, *rest = plan_of(data, state)[v]
    assert whole[v][1:] == rest
    # Who has served all that it has on board is still on its way from where it is.
    assume(first)
    spots = [(v, [[*first[:i], c, *first[i:]], *rest], 0) for i in range(len(first) + 1)]
    ways = growths(problem, data, state, spots)
    done, grown = inserted(data, state, c)
    assert done == bool(ways)
    if done:
        assert close_to(grown, ways[0][0], max(way + late for _, way, late in ways), 0.0)
        assert plan_of(data, state)[v] in [trips for _, trips, _ in spots]


def test_nothing_is_added_to_a_locked_trip():
    problem = instances.square().replace(day=Day(locked=[[[0]], []], on_board=[[0], []]))
    data = search.prepare(problem.replace(capacity=[4, 4]))
    state, _ = forced(data, [[[1]], []], [[LOCKED_TRIP], []])
    assert not inserted(data, state, 0)[0]
    assert not inserted(data, state, 2)[0] or plan_of(data, state)[0][0] == [1]


@given(states_with_somebody_out())
def test_there_is_room_and_leave_as_the_problem_says(case):
    problem, data, state, c = case
    walk, n = Walk(problem), problem.num_tasks
    for v, trips in enumerate(plan_of(data, state)):
        for t, trip in [(-1, []), *((int(state.node[trip[0], TRIP]), trip) for trip in trips)]:
            room, leave = fits(data, state, t, v, c)
            assert room == walk.has_room(v, [*trip, c])
            assert leave == walk.may_serve(v, c)
    assert n > c


def test_places_are_overlooked_as_often_as_asked_for():
    _, state = at_random(instances.square().replace(day=Day(service=[0] * 4)), 1)
    assert overlooked(state, 0.0, 1000) == 0
    assert abs(overlooked(state, 0.3, 5000) / 5000 - 0.3) < 0.03
    assert abs(overlooked(state, 0.01, 20000) / 20000 - 0.01) < 0.003


def test_removed_customers_wait_in_one_of_seven_sequences():
    windows = [[(1, 9)], [(4, 5)], [(0, 7)], [(3, 6)], [(2, 10)]]
    problem = instances.HCVRP(
        (0, 0), [(3, 0), (1, 0), (4, 0), (5, 0), (2, 0)], [2, 4, 1, 3, 5], [9], [1]
    ).replace(day=Day(windows=windows))
    data, state = at_random(problem, 0)
    closes = [b for ((_, b),) in windows]
    rules = {
        "large first": (np.argsort(-problem.demand), 4),
        "far first": (np.argsort(-data.stop[:, FROM_DEPOT]), 2),
        "near first": (np.argsort(data.stop[:, FROM_DEPOT]), 1),
        "narrow first": (np.argsort([b - a for ((a, b),) in windows]), 2),
        "early first": (np.argsort([a for ((a, _),) in windows]), 2),
        "open for long first": (np.argsort(-np.array(closes)), 2),
    }
    assert len({tuple(rule) for rule, _ in rules.values()}) == 6
    everyone = np.arange(5)
    drawn = [sorted_removed(data, state, everyone).tolist() for _ in range(1700)]
    assert all(sorted(one) == everyone.tolist() for one in drawn)
    for name, (rule, share) in rules.items():
        # Of seventeen; in four any sequence is drawn, one of 120.
        often = sum(one == rule.tolist() for one in drawn) / 100
        assert often == pytest.approx(share, abs=0.6), name


@given(days_by_goal(), st.integers(0, 99), st.sampled_from([0.0, 0.3, 0.999]))
def test_a_plan_taken_apart_and_together_is_whole(problem, random, blink):
    data, state = at_random(problem, random)
    certain = {c for c in range(problem.num_tasks) if data.task[c, CARRIER] >= 0}
    kept = {c for c in certain if state.node[c, TRIP] >= 0}
    for seed in range(problem.num_tasks):
        before = contents(data, state)
        if not taken_apart_and_together(data, state, seed, blink, math.inf):
            assert contents(data, state) == before
        audit(data, state)
        # Goods that are on board do not stay there for ever.
        assert all(state.node[c, TRIP] >= 0 for c in kept)


def test_it_gives_up_when_the_cost_passes_what_is_allowed():
    problem = instances.handful().replace(day=Day(service=np.full(12, 0.1), minimise="distance"))
    data, state = at_random(problem, 0)
    before = contents(data, state)
    for seed in range(12):
        assert not taken_apart_and_together(data, state, seed, 0.0, 0.0)
        assert contents(data, state) == before
    assert state.totals[MISSING] == 0.0
