"""Strings that are torn out, and who is called in."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from geopar.compiled.jit import compiled
from geopar.problems.day import Day
from geopar.problems.omdcpdp.generate import generate
from geopar.search import day_orders as search
from geopar.search.day_orders.data import NOBODY
from geopar.search.day_orders.ruin import FAILED, call_in, remove_string, ruin
from geopar.search.day_orders.state import CURRENT, OUTSIDE, SCALE, TOUCHED, undo
from order_plans import METRIC, contents, forced, mixed_days, next_iteration, numbers, tours_of


@compiled(allocates=True)
def ruined(data, state):
    return ruin(data, state)


@compiled(allocates=True)
def string_removed(data, state, s, most):
    return remove_string(data, state, np.uint32(s), np.int64(0), most)


@compiled(allocates=True)
def called_in(data, state, seed):
    return call_in(data, state, np.uint32(seed), np.int64(0))


@compiled(allocates=True)
def put_back(data, state):
    undo(data, state)


@settings(max_examples=100)
@given(mixed_days(), st.integers(0, 9))
def test_strings_go_the_rest_stays_and_all_can_be_put_back(problem, seed):
    data = search.prepare(problem)
    state = search.initial(data, seed)
    for _ in range(5):
        before, tours, cost = contents(data, state), tours_of(data, state), state.value[CURRENT]
        next_iteration(state)
        number = ruined(data, state)
        if number != FAILED:
            removed = state.removed[:number].tolist()
            assert len(set(removed)) == number
            absent = [order for order in removed if state.seat[order] >= 0]
            gone = set(removed) - set(absent)
            assert len(gone) <= data.settings.most_orders
            # Those who are left out come in, as many as may.
            assert len(absent) == min(state.counter[OUTSIDE], data.settings.most_absent)
            assert tours_of(data, state) == [
                [task for task in tour if task % data.orders not in gone] for tour in tours
            ]
            # Nobody goes whose both ends a vehicle is told to begin with.
            assert all(data.rank[order + data.orders] < 0 for order in gone)
            assert state.counter[TOUCHED] <= data.settings.strings
            other, fits = forced(data, tours_of(data, state), state.value[SCALE])
            assert all(fits)
            assert numbers(data, state) == numbers(data, other)
            assert np.isclose(state.value[CURRENT], state.cost.sum(), rtol=1e-9, atol=1e-9)
        put_back(data, state)
        state.value[CURRENT] = cost
        assert contents(data, state) == before


@given(mixed_days(METRIC), st.integers(0, 9))
def test_on_straight_lines_no_ruin_fails_unless_time_on_duty_is_short(problem, seed):
    # Who has less to do may be done earlier, and have to begin much earlier for it.
    if problem.day.longest is not None:
        problem = problem.replace(day=problem.day.replace(longest=None))
    data = search.prepare(problem)
    state = search.initial(data, seed)
    for _ in range(5):
        next_iteration(state)
        assert ruined(data, state) != FAILED
        put_back(data, state)


@given(st.integers(0, 11), st.integers(1, 6), st.integers(1, 5), st.integers(0, 99))
def test_a_string_is_around_its_stop_and_takes_whole_orders(stop, most, longest, random):
    problem = generate(12, 1, np.random.default_rng(1)).replace(capacity=[6], day=Day())
    data = search.prepare(problem, search.Settings(longest=longest))
    # Each order is delivered right after it is picked up.
    tour = [task for order in range(6) for task in (order, 6 + order)]
    state, _ = forced(data, [tour])
    state.random[:] += np.uint64(random)
    next_iteration(state)
    number = string_removed(data, state, stop, most)
    removed = sorted(state.removed[:number].tolist())
    assert 1 <= number <= most
    # Stops in a row, at most so many: pairs that they hit.
    assert removed == list(range(removed[0], removed[0] + number))
    assert number <= longest // 2 + 1
    assert removed[0] <= stop % 6
    assert stop % 6 < removed[0] + longest
    assert [task for task in tour if task % 6 not in removed] == tours_of(data, state)[0]


def test_the_seed_is_called_in_first_and_then_any_as_many_as_may():
    problem = generate(24, 2, np.random.default_rng(1)).replace(day=Day())
    data = search.prepare(problem, search.Settings(most_absent=4))
    state, _ = forced(data, [[], []])
    seen = set()
    for _ in range(60):
        assert called_in(data, state, 7) == 4
        some = state.removed[:4].tolist()
        assert some[0] == 7
        assert len(set(some)) == 4
        seen |= set(some)
    assert seen == set(range(12))


def test_nobody_is_called_in_who_cannot_be_served_or_is():
    problem = generate(8, 1, np.random.default_rng(1))
    # Only to be delivered: whoever picks it up is not told.
    problem = problem.replace(day=Day(locked=[[[4]]]), capacity=[4])
    data = search.prepare(problem)
    assert data.home[0] == NOBODY
    state = search.initial(data, 0)
    assert state.counter[OUTSIDE] == 0
    assert called_in(data, state, 0) == called_in(data, state, 1) == 0


def test_no_more_routes_are_torn_than_there_are_strings():
    problem = generate(24, 12, np.random.default_rng(1)).replace(day=Day())
    data = search.prepare(problem, search.Settings(strings=3, most_orders=12))
    # One order each, so that all routes are near.
    state, _ = forced(data, [[order, 12 + order] for order in range(12)])
    torn = set()
    for _ in range(60):
        next_iteration(state)
        ruined(data, state)
        torn.add(int(state.counter[TOUCHED]))
        put_back(data, state)
    assert torn == {1, 2, 3}
