import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from every_trip import every_trip
from geopar.bounds.prices import proven
from geopar.bounds.sorts import fleet_of
from geopar.bounds.trips import Pricing
from geopar.checking import check
from strategies import hcvrps, problems_with_plans

SEEDS = st.integers(0, 2**32)


@given(pair=problems_with_plans(hcvrps(max_tasks=6)), size=st.integers(1, 6), seed=SEEDS)
def test_whatever_the_prices_no_plan_is_better(pair, size, seed):
    problem, plan = pair
    fleet = fleet_of(problem)
    assume(len(fleet.load))
    prices = np.random.default_rng(seed).uniform(0, 1, len(fleet.load))
    value, _ = proven(fleet, Pricing(fleet, size), prices, np.ones(len(fleet.sorts)))
    assert value <= check(problem, plan).objective


@given(problem=hcvrps(max_tasks=5), guess=st.floats(0.001, 1000), seed=SEEDS)
def test_rates_are_those_of_the_best_trips(problem, guess, seed):
    fleet = fleet_of(problem)
    assume(len(fleet.load))
    prices = np.random.default_rng(seed).uniform(0.1, 1, len(fleet.load))
    guesses = np.full(len(fleet.sorts), guess)
    _, rates = proven(fleet, Pricing(fleet, 5), prices, guesses)
    for s, rate in enumerate(rates):
        earned = [
            prices[trip].sum() / duration if duration else np.inf
            for trip, duration in every_trip(fleet, s)
        ]
        assert rate == pytest.approx(max(earned, default=0.0), rel=1e-6)


def test_a_price_for_way_and_load_is_the_bound_by_work(handful):
    fleet = fleet_of(handful)
    slow = fleet.sorts[0]
    prices = fleet.load * slow.table[-1, :-1]
    value, _ = proven(fleet, Pricing(fleet, 8), prices, np.ones(len(fleet.sorts)))
    speed = np.hypot(*(handful.customers_xy[0] - handful.depot_xy)) / slow.table[-1, 0]
    by_work = 2.0 * speed * prices.sum() / (handful.speed @ handful.capacity)
    assert value >= by_work * (1 - 1e-5)
