from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from days import days
from geopar.checking import check
from geopar.plan import Plan
from geopar.problems.random import generate
from geopar.problems.random_day import random_day
from geopar.search import insert as module
from geopar.search.engines import operations_of, tiny_like
from geopar.search.insert import TRIES, insert, warm_up, warm_up_day
from geopar.search.refine import refine
from geopar.solver import Request, find_solver
from geopar.stop import Budget, MaxIterations, MaxRuntime, NoImprovement, StopRule
from strategies import problems

SETTINGS = ["hcvrp/30/3", "omdcpdp/30/3"]


def solved(problem, rule: StopRule, seed=0):
    outcome = insert(Request(problem, Budget(rule), seed))
    report = check(problem, outcome.plan)
    assert report.feasible, str(report)
    assert outcome.plan.objective == pytest.approx(report.objective, rel=1e-9)
    return outcome


def test_is_in_the_list_of_solvers(any_problem):
    assert find_solver("insert", any_problem.kind).load() is insert


def test_every_tiny_problem(any_problem):
    solved(any_problem, MaxRuntime(60))


@given(problems(max_tasks=8))
@settings(max_examples=20)
def test_any_problem(problem):
    solved(problem, MaxIterations(3))


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("rule", [MaxRuntime(0), MaxIterations(0), MaxIterations(1)])
def test_without_time_it_is_what_search_begins_with(setting, rule):
    problem = generate(setting)
    outcome = solved(problem, rule)
    assert outcome.iterations == 1
    assert outcome.plan == refine(Request(problem, Budget(MaxIterations(0)), 0)).plan


@pytest.mark.parametrize("setting", SETTINGS)
def test_more_insertions_are_never_worse(setting):
    costs = []
    for seed in range(5):
        problem = generate(setting, seed)
        outcomes = [solved(problem, MaxIterations(tries)) for tries in (1, 4, 1000)]
        assert [outcome.iterations for outcome in outcomes] == [1, 4, TRIES]
        costs.append([outcome.plan.objective for outcome in outcomes])
        assert costs[-1] == sorted(costs[-1], reverse=True)
    assert any(first > last for first, _, last in costs), "other sequences are other plans"


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_same_plan_whatever_the_seed(setting):
    problem = generate(setting)
    rule = NoImprovement(iterations=50)
    assert solved(problem, rule, seed=1).plan == solved(problem, rule, seed=2).plan


@pytest.mark.parametrize(
    ("left", "expected"), [(0.0, 1), (0.9, 1), (4.5, 4), (1000.0, TRIES), (-1.0, 1)]
)
def test_no_more_insertions_than_there_is_time_for(left, expected, monkeypatch):
    budget = Budget(MaxRuntime(60))
    monkeypatch.setattr(Budget, "seconds_left", left)
    assert module._tries(budget, seconds=1.0) == expected
    budget.interrupted = True
    assert module._tries(budget, seconds=1.0) == 1


@pytest.mark.parametrize("setting", SETTINGS)
def test_observers_see_the_first_plan_and_the_best(setting):
    problem = generate(setting, 3)
    seen: list[Any] = []
    outcome = insert(Request(problem, Budget(MaxIterations(9)), 0, observe=seen.append))
    assert [snapshot.iterations for snapshot in seen] == [1, 9]
    assert seen[0].improved
    assert seen[-1].plan() == outcome.plan
    assert seen[0].cost == pytest.approx(check(problem, seen[0].plan()).objective)


@given(days(), st.sampled_from([1, 4]))
@settings(max_examples=30)
def test_any_day(problem, tries):
    outcome = insert(Request(problem, Budget(MaxIterations(tries))))
    report = check(problem, Plan(problem.kind, outcome.plan.routes))
    assert {violation.code for violation in report.violations} <= {"unserved"}, str(report)
    if report.feasible:
        # Without what leaving somebody out counts within the search.
        assert outcome.plan.objective == pytest.approx(report.objective, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("setting", SETTINGS)
def test_more_insertions_never_leave_out_more(setting):
    for seed in range(3):
        problem = random_day(generate(setting, seed), np.random.default_rng(seed), ("windows",))
        plans = [insert(Request(problem, Budget(MaxIterations(tries)))).plan for tries in (1, 9)]
        first, last = (check(problem, Plan(plan.kind, plan.routes)).rank for plan in plans)
        assert last <= first


@pytest.mark.parametrize("kind", ["hcvrp", "omdcpdp"])
def test_what_is_compiled_for_a_day_is_the_engine_that_solves_it(kind):
    plain = generate(f"{kind}/6/2")
    waiting = random_day(plain, np.random.default_rng(0), ("windows",))
    for problem in (plain, waiting):
        assert operations_of(tiny_like(problem)) is operations_of(problem)
    assert operations_of(plain) is not operations_of(waiting)


def test_it_can_be_warmed_up():
    said: list[str] = []
    for kind in ("hcvrp", "omdcpdp"):
        warm_up(kind, said.append)
        warm_up_day(random_day(generate(f"{kind}/4/2"), np.random.default_rng(0)), said.append)
    assert all("insertion" in text for text in said)
