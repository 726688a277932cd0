import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import instances
from geopar.compiled.jit import compiled
from geopar.search.omdcpdp import Settings, current_routes
from geopar.search.omdcpdp.insert import cheapest, insert, until_blink
from geopar.search.omdcpdp.state import CURRENT, ITERATIONS, refresh, touch, unlink
from search_plans import cost_of, omdcpdp_at_random
from strategies import omdcpdps

WIDE_AWAKE = Settings(blink=0.0)


@compiled(allocates=True)
def without(data, state, order):
    state.counter[ITERATIONS] += 1
    v = np.int64(state.vehicle[order])
    touch(data, state, v)
    unlink(state, order)
    unlink(state, np.uint32(data.orders + order))
    state.load[v] -= 1
    state.value[CURRENT] += refresh(data, state, v)


@compiled(allocates=True)
def cheapest_of(data, state, order, limit, neighbours):
    return cheapest(data, state, order, limit, neighbours)


@compiled(allocates=True)
def inserted(data, state, order, pickup_after, delivery_after):
    return insert(data, state, order, pickup_after, delivery_after)


@compiled(allocates=True)
def seen_before_a_blink(state, blink):
    return until_blink(state, blink)


def growths(problem, data, routes, order):
    """What every way to insert an order that leaves room costs, by the definition."""
    before, delivery = cost_of(problem, routes), order + problem.num_orders
    for v, route in enumerate(routes):
        for i in range(len(route) + 1):
            for j in range(i, len(route) + 1):
                longer = [*route[:i], order, *route[i:j], delivery, *route[j:]]
                aboard = np.cumsum([1 if s < problem.num_orders else -1 for s in longer])
                if aboard.max() <= problem.capacity[v]:
                    changed = [*routes[:v], np.array(longer), *routes[v + 1 :]]
                    yield cost_of(problem, changed) - before


@given(omdcpdps(), st.integers(0, 99), st.data())
def test_the_cheapest_way_is_the_cheapest_of_all_and_costs_what_it_says(problem, seed, draw):
    data, state = omdcpdp_at_random(problem, seed, WIDE_AWAKE)
    order = np.uint32(draw.draw(st.integers(0, problem.num_orders - 1)))
    without(data, state, order)
    least = min(growths(problem, data, current_routes(state), int(order)))
    before = cost_of(problem, current_routes(state))
    cost, pickup_after, delivery_after = cheapest_of(data, state, order, np.inf, 60)
    assert cost == pytest.approx(least, abs=1e-6)
    grown = inserted(data, state, order, np.uint32(pickup_after), np.uint32(delivery_after))
    assert grown == pytest.approx(cost, abs=1e-6)
    after = cost_of(problem, current_routes(state))
    assert after - before == pytest.approx(cost, abs=1e-6)


@given(omdcpdps(), st.integers(0, 99))
def test_nothing_is_found_at_or_below_a_limit_that_no_way_keeps(problem, seed):
    data, state = omdcpdp_at_random(problem, seed, WIDE_AWAKE)
    order = np.uint32(0)
    without(data, state, order)
    cost, _, _ = cheapest_of(data, state, order, np.inf, 60)
    end = len(state.stops) - 1
    assert cheapest_of(data, state, order, cost, 60) == (cost, end, end)
    again = cheapest_of(data, state, order, np.nextafter(cost, np.inf), 60)
    assert again[0] == cost
    assert again[1] != end


def test_who_looks_at_no_neighbour_still_finds_a_start():
    problem = instances.mixed_load()
    data, state = omdcpdp_at_random(problem, 0, WIDE_AWAKE)
    order = np.uint32(2)
    without(data, state, order)
    starts = {2 * problem.num_orders, 2 * problem.num_orders + 1}
    cost, pickup_after, _ = cheapest_of(data, state, order, np.inf, 0)
    assert pickup_after in starts
    assert cost >= cheapest_of(data, state, order, np.inf, 60)[0]


def test_places_are_overlooked_as_often_as_asked_for():
    _, state = omdcpdp_at_random(instances.corridor(), 0)
    waits = [seen_before_a_blink(state, 0.2) for _ in range(2000)]
    assert min(waits) == 0
    assert 1 / (1 + np.mean(waits)) == pytest.approx(0.2, rel=0.1)
    assert seen_before_a_blink(state, 0.0) > 1 << 60
