import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import instances
from geopar.compiled.jit import compiled
from geopar.search.hcvrp.audit import largest_discrepancy
from geopar.search.hcvrp.data import CAPACITY, DEMAND, FROM_DEPOT, SPEED
from geopar.search.hcvrp.recreate import first_home, growth, insert, recreate, sort_removed
from geopar.search.hcvrp.ruin import ruin
from geopar.search.hcvrp.state import (
    BEST,
    COST,
    DRIVEN,
    HORIZON,
    RATE,
    REMOVED,
    SHARPNESS,
    TOUCHED_VEHICLES,
    TRIP,
    WEIGHT,
    accept,
    begin,
    push,
    reject,
    reweigh,
    reweigh_all,
    unlink,
    update_makespan,
)
from search_plans import hcvrp_at_random, length_of, trips_of
from strategies import hcvrps


@compiled(allocates=True)
def grown(x):
    return growth(x)


@compiled(allocates=True)
def weigh(data, state, sharpness):
    state.totals[HORIZON] = state.totals[BEST] if state.totals[BEST] > 0.0 else 1.0
    state.totals[SHARPNESS] = sharpness
    reweigh_all(data, state)


@compiled(allocates=True)
def without(data, state, c):
    begin(state)
    unlink(data, state, c)
    push(state, REMOVED, c)
    for i in range(state.counters[TOUCHED_VEHICLES]):
        reweigh(data, state, np.int64(state.lists[TOUCHED_VEHICLES, i]))


@compiled(allocates=True)
def inserted(data, state, c):
    insert(data, state, c, 0.0, len(data.vehicle))


@compiled(allocates=True)
def home_first(data, state, customer, length):
    return first_home(data, state, customer, length)


@compiled(allocates=True)
def sorted_removed(data, state, customers):
    begin(state)
    for c in customers:
        push(state, REMOVED, c)
    sort_removed(data, state)
    return state.lists[REMOVED, : state.counters[REMOVED]].copy()


@compiled(allocates=True)
def taken_apart_and_together(data, state, seed, blink, most):
    begin(state)
    ruin(data, state, seed, 8.0, 8.0, 0.5)
    for i in range(state.counters[TOUCHED_VEHICLES]):
        reweigh(data, state, np.int64(state.lists[TOUCHED_VEHICLES, i]))
    done = recreate(data, state, blink, most)
    if done:
        accept(data, state)
        update_makespan(data, state)
    else:
        reject(state)
    return done


@given(st.floats(-1, 20), st.floats(0, 5))
def test_growth_lies_between_its_argument_and_the_exponential(x, more):
    # (1 + x/64)^64 - 1: Bernoulli's inequality below, the exponential above.
    rounding = 1e-12 * math.exp(x)
    assert x - rounding <= grown(x) <= math.expm1(x) + rounding
    assert grown(x) <= grown(x + more)


@given(hcvrps(), st.integers(0, 99), st.data())
def test_a_customer_goes_where_it_costs_least_of_all_places(problem, random, draw):
    data, state = hcvrp_at_random(problem, random)
    weigh(data, state, 5.0)
    c = draw.draw(st.integers(0, problem.num_tasks - 1))
    without(data, state, c)
    trips, drive = trips_of(data, state), state.drive.copy()
    demand = data.place[c, DEMAND]

    def price(v, change):
        return drive[v, WEIGHT] * grown(drive[v, RATE] * change)

    prices = [
        price(v, length_of(data, [c])) for v, room in enumerate(data.vehicle[:, CAPACITY])
        if demand <= room
    ]  # fmt: skip
    for v, tour in trips:
        load = data.place[tour, DEMAND].sum()
        if load + demand <= data.vehicle[v, CAPACITY]:
            longer = [length_of(data, [*tour[:i], c, *tour[i:]]) for i in range(len(tour) + 1)]
            prices.append(price(v, min(longer) - length_of(data, tour)))
    inserted(data, state, c)
    changed = state.drive[:, DRIVEN] - drive[:, DRIVEN]
    (v,) = {v for v, tour in trips_of(data, state) if c in tour}
    assert price(v, changed[v]) == pytest.approx(min(prices), rel=1e-6, abs=1e-9)
    assert not np.delete(changed, v).any()


@given(hcvrps(), st.integers(0, 99), st.floats(0, 5), st.data())
def test_the_first_home_is_found_among_those_with_room(problem, random, length, draw):
    data, state = hcvrp_at_random(problem, random)
    customer = draw.draw(st.integers(0, problem.num_tasks - 1))
    demand = float(data.place[customer, DEMAND])
    times = (state.drive[:, DRIVEN] + length) / data.vehicle[:, SPEED]
    times[data.vehicle[:, CAPACITY] < demand] = np.inf
    assert home_first(data, state, customer, length) == times.argmin()


def test_removed_customers_wait_in_one_of_four_sequences():
    data, state = hcvrp_at_random(instances.town(), 0)
    everyone = np.arange(5)
    rules = {
        "large first": np.argsort(-data.place[:-1, DEMAND]).tolist(),
        "far first": np.argsort(-data.place[:-1, FROM_DEPOT]).tolist(),
        "near first": np.argsort(data.place[:-1, FROM_DEPOT]).tolist(),
    }
    assert len({tuple(rule) for rule in rules.values()}) == 3
    drawn = [sorted_removed(data, state, everyone).tolist() for _ in range(1100)]
    assert all(sorted(one) == everyone.tolist() for one in drawn)
    share = {name: sum(one == rule for one in drawn) / 100 for name, rule in rules.items()}
    # Four, two and one of eleven; the other four draw any sequence, one of 120.
    assert share["large first"] == pytest.approx(4, abs=0.6)
    assert share["far first"] == pytest.approx(2, abs=0.5)
    assert share["near first"] == pytest.approx(1, abs=0.4)


@given(hcvrps(), st.integers(0, 99), st.sampled_from([0.0, 0.3, 0.999]))
def test_all_are_served_again_within_their_vehicles_room(problem, random, blink):
    data, state = hcvrp_at_random(problem, random)
    weigh(data, state, 5.0)
    for seed in range(problem.num_tasks):
        assert taken_apart_and_together(data, state, seed, blink, np.inf)
        served = sorted(c for _, tour in trips_of(data, state) for c in tour)
        assert served == list(range(problem.num_tasks))
        for v, tour in trips_of(data, state):
            assert data.place[tour, DEMAND].sum() <= data.vehicle[v, CAPACITY] * (1 + 1e-9)
    weigh(data, state, 5.0)
    assert largest_discrepancy(data, state) < 1e-6


def test_it_gives_up_when_the_cost_passes_what_is_allowed():
    data, state = hcvrp_at_random(instances.handful(), 0)
    weigh(data, state, 5.0)
    before, cost = trips_of(data, state), state.totals[COST]
    for seed in range(12):
        assert not taken_apart_and_together(data, state, seed, 0.0, 0.0)
        assert trips_of(data, state) == before
        assert state.totals[COST] == cost
    assert (state.customer[:, TRIP] >= 0).all()
