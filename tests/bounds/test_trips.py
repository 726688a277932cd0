import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from every_trip import every_trip
from geopar.bounds.sorts import fleet_of
from geopar.bounds.trips import Pricing
from strategies import hcvrps

RATES = st.floats(0.01, 10)
SEEDS = st.integers(0, 2**32)


def cost_of(trips, prices, rate):
    return min(rate * duration - prices[trip].sum() for trip, duration in trips)


@given(problem=hcvrps(max_tasks=5), rate=RATES, seed=SEEDS)
def test_with_full_memory_it_is_the_best_of_all_trips(problem, rate, seed):
    fleet = fleet_of(problem)
    assume(len(fleet.load))
    prices = np.random.default_rng(seed).uniform(0, 50, len(fleet.load))
    pricing = Pricing(fleet, 5)
    for s in range(len(fleet.sorts)):
        trips = every_trip(fleet, s)
        found = pricing.best_trips(s, prices, rate, 9)
        assert bool(trips) == bool(found)
        if not trips:
            continue
        best, trip = found[0]
        assert best == pytest.approx(cost_of(trips, prices, rate), abs=1e-9)
        assert best == pytest.approx(
            rate * pricing.duration(s, trip) - prices[trip].sum(), abs=1e-9
        )
        assert [cost for cost, _ in found] == sorted(cost for cost, _ in found)
        assert len({trip[-1] for _, trip in found}) == len(found)


@given(problem=hcvrps(max_tasks=5), rate=RATES, seed=SEEDS)
def test_with_less_memory_it_is_no_dearer(problem, rate, seed):
    fleet = fleet_of(problem)
    assume(len(fleet.load))
    prices = np.random.default_rng(seed).uniform(0, 50, len(fleet.load))
    costs = [
        cost
        for size in (1, 2, 5)
        for cost, _ in Pricing(fleet, size).best_trips(0, prices, rate, 1)
    ]
    assert costs == sorted(costs)
