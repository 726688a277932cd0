"""The linked lists of a state against lists of Python, and the undo to the last bit."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import instances
from day_plans import Trips, anew, at_random, contents, days_by_goal, plan_of, same_numbers
from geopar.compiled.jit import compiled
from geopar.problems.day import Day
from geopar.search import day as search
from geopar.search.day.cost import settle
from geopar.search.day.data import CARRIER, PRIORITY
from geopar.search.day.state import (
    ABSENT,
    CACHE_LINE,
    FREE,
    FREELY,
    ITERATION,
    LAST_STAMP,
    MISSING,
    PREVIOUS,
    REMOVED,
    RUINED,
    STAMP,
    TOUCHED_VEHICLES,
    TRIP,
    WHERE,
    accept,
    begin,
    empty_state,
    end_of,
    link,
    open_trip,
    push,
    reject,
    renew_stamps,
    save_best,
    unlink,
)
from geopar.search.day.times import refresh


@compiled(allocates=True)
def change(data, state, moves):
    """Move customers behind others, to a new trip at the end of some vehicle's day, or out."""
    begin(state)
    for i in range(len(moves)):
        c, after, v = moves[i]
        if state.node[c, TRIP] >= 0:
            unlink(data, state, c)
        push(state, REMOVED, c)
        if after >= 0 and state.node[after, TRIP] >= 0:
            link(data, state, c, after)
        elif v >= 0:
            last = np.int64(state.node[end_of(data, state, v), PREVIOUS])
            t = open_trip(data, state, v, last, np.int64(FREELY))
            link(data, state, c, len(data.stop) + t)
    for i in range(state.counters[TOUCHED_VEHICLES]):
        v = np.int64(state.lists[TOUCHED_VEHICLES, i])
        refresh(data, state, v)
        settle(data, state, v)


@compiled(allocates=True)
def finish(data, state, kept):
    """Accept a change as the best plan, or reject it."""
    if kept:
        accept(state)
        save_best(state)
    else:
        reject(data, state)


@compiled(allocates=True)
def renew(data, state):
    renew_stamps(data, state)


@st.composite
def changes(draw):
    """A state with a random plan, and moves of some of its customers, each at most once."""
    problem = draw(days_by_goal())
    data, state = at_random(problem, draw(st.integers(0, 99)))
    free = np.flatnonzero(data.task[:-1, CARRIER] < 0).tolist()
    assume(free)
    moves = []
    for c in draw(st.lists(st.sampled_from(free), unique=True, min_size=1)):
        after = draw(st.sampled_from([-1, *free]).filter(c.__ne__))
        moves.append((c, after, draw(st.integers(-1, problem.num_vehicles - 1))))
    return data, state, np.array(moves)


def moved(routes: list[Trips], moves) -> list[Trips]:
    """What the moves do to lists."""
    routes = [[list(trip) for trip in trips] for trips in routes]
    for c, after, v in moves.tolist():
        for trips in routes:
            for trip in [trip for trip in trips if c in trip]:
                trip.remove(c)
                if not trip:
                    trips.remove(trip)
        behind = [trip for trips in routes for trip in trips if after in trip]
        if behind:
            behind[0].insert(behind[0].index(after) + 1, c)
        elif v >= 0:
            routes[v].append([c])
    return routes


@given(changes())
def test_an_accepted_change_does_what_it_does_to_lists_and_every_number_is_true(case):
    data, state, moves = case
    expected = moved(plan_of(data, state), moves)
    change(data, state, moves)
    assert plan_of(data, state) == expected
    same_numbers(data, state, anew(data, state))
    finish(data, state, True)
    assert plan_of(data, state) == expected
    best = search.best_routes(data, state)
    assert [[trip.tolist() for trip in trips] for trips in best] == expected
    # Who is absent stands in one list, and every trip is free or in use.
    served = {c for trips in expected for trip in trips for c in trip}
    absent = state.lists[ABSENT, : state.counters[ABSENT]].tolist()
    assert sorted(absent) == sorted(set(range(len(data.stop))) - served)
    where = np.full(len(data.stop), -1)
    where[absent] = np.arange(len(absent))
    assert state.node[: len(data.stop), WHERE].tolist() == where.tolist()
    np.testing.assert_allclose(state.totals[MISSING], data.stop[absent, PRIORITY].sum(), atol=1e-9)
    free = state.lists[FREE, : state.counters[FREE]].tolist()
    used = {int(state.node[c, TRIP]) for c in served}
    assert sorted([*free, *used]) == list(range(len(state.amount)))


@given(changes())
def test_a_rejected_change_leaves_not_a_bit_changed(case):
    data, state, moves = case
    before, routes = contents(data, state), plan_of(data, state)
    change(data, state, moves)
    # Moves may also put everybody back where they were.
    if moved(routes, moves) != routes:
        assert contents(data, state) != before
    finish(data, state, False)
    assert contents(data, state) == before


@given(changes(), st.data())
def test_the_best_plan_stays_what_it_was_until_there_is_a_better_one(case, draw):
    data, state, moves = case
    best = plan_of(data, state)
    cut = draw.draw(st.integers(0, len(moves)))
    # Accepted but not the best.
    change(data, state, moves[:cut])
    kept_only(state)
    change(data, state, moves[cut:])
    told = search.best_routes(data, state)
    assert [[trip.tolist() for trip in trips] for trips in told] == best
    finish(data, state, True)
    told = search.best_routes(data, state)
    assert [[trip.tolist() for trip in trips] for trips in told] == plan_of(data, state)


@compiled(allocates=True)
def kept_only(state):
    accept(state)


@given(changes())
def test_stamps_begin_anew_long_before_they_run_out(case):
    data, state, moves = case
    n = len(data.stop)
    for _ in range(2):
        change(data, state, moves)
        finish(data, state, False)
    stamps = state.node[:, STAMP].copy()
    renew(data, state)
    assert (state.node[:, STAMP] == stamps).all()
    # As it would be after years, with marks of the first iterations to come.
    state.node[n : n + len(state.amount), RUINED] = 1
    state.counters[ITERATION] = LAST_STAMP + 1
    renew(data, state)
    assert state.counters[ITERATION] == 0
    assert (state.node[n : n + len(state.amount), RUINED] != 1).all()
    before = contents(data, state)
    change(data, state, moves)
    finish(data, state, False)
    assert contents(data, state) == before


def test_at_first_everybody_is_absent_and_nobody_on_the_road():
    problem = instances.handful().replace(day=Day(priority=np.arange(1, 13)))
    data = search.prepare(problem)
    state = empty_state(data, 3)
    assert plan_of(data, state) == [[], [], []]
    assert state.counters[ABSENT] == 12
    assert state.totals[MISSING] == 78
    assert state.node.ctypes.data % CACHE_LINE == state.time.ctypes.data % CACHE_LINE == 0
    assert (empty_state(data, 4).random != state.random).any()
