from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from geopar.compiled.jit import compiled
from geopar.plan import flatten
from geopar.problems import HCVRP
from geopar.search.hcvrp import from_routes, prepare
from geopar.search.hcvrp.ruin import choose_seed, remove_string, ruin
from geopar.search.hcvrp.state import BUSIEST, DRIVEN, MOST_REMOVED, PREVIOUS, REMOVED, TRIP, begin
from search_plans import hcvrp_at_random, trips_of
from strategies import hcvrps


@compiled(allocates=True)
def ruined(data, state, seed, mean_removed, longest, split):
    begin(state)
    ruin(data, state, seed, mean_removed, longest, split)
    return state.lists[REMOVED, : state.counters[REMOVED]].copy()


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
    return HCVRP((0, 0), [(x, 0) for x in range(1, count + 1)], [1] * count, [count], [1])


def stretches(tour: list[int], removed: set[int]) -> int:
    """How many pieces in a row were cut out of a trip."""
    gone = [0, *(int(c in removed) for c in tour)]
    return sum(later > earlier for earlier, later in pairwise(gone))


@given(hcvrps(), st.integers(0, 99), st.integers(1, 9), st.floats(1, 9), st.booleans(), st.data())
def test_strings_go_from_trips_around_the_seed_and_the_rest_stays_linked(
    problem, random, mean_removed, longest, split, draw
):
    data, state = hcvrp_at_random(problem, random)
    seed = draw.draw(st.integers(0, problem.num_tasks - 1))
    before = trips_of(data, state)
    removed = ruined(data, state, seed, float(mean_removed), longest, float(split)).tolist()
    gone = set(removed)
    assert len(gone) == len(removed) <= MOST_REMOVED
    assert gone == set(np.flatnonzero(state.customer[:, TRIP] < 0))
    # The others stay where they are, in their sequence, linked both ways.
    rest = [(v, [c for c in tour if c not in gone]) for v, tour in before]
    after = trips_of(data, state)
    assert after == sorted((v, tour) for v, tour in rest if tour)
    for _, tour in after:
        assert state.customer[tour, PREVIOUS].tolist() == [problem.num_tasks, *tour[:-1]]
    # One string of each trip; its length is drawn, but bounded, and it may be split once.
    for _, tour in before:
        cut = gone & set(tour)
        assert stretches(tour, cut) <= (2 if split else 1)
        assert len(cut) <= np.ceil(longest)
        if seed in tour:
            assert cut
            assert split or seed in cut


@given(st.integers(0, 8), st.integers(1, 9), st.integers(0, 4), st.integers(0, 99))
def test_a_string_has_its_length_lies_around_its_customer_and_spares_a_stretch(
    c, length, spared, random
):
    spared = min(spared, 9 - length) if length > 1 else 0
    data = prepare(line())
    state = from_routes(data, random, flatten([[np.arange(9)]]))
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
    data = prepare(line(300))
    near = (np.arange(300)[:, None] + 10 * np.arange(1, 21)) % 300
    data = data._replace(near=near.astype(np.int32))
    state = from_routes(data, 0, flatten([list(np.arange(300).reshape(30, 10))]))
    assert len(set(ruined(data, state, 0, 1e6, 10.0, 0.0).tolist())) == MOST_REMOVED


def late() -> tuple:
    """The first vehicle drives far, the second a little, the third nothing."""
    problem = HCVRP((0, 0), [(9, 0), (9, 1), (1, 0), (0, 1)], [1] * 4, [2] * 3, [1] * 3)
    data = prepare(problem)
    return data, from_routes(data, 3, flatten([[np.array([0, 1])], [np.array([2, 3])], []]))


def test_a_seed_comes_from_a_late_vehicle_when_that_is_asked_for():
    data, state = late()
    drawn = [seed_drawn(data, state, 1.0) for _ in range(400)]
    share = np.mean([c in (0, 1) for c in drawn])
    # Half of the draws take the busiest, the others the latest of four drawn.
    assert 0.8 < share < 1.0
    assert set(drawn) == {0, 1, 2, 3}


def test_an_idle_vehicle_is_never_late_whatever_rounding_left_to_it():
    drawn = []
    for left in (0.0, 1e9):
        data, state = late()
        state.drive[2, DRIVEN] = left
        drawn.append([seed_drawn(data, state, 1.0) for _ in range(200)])
    assert drawn[0] == drawn[1]


def test_any_customer_will_do_when_even_the_busiest_is_idle():
    data, state = late()
    state.counters[BUSIEST] = 2
    assert {seed_drawn(data, state, 1.0) for _ in range(200)} == {0, 1, 2, 3}


def test_otherwise_any_customer_is_as_likely():
    data, state = late()
    counts = np.bincount([seed_drawn(data, state, 0.0) for _ in range(2000)], minlength=4)
    assert (np.abs(counts - 500) < 100).all()
