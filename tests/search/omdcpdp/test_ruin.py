import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geopar.compiled.jit import compiled
from geopar.problems import OMDCPDP
from geopar.search.omdcpdp import Settings, current_routes, from_routes, prepare
from geopar.search.omdcpdp.ruin import remove_string, ruin
from geopar.search.omdcpdp.state import CURRENT, ITERATIONS, OUT
from search_plans import cost_of, omdcpdp_at_random
from strategies import omdcpdps


@compiled(allocates=True)
def ruined(data, state):
    state.counter[ITERATIONS] += 1
    number = ruin(data, state)
    return state.removed[:number].copy()


@compiled(allocates=True)
def string_removed(data, state, s, most):
    state.counter[ITERATIONS] += 1
    number = remove_string(data, state, s, np.int64(0), most)
    return state.removed[:number].copy()


@given(
    omdcpdps(), st.integers(0, 99), st.integers(1, 5), st.integers(1, 4), st.integers(1, 4)
)  # fmt: skip
def test_whole_orders_go_and_the_rest_stays_in_its_sequence(
    problem, seed, strings, longest, most_orders
):
    settings = Settings(strings=strings, longest=longest, most_orders=most_orders)
    data, state = omdcpdp_at_random(problem, seed, settings)
    before = [route.tolist() for route in current_routes(state)]
    removed = ruined(data, state).tolist()
    gone = {*removed, *(order + problem.num_orders for order in removed)}
    assert 0 < len(set(removed)) == len(removed) <= most_orders
    after = current_routes(state)
    assert [r.tolist() for r in after] == [[s for s in r if s not in gone] for r in before]
    assert (state.vehicle[list(gone)] == OUT).all()
    assert state.value[CURRENT] == pytest.approx(cost_of(problem, after), abs=1e-9)
    assert state.load.tolist() == [len(route) // 2 for route in after]
    # One string of a route, and an order goes when either of its ends is hit.
    torn = [v for v, route in enumerate(before) if gone & set(route)]
    assert len(torn) <= strings
    assert all(len(gone & set(before[v])) <= 2 * longest for v in torn)


def relay() -> OMDCPDP:
    """Eight orders on a line, each delivered where the next one is picked up."""
    places = np.stack([np.arange(9.0), np.zeros(9)], axis=1)
    return OMDCPDP(places[:-1], places[1:], places[:1], [1])


@given(st.integers(0, 15), st.integers(1, 6), st.integers(0, 99))
def test_a_string_lies_around_its_stop(s, longest, seed):
    data = prepare(relay(), Settings(longest=longest))
    route = [task for order in range(8) for task in (order, 8 + order)]
    state = from_routes(data, [np.array(route)], seed)
    removed = string_removed(data, state, np.uint32(s), 8).tolist()
    assert removed == list(range(removed[0], removed[-1] + 1))
    # A string of so many stops hits one order more than half of them at most.
    assert len(removed) <= longest // 2 + 1
    assert s % 8 in removed


def test_a_string_ends_when_enough_orders_are_out():
    data = prepare(relay(), Settings(longest=16))
    route = np.array([task for order in range(8) for task in (order, 8 + order)])
    counts = [
        len(string_removed(data, from_routes(data, [route], seed), np.uint32(3), 2))
        for seed in range(20)
    ]
    assert max(counts) == 2
