from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import instances
from day_plans import at_random, contents, days_by_goal, forced, kinds_of, plan_of
from geopar.compiled.jit import compiled
from geopar.problems import HCVRP
from geopar.problems.day import Day
from geopar.search import day as search
from geopar.search.day.cost import settle
from geopar.search.day.ruin import choose_seed, remove_string, ruin
from geopar.search.day.state import (
    ABOARD_TRIP,
    ABSENT,
    LAST_HOME,
    LOCKED_TRIP,
    MOST_ABSENT,
    MOST_REMOVED,
    OPEN_TRIPS,
    REMOVED,
    TOUCHED_VEHICLES,
    TRIP,
    WHERE,
    begin,
    reject,
)
from geopar.search.day.times import refresh


@compiled(allocates=True)
def ruined(data, state, seed, mean_removed, longest, split):
    begin(state)
    ruin(data, state, seed, mean_removed, longest, split)
    return state.lists[REMOVED, : state.counters[REMOVED]].copy()


@compiled(allocates=True)
def undone(data, state):
    for i in range(state.counters[TOUCHED_VEHICLES]):
        v = np.int64(state.lists[TOUCHED_VEHICLES, i])
        refresh(data, state, v)
        settle(data, state, v)
    reject(data, state)


@compiled(allocates=True)
def string_removed(data, state, c, length, spared):
    begin(state)
    remove_string(data, state, c, length, spared)
    return state.lists[REMOVED, : state.counters[REMOVED]].copy()


@compiled(allocates=True)
def seed_drawn(data, state, on_late):
    return choose_seed(data, state, on_late)


def line(count: int = 9) -> HCVRP:
    """Customers on a line for one vehicle with room for all."""
    places = [(x, 0) for x in range(1, count + 1)]
    return HCVRP((0, 0), places, [1] * count, [count], [1]).replace(day=Day(service=[0] * count))


def stretches(tour: list[int], removed: set[int]) -> int:
    """How many pieces in a row were cut out of a trip."""
    gone = [0, *(int(c in removed) for c in tour)]
    return sum(later > earlier for earlier, later in pairwise(gone))


@given(
    days_by_goal(), st.integers(0, 99), st.integers(1, 9), st.floats(1, 9), st.booleans(), st.data()
)
def test_strings_go_from_trips_around_the_seed_and_the_rest_stays_linked(
    problem, random, mean_removed, longest, split, draw
):
    data, state = at_random(problem, random)
    seed = draw.draw(st.integers(0, problem.num_tasks - 1))
    before, bits = plan_of(data, state), contents(data, state)
    kinds = [kinds_of(data, state, v) for v in range(len(before))]
    string = min(longest, problem.num_tasks / max(1, state.counters[OPEN_TRIPS]))
    absent = set(state.lists[ABSENT, : state.counters[ABSENT]].tolist())
    removed = ruined(data, state, seed, float(mean_removed), longest, float(split)).tolist()
    gone = set(removed) - absent
    assert len(set(removed)) == len(removed) <= MOST_REMOVED + MOST_ABSENT
    assert gone | absent == set(np.flatnonzero(state.node[: problem.num_tasks, TRIP] < 0))
    # All are near: the absent join.
    assert absent <= set(removed)
    # The others stay where they are, in their sequence; only who is under way sets out empty.
    rest = [
        [
            [c for c in trip if c not in gone]
            for trip, kind in zip(trips, mine, strict=True)
            if set(trip) - gone or kind == ABOARD_TRIP
        ]
        for trips, mine in zip(before, kinds, strict=True)
    ]
    assert plan_of(data, state) == rest
    for trips, mine in zip(before, kinds, strict=True):
        for trip, kind in zip(trips, mine, strict=True):
            cut = gone & set(trip)
            if kind >= LOCKED_TRIP:
                assert not cut
                continue
            # One string of each trip; its length is drawn, but bounded, and it may be split once.
            assert stretches(trip, cut) <= (2 if split else 1)
            assert len(cut) <= np.ceil(string)
            if seed in trip:
                assert cut
                assert split or seed in cut
    undone(data, state)
    assert contents(data, state) == bits


@given(st.integers(0, 8), st.integers(1, 9), st.integers(0, 4), st.integers(0, 99))
def test_a_string_has_its_length_lies_around_its_customer_and_spares_a_stretch(
    c, length, spared, random
):
    spared = min(spared, 9 - length) if length > 1 else 0
    data = search.prepare(line())
    state, _ = forced(data, [[list(range(9))]])
    state.random[:] += np.uint64(random)
    removed = sorted(string_removed(data, state, c, length, spared).tolist())
    assert len(removed) == length
    kept_inside = set(range(removed[0], removed[-1] + 1)) - set(removed)
    # What is spared at the end of a string is not between removed customers.
    assert len(kept_inside) in (0, spared)
    assert removed[0] <= c <= removed[-1] + spared
    if not spared:
        assert removed == list(range(removed[0], removed[0] + length))


def test_a_ruin_ends_with_as_many_as_can_be_undone():
    # Thirty trips of ten customers, and each customer has one of every other trip near it.
    data = search.prepare(line(300))
    near = (np.arange(300)[:, None] + 10 * np.arange(1, 30)) % 300
    data = data._replace(near=near.astype(np.int32))
    trips = np.arange(300).reshape(30, 10).tolist()
    state, _ = forced(data, [trips])
    assert len(set(ruined(data, state, 0, 1e6, 10.0, 0.0).tolist())) == MOST_REMOVED
    # The absent do not count among them, but there is an end to them, too.
    state, _ = forced(data, [trips[20:]])
    removed = ruined(data, state, 0, 1e6, 10.0, 0.0)
    absent = (state.node[removed, WHERE] >= 0).sum()
    assert absent == MOST_ABSENT
    assert len(removed) - absent <= MOST_REMOVED


def late() -> tuple:
    """The first vehicle drives far, the second a little, the third nothing."""
    problem = HCVRP((0, 0), [(9, 0), (9, 1), (1, 0), (0, 1)], [1] * 4, [2] * 3, [1] * 3)
    data = search.prepare(problem.replace(day=Day(service=[0] * 4)))
    state, _ = forced(data, [[[0, 1]], [[2, 3]], []])
    state.counters[LAST_HOME] = 0
    return data, state


def test_a_seed_comes_from_the_last_one_home_when_that_is_asked_for():
    data, state = late()
    drawn = [seed_drawn(data, state, 1.0) for _ in range(300)]
    assert set(drawn) == {0, 1}
    assert 100 < drawn.count(0) < 200
    state.counters[LAST_HOME] = 2  # stays at home
    assert {seed_drawn(data, state, 1.0) for _ in range(200)} == {0, 1, 2, 3}


def test_otherwise_any_customer_is_as_likely():
    data, state = late()
    counts = np.bincount([seed_drawn(data, state, 0.0) for _ in range(2000)], minlength=4)
    assert (np.abs(counts - 500) < 100).all()


def test_who_is_absent_is_the_seed_more_often():
    data = search.prepare(instances.square().replace(day=Day(service=[0] * 4)))
    state, _ = forced(data, [[[0, 1]], [[3]]])
    drawn = [seed_drawn(data, state, 0.0) for _ in range(2000)]
    # Three of ten times, and a quarter of the others.
    assert abs(drawn.count(2) / 2000 - (0.3 + 0.7 / 4)) < 0.05
