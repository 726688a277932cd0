"""Random days of any mix: no plan that breaks a rule, and nothing kept that is wrong."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from day_audit import audit
from day_plans import any_days
from geopar.checking import check
from geopar.plan import Plan, flatten
from geopar.problems.day import Day
from geopar.problems.random import generate
from geopar.search import day as search
from geopar.search.day.state import BEST, BEST_MISSING
from geopar.testing.second_checker import second_opinion

HORIZON = 2000.0


@given(any_days(), st.integers(0, 3))
def test_no_rule_is_ever_broken_and_everything_kept_is_right(problem, seed):
    data = search.prepare(problem)
    state = search.initial(data, seed)
    settings = search.parameters_for(data, HORIZON)
    audit(data, state)
    costs = []
    for i in range(8):
        search.anneal(data, state, settings, 5, i / 8, (i + 1) / 8)
        audit(data, state)
        costs.append((state.totals[BEST_MISSING], state.totals[BEST]))
    plan = Plan.from_indices(problem, search.best_routes(data, state))
    report = check(problem, plan)
    assert report.feasible, report.violations
    assert report.objective == pytest.approx(costs[-1][1], rel=1e-7, abs=1e-7)
    assert costs == sorted(costs, reverse=True)
    codes, goal = second_opinion(problem, plan)
    assert not codes
    assert goal == pytest.approx(costs[-1][1], rel=1e-6, abs=1e-6)


@given(st.integers(0, 2**32), st.integers(2, 10))
def test_nobody_is_late_where_going_round_is_shorter(seed, customers):
    rng = np.random.default_rng(seed)
    roads = rng.uniform(0.1, 1.0, (customers + 1, customers + 1))
    problem: Any = generate(f"hcvrp/{customers}/3", seed).replace(speed=[1.0, 1.0, 1.0])
    day = Day(matrices={"van": roads}, available=[[0, 2.0]] * 3, minimise="distance")
    problem = problem.replace(day=day)
    data = search.prepare(problem)
    state = search.initial(data, 0)
    search.anneal(data, state, search.parameters_for(data, HORIZON), 30, 0.0, 1.0)
    audit(data, state)
    assert check(problem, Plan.from_indices(problem, search.best_routes(data, state))).feasible


@given(any_days(), st.integers(0, 3))
def test_its_own_plan_is_a_start_that_stays(problem, seed):
    data = search.prepare(problem)
    state = search.initial(data, seed)
    search.anneal(data, state, search.parameters_for(data, HORIZON), 20, 0.0, 1.0)
    routes = search.best_routes(data, state)
    again = search.from_routes(data, 0, flatten(routes))
    audit(data, again)
    assert again.totals[BEST_MISSING] <= state.totals[BEST_MISSING] + 1e-9
    if again.totals[BEST_MISSING] == state.totals[BEST_MISSING]:
        best = search.best_cost(data, state)
        assert search.best_cost(data, again) == pytest.approx(best, rel=1e-9, abs=1e-9)
