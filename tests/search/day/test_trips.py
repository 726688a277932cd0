"""Whole trips that move or change places."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import instances
from day_audit import audit
from day_plans import (
    CLOSE,
    Walk,
    anew,
    at_random,
    contents,
    days_by_goal,
    forced,
    kinds_of,
    nodes_of,
    plan_of,
    same_numbers,
)
from geopar.compiled.jit import compiled
from geopar.problems.day import Day
from geopar.search import day as search
from geopar.search.day.cost import goal_of
from geopar.search.day.state import (
    FREELY,
    KIND,
    LAST_HOME,
    LOCKED_TRIP,
    TRIP,
    accept,
    begin,
    reject,
)
from geopar.search.day.trips import last_of, may_drive, move_trip, random_trip


@compiled(allocates=True)
def tried(data, state):
    begin(state)
    return move_trip(data, state)


@compiled(allocates=True)
def kept(data, state):
    accept(state)
    goal_of(data, state)


@compiled(allocates=True)
def put_back(data, state):
    reject(data, state)


@compiled(allocates=True)
def looked_at(data, state, d, v):
    return may_drive(data, state, d, v), last_of(data, state, d), random_trip(data, state, v)


@settings(max_examples=100)
@given(days_by_goal(), st.integers(0, 99))
def test_trips_stay_whole_and_all_numbers_are_those_of_a_plan_made_from_nothing(problem, seed):
    data, state = at_random(problem, seed)
    walk, fleet = Walk(problem), range(problem.num_vehicles)
    for _ in range(8):
        before, bits = plan_of(data, state), contents(data, state)
        kinds = [kinds_of(data, state, v) for v in fleet]
        possible = tried(data, state)
        after = plan_of(data, state)
        assert sorted(t for trips in after for t in trips) == sorted(
            t for trips in before for t in trips
        )
        if possible:
            for v in fleet:
                certain = sum(kind != FREELY for kind in kinds[v])
                assert after[v][:certain] == before[v][:certain]
            same_numbers(data, state, anew(data, state))
            kept(data, state)
            audit(data, state)
        else:
            if after != before:
                assert any(walk.drive(v, after[v], -CLOSE) is None for v in fleet if after[v])
            put_back(data, state)
            assert contents(data, state) == bits


def two_and_one() -> tuple:
    """Two trips of one vehicle, one of another, and one that must stay."""
    problem = instances.square().replace(day=Day(locked=[[[3]], []]))
    data = search.prepare(problem)
    kinds = [[LOCKED_TRIP, FREELY, FREELY], [FREELY]]
    state, _ = forced(data, [[[3], [0], [1]], [[2]]], kinds)
    state.counters[LAST_HOME] = 0
    return data, state


def test_every_move_and_every_swap_is_made():
    data, state = two_and_one()
    seen = set()
    for _ in range(600):
        if tried(data, state):
            first, second = plan_of(data, state)
            assert first[0] == [3]
            seen.add((tuple(c for (c,) in first[1:]), tuple(c for (c,) in second)))
        put_back(data, state)
    # From 0, 1 and 2: give one away or take one, to any place; let two change places.
    moves: set[tuple[tuple[int, ...], tuple[int, ...]]]
    moves = {((1,), (0, 2)), ((1,), (2, 0)), ((0,), (1, 2)), ((0,), (2, 1))}
    moves |= {((2, 0, 1), ()), ((0, 2, 1), ()), ((0, 1, 2), ())}
    swaps = {((2, 1), (0,)), ((0, 2), (1,)), ((1, 0), (2,))}
    # A trip that goes before itself or its neighbour stays where it is.
    assert seen - {((0, 1), (2,))} == moves | swaps


def test_without_a_depot_trips_stay_where_they_are():
    day = Day(has_depot=False, start=[(0, 0), (1, 1)])
    data, state = at_random(instances.square().replace(day=day), 0)
    for _ in range(50):
        assert not tried(data, state)
        put_back(data, state)


@given(days_by_goal(), st.integers(0, 99))
def test_a_trip_may_be_driven_by_who_has_room_and_leave_for_all_of_it(problem, seed):
    data, state = at_random(problem, seed)
    walk, n, routes = Walk(problem), problem.num_tasks, plan_of(data, state)
    for trips in routes:
        for trip in trips:
            d = n + int(state.node[trip[0], TRIP])
            for v in range(problem.num_vehicles):
                may, last, drawn = looked_at(data, state, d, v)
                allowed = all(walk.may_serve(v, c) for c in trip)
                assert may == (allowed and walk.has_room(v, trip))
                assert last == trip[-1]
                free = [
                    x for x in nodes_of(data, state, v)
                    if n <= x < n + len(state.amount) and state.node[x, KIND] == FREELY
                ]  # fmt: skip
                assert drawn in (free or [-1])


def test_any_trip_that_may_change_is_drawn_as_often():
    data, state = two_and_one()
    drawn = [looked_at(data, state, nodes_of(data, state, 0)[1], 0)[2] for _ in range(900)]
    free = [x for x in nodes_of(data, state, 0)[2:] if 4 <= x < 4 + len(state.amount)]
    counts = [drawn.count(x) for x in free]
    assert sum(counts) == 900
    assert (np.abs(np.array(counts) - 450) < 75).all()
