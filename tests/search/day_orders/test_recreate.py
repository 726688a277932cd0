import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geopar.compiled.jit import compiled
from geopar.problems.day import GOALS, Day
from geopar.problems.omdcpdp.generate import generate
from geopar.search import day_orders as search
from geopar.search.day_orders.data import NOBODY
from geopar.search.day_orders.recreate import cheapest_anywhere, insert
from geopar.search.day_orders.state import (
    CURRENT,
    ITERATIONS,
    MAKESPAN,
    SCALE,
    refresh,
    touch,
    unlink,
    weigh,
)
from order_days import PARTS, judge, random_day

WIDE_AWAKE = search.Settings(blink=0.0)
# Parts that keep to straight lines: a matrix may make a detour shorter than the way.
METRIC = tuple(part for part in PARTS if part != "matrices")


@compiled
def without(data, state, order):
    state.counter[ITERATIONS] += 1
    v = np.int64(state.vehicle[order])
    touch(data, state, v)
    unlink(state, order)
    unlink(state, np.uint32(data.orders + order))
    fits = refresh(data, state, v)
    state.value[CURRENT] += weigh(data, state, v)
    return fits


@compiled
def cheapest_of_all(data, state, order):
    return cheapest_anywhere(data, state, order)


@compiled
def inserted(data, state, order, pickup_after, delivery_after):
    return insert(data, state, order, pickup_after, delivery_after)


def growths(problem, data, state, order):
    """What every way to insert an order that can be driven costs, by the definition."""
    routes, goal = search.current_routes(data, state), problem.goal
    scale = state.value[SCALE]

    def cost(routes):
        if goal != "makespan":
            return judge(problem, routes).total[goal]
        alone = [judge(problem, [r if i == v else r[:0] for i, r in enumerate(routes)])
                 for v in range(len(routes))]  # fmt: skip
        power = 2**data.settings.sharpness
        return sum(scale * (one.total[goal] / scale) ** power for one in alone)

    before = cost(routes)
    for v, route in enumerate(routes):
        for i in range(len(route) + 1):
            for j in range(i, len(route) + 1):
                longer = [*route[:i], order, *route[i:j], order + data.orders, *route[j:]]
                changed = [*routes[:v], np.array(longer), *routes[v + 1 :]]
                try:
                    yield cost(changed) - before
                except AssertionError:
                    continue


@settings(max_examples=200)
@given(
    st.sets(st.sampled_from(METRIC)), st.sampled_from(GOALS), st.integers(1, 5), st.integers(1, 3),
    st.integers(0, 2**32 - 1), st.data(),
)  # fmt: skip
def test_the_cheapest_way_is_the_cheapest_of_all(parts, goal, orders, vehicles, seed, draw):
    problem = random_day(orders, vehicles, parts, goal, seed)
    data = search.prepare(problem, WIDE_AWAKE)
    # Ties apart.
    data.weight[:] = np.arange(4) == data.goal
    state = search.initial(data, 1)
    order = np.uint32(draw.draw(st.integers(0, orders - 1)))
    # Who has less to do may be done earlier, and have to begin much earlier for it.
    if state.vehicle[order] >= 0 and not without(data, state, order):
        return
    ways = list(growths(problem, data, state, int(order)))
    cost, pickup_after, delivery_after = cheapest_of_all(data, state, order)
    end = len(state.stops) - 1
    if not ways or data.home[order] == NOBODY:
        assert pickup_after == end
        return
    assert cost == pytest.approx(min(ways), rel=1e-6, abs=1e-7)
    before = state.value[CURRENT]
    assert inserted(data, state, order, np.uint32(pickup_after), np.uint32(delivery_after))
    assert state.value[CURRENT] - before == pytest.approx(cost, rel=1e-6, abs=1e-7)


def test_an_idle_vehicle_finishes_at_the_beginning():
    problem = generate(8, 2, np.random.default_rng(1)).replace(day=Day(minimise="makespan"))
    data = search.prepare(problem)
    state = search.initial(data, 1)
    idle = [v for v, route in enumerate(search.current_routes(data, state)) if not len(route)]
    assert (state.total[idle, MAKESPAN] == 0.0).all()
