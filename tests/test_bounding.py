import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from days import days
from geopar import HCVRP, InputError, bound, generate, solve
from geopar.bounding import Bound, can_bound
from geopar.checking import check
from geopar.problems.day import Day
from geopar.problems.hcvrp.bound import lower_bound
from geopar.replanning.mending import repaired
from geopar.stop import MaxIterations
from instances import ONE_CUSTOMER_OPTIMUM, SQUARE_OPTIMUM
from strategies import hcvrps, problems_with_plans, random_plan


@given(pair=problems_with_plans(hcvrps()))
def test_no_plan_is_better(pair):
    problem, plan = pair
    found = bound(problem)
    assert lower_bound(problem) <= found.value <= check(problem, plan).objective * (1 + 1e-9)


@given(problem=days(kinds=("hcvrp",)), seed=st.integers(0, 2**32))
def test_nor_is_the_plan_of_a_day_for_those_whom_it_serves(problem, seed):
    any_plan = random_plan(problem.replace(day=None), np.random.default_rng(seed))
    plan = repaired(problem, any_plan)
    served = np.sort(
        np.concatenate([[], *(trip for way in plan.to_indices(problem) for trip in way)])
    )
    assume(len(served) and can_bound(problem))
    some = problem.select(served.astype(int), np.arange(problem.num_vehicles))
    report = check(some, plan)
    assume(report.feasible)
    assert bound(some).value <= report.objective * (1 + 1e-9)


def test_it_is_near_what_can_be_had(square, one_customer, handful):
    assert bound(square).value == pytest.approx(SQUARE_OPTIMUM, rel=1e-3)
    assert bound(one_customer).value == pytest.approx(ONE_CUSTOMER_OPTIMUM)
    assert bound(handful).value == lower_bound(handful)  # somebody drives to the farthest
    problem = generate("hcvrp/20/2")
    assert isinstance(problem, HCVRP)
    best = solve(problem, MaxIterations(20_000)).objective
    found = bound(problem)
    assert (found.method, found.complete) == ("trips", True)
    assert found.value > 1.1 * lower_bound(problem)
    assert 0.0 <= found.above(best) < 0.1


def test_without_time_it_is_the_bound_by_work(handful):
    found = bound(handful, 0)
    assert (found.value, found.method, found.complete) == (lower_bound(handful), "work", False)


def test_above_nothing_everything_is_far():
    assert Bound(0.0, "work", False, 0.0).above(1.0) == math.inf


def test_what_has_no_bound_says_so(corridor, square):
    with pytest.raises(InputError, match="no-bound"):
        bound(corridor)
    for day in (Day(minimise="distance"), Day(end=[(1, 1), (0, 0)])):
        with pytest.raises(InputError, match="no-bound"):
            bound(square.replace(day=day))
    with pytest.raises(InputError, match="bound = -1"):
        bound(square, -1)
    with pytest.raises(InputError, match="bound = nan"):
        bound(square, math.nan)


def test_whoever_is_at_the_depot_costs_nothing_and_earns_nothing():
    problem = HCVRP((0, 0), [(0, 1), (0, 0), (0, 0)], [1, 0, 1], [1, 2, 0.5], [2, 1, 1])
    assert bound(problem).value == pytest.approx(1.0)
