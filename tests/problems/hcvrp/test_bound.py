from typing import Any

import pytest
from hypothesis import given

import instances
from geopar.checking import check
from geopar.problems.frozen import frozen
from geopar.problems.hcvrp.bound import lower_bound
from strategies import hcvrps, problems_with_plans


@given(problems_with_plans(hcvrps(max_tasks=12)))
def test_no_plan_is_home_sooner(case):
    problem, plan = case
    assert lower_bound(problem) <= check(problem, plan).objective * (1 + 1e-12)


def test_by_hand(square, two_speeds, one_customer):
    # The square: four loads of one at distance one, two vehicles of two.
    assert lower_bound(square) == 2.0 < instances.SQUARE_OPTIMUM
    assert lower_bound(two_speeds) == instances.TWO_SPEEDS_OPTIMUM
    assert lower_bound(one_customer) == instances.ONE_CUSTOMER_OPTIMUM


def test_work_counts_when_there_is_much_of_it(one_customer):
    # Ten full loads at distance five, speed two: ten times there and back.
    problem = one_customer.replace(customers=[(3, 4)] * 10, demand=[1] * 10, customer_ids=None)
    assert lower_bound(problem) == pytest.approx(50.0)


def test_the_means_of_the_papers_distribution():
    # The mean bounds that the design's measurements name for M = N/50: about 11.6.
    problems: Any = frozen("hcvrp/1000/20")
    bounds = [lower_bound(problem) for problem in problems]
    assert sum(bounds) / len(bounds) == pytest.approx(11.6, abs=0.4)


def test_it_is_a_time(town):
    # Twice the way to the farthest customer at the speed of the fastest: a quarter of an hour.
    assert 0.25 < lower_bound(town) < 0.5
