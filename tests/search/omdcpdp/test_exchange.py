import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geopar.compiled.jit import compiled
from geopar.problems import OMDCPDP
from geopar.problems.omdcpdp.generate import generate
from geopar.search.omdcpdp import (
    Data,
    Settings,
    State,
    current_routes,
    from_routes,
    initial,
    prepare,
)
from geopar.search.omdcpdp.exchange import FAILED, exchange, fits, list_aboard
from geopar.search.omdcpdp.state import CURRENT, ITERATIONS, OUT
from search_plans import cost_of, omdcpdp_at_random
from strategies import omdcpdps


@compiled(allocates=True)
def exchanged(data, state, limit):
    state.counter[ITERATIONS] += 1
    return exchange(data, state, limit)


@compiled(allocates=True)
def aboard_after(data, state, last, most):
    number = list_aboard(data, state, last, np.int64(0), most)
    return number, state.removed[: max(number, 0)].copy()


@compiled(allocates=True)
def tail_fits(data, state, s, room):
    return fits(data, state, s, np.int64(0), np.int64(0), room)


def exchange_and_look(problem: OMDCPDP, data: Data, state: State) -> int:
    """One exchange: two tails change hands, only orders on board go, and the cost is true."""
    before = [route.tolist() for route in current_routes(state)]
    cost = float(state.value[CURRENT])
    number = exchanged(data, state, np.inf)
    after = current_routes(state)
    if number == FAILED:
        assert [route.tolist() for route in after] == before
        assert state.value[CURRENT] == cost
        return FAILED
    removed = state.removed[:number].tolist()
    gone = {*removed, *(order + problem.num_orders for order in removed)}
    assert (state.vehicle[list(gone)] == OUT).all()
    assert state.value[CURRENT] == pytest.approx(cost_of(problem, after), abs=1e-9)
    assert state.load.tolist() == [len(route) // 2 for route in after]
    # The rest of two routes, cut once each and put together crosswise.
    rest = [[s for s in route if s not in gone] for route in before]
    changed = [v for v, route in enumerate(after) if route.tolist() != rest[v]]
    assert len(changed) in (0, 2)
    if changed:
        (a, b), (x, y) = (rest[v] for v in changed), (after[v].tolist() for v in changed)
        assert any(
            x == a[:i] + b[j:] and y == b[:j] + a[i:]
            for i in range(len(a) + 1)
            for j in range(len(b) + 1)
        )
    return number


@given(omdcpdps(), st.integers(0, 99))
def test_two_tails_change_hands_in_any_plan(problem, seed):
    exchange_and_look(problem, *omdcpdp_at_random(problem, seed))


def test_only_orders_on_board_go_and_tails_fit_their_new_vehicles():
    problem = generate(40, 3, np.random.default_rng(4)).replace(capacity=[2, 3, 6])
    data = prepare(problem, Settings(most_orders=1))
    numbers = [exchange_and_look(problem, data, initial(data, seed)) for seed in range(60)]
    # Some are given up; others have nobody on board, or as many as may go.
    assert {FAILED, 0, 2} <= set(numbers)
    assert max(numbers) == 2


def crossed() -> tuple[OMDCPDP, list[np.ndarray]]:
    """Two vehicles on parallel lines that change sides after their first orders."""
    pickups = [(1, 0), (3, 0), (1, 9), (3, 9)]
    deliveries = [(2, 0), (4, 0), (2, 9), (4, 9)]
    problem = OMDCPDP(pickups, deliveries, [(0, 0), (0, 9)], [1, 1])
    return problem, [np.array([0, 4, 3, 7]), np.array([2, 6, 1, 5])]


def test_crossed_routes_are_uncrossed():
    problem, routes = crossed()
    data = prepare(problem)
    found = []
    for seed in range(20):
        state = from_routes(data, routes, seed)
        if exchanged(data, state, 0.0) != FAILED:
            found.append([route.tolist() for route in current_routes(state)])
            assert state.value[CURRENT] == pytest.approx(2 + 4 + 2 + 4)
    assert found
    assert all(routes == [[0, 4, 1, 5], [2, 6, 3, 7]] for routes in found)


def test_nothing_is_done_where_nothing_is_good_enough():
    problem, _ = crossed()
    data = prepare(problem)
    for seed in range(10):
        state = from_routes(data, [np.array([0, 4, 1, 5]), np.array([2, 6, 3, 7])], seed)
        assert exchanged(data, state, 0.0) == FAILED


def test_an_exchange_that_leaves_nobody_behind_is_as_cheap_as_asked_for():
    problem = generate(40, 3, np.random.default_rng(4)).replace(capacity=[1, 1, 1])
    changes = []
    for seed in range(40):
        data, state = omdcpdp_at_random(problem, seed)
        before = float(state.value[CURRENT])
        if exchanged(data, state, 0.0) == 0:
            changes.append(float(state.value[CURRENT]) - before)
    assert len(changes) > 3
    assert max(changes) < 0.0


def test_orders_on_board_are_listed_unless_they_are_too_many():
    problem, _ = crossed()
    data = prepare(problem.replace(capacity=[3, 3]), Settings(most_orders=1))
    state = from_routes(data, [np.array([0, 1, 5, 2, 4, 6, 3, 7]), np.array([], int)], 0)
    for last, aboard in ((8, []), (1, [0, 1]), (5, [0]), (2, [0, 2]), (6, []), (7, [])):
        number, listed = aboard_after(data, state, np.uint32(last), 4)
        assert sorted(listed.tolist()) == aboard
        assert number == len(aboard)
    assert aboard_after(data, state, np.uint32(1), 1)[0] == FAILED


def test_a_tail_fits_where_there_is_room_at_its_fullest():
    problem, _ = crossed()
    data = prepare(problem.replace(capacity=[3, 3]))
    state = from_routes(data, [np.array([0, 4, 1, 2, 3, 5, 6, 7]), np.array([], int)], 0)
    assert [tail_fits(data, state, np.uint32(0), room) for room in (1, 2, 3)] == [
        False,
        False,
        True,
    ]
    assert [tail_fits(data, state, np.uint32(3), room) for room in (0, 1)] == [False, True]
