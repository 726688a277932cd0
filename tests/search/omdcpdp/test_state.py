import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import instances
from geopar.compiled.jit import compiled
from geopar.search.omdcpdp import best_cost, best_routes, current_routes
from geopar.search.omdcpdp.ruin import ruin
from geopar.search.omdcpdp.state import (
    AFTER,
    ARRIVAL,
    BEST,
    CURRENT,
    ITERATIONS,
    LEG,
    LEG_IN,
    OPEN,
    OPEN_IN,
    OUT,
    State,
    empty,
    keep,
    recomputed,
    record_best,
    undo,
)
from search_plans import cost_of, objective, omdcpdp_at_random
from strategies import omdcpdps


@compiled(allocates=True)
def summed_up(data, state):
    return recomputed(data, state)


@compiled(allocates=True)
def torn(data, state):
    """Ruin, which touches, unlinks and refreshes."""
    state.counter[ITERATIONS] += 1
    return ruin(data, state)


@compiled(allocates=True)
def undone(state, cost):
    undo(state)
    state.value[CURRENT] = cost


@compiled(allocates=True)
def kept(data, state):
    keep(state)
    record_best(data, state)


def contents(state: State) -> list[list]:
    """All that a plan consists of; what is noted for the end of all routes means nothing."""
    return [
        state.stops[:-1].tolist(),
        state.following[:-1].tolist(),
        state.preceding[:-1].tolist(),
        state.vehicle[:-1].tolist(),
        state.load.tolist(),
        state.cost.tolist(),
        state.value.tolist(),
    ]


@given(omdcpdps(), st.integers(0, 99))
def test_every_stop_knows_its_time_its_legs_and_its_room(problem, seed):
    data, state = omdcpdp_at_random(problem, seed)
    orders = problem.num_orders
    xy = np.concatenate([problem.tasks_xy, problem.starts_xy])
    for v, route in enumerate(current_routes(state)):
        stops = [2 * orders + v, *route.tolist()]
        legs = np.hypot(*np.diff(xy[stops], axis=0).T)
        arrival = [0.0, *np.cumsum(legs)]
        change = np.array([0, *np.where(route < orders, 1, -1)])
        left = len(route) // 2 - np.cumsum(change < 0)
        is_open = np.cumsum(change) < data.capacity[v]
        opened = np.where(is_open, arrival, np.inf)
        rows = state.stops[stops]
        assert rows[:, ARRIVAL] == pytest.approx(arrival, abs=1e-9)
        assert rows[:, AFTER].tolist() == left.tolist()
        assert rows[:, LEG] == pytest.approx([*legs, 0.0], abs=1e-9)
        assert rows[1:, LEG_IN] == pytest.approx(legs, abs=1e-9)
        assert rows[:, OPEN] == pytest.approx(opened, abs=1e-9)
        assert rows[1:, OPEN_IN] == pytest.approx(opened[:-1], abs=1e-9)
        assert state.vehicle[stops].tolist() == [v] * len(stops)
        assert state.load[v] == len(route) // 2
    cost = objective(problem, current_routes(state))
    assert state.value[CURRENT] == pytest.approx(cost, abs=1e-9)
    assert state.cost.sum() == pytest.approx(cost, abs=1e-9)
    assert summed_up(data, state) == pytest.approx(cost, abs=1e-9)


@given(omdcpdps(), st.integers(0, 99))
def test_what_is_undone_leaves_not_a_bit_changed(problem, seed):
    data, state = omdcpdp_at_random(problem, seed)
    before, cost = contents(state), float(state.value[CURRENT])
    for _ in range(3):
        assert torn(data, state) > 0
        assert contents(state) != before
        undone(state, cost)
        assert contents(state) == before


@given(omdcpdps(), st.integers(0, 99))
def test_what_is_kept_becomes_the_best_plan_when_it_is_recorded(problem, seed):
    data, state = omdcpdp_at_random(problem, seed)
    whole = [route.tolist() for route in best_routes(state)]
    torn(data, state)
    assert [route.tolist() for route in best_routes(state)] == whole
    kept(data, state)
    rest = best_routes(state)
    assert [route.tolist() for route in rest] == [r.tolist() for r in current_routes(state)]
    assert best_cost(state) == pytest.approx(cost_of(problem, rest), abs=1e-9)


def test_at_first_nobody_drives_and_only_the_starts_are_open():
    problem = instances.corridor()
    data, _ = omdcpdp_at_random(problem, 0)
    state = empty(data, 0)
    assert [len(route) for route in current_routes(state)] == [0, 0]
    assert state.vehicle.tolist() == [OUT] * 6 + [0, 1, OUT]
    assert np.isfinite(state.stops[:, OPEN]).tolist() == [False] * 6 + [True, True, False]
    assert state.value[[CURRENT, BEST]].tolist() == [0.0, 0.0]
