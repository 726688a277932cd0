import math
from typing import Any

import pytest
from hypothesis import given, settings

from geopar.checking import check
from geopar.problems import HCVRP, OMDCPDP
from geopar.search.refine import refine
from geopar.solver import Request
from geopar.stop import (
    Budget,
    MaxIterations,
    MaxRuntime,
    NoImprovement,
    TargetCost,
)
from instances import CORRIDOR_OPTIMUM, corridor, handful, mixed_load, square, town
from strategies import problems_with_plans

BOTH = pytest.mark.parametrize("problem", [handful(), mixed_load()], ids=["hcvrp", "omdcpdp"])


def cost(problem, plan):
    report = check(problem, plan)
    assert report.feasible, report
    return report.objective


@given(problems_with_plans())
@settings(max_examples=20)
def test_never_worse_than_the_start_and_always_feasible(case):
    problem, start = case
    outcome = refine(Request(problem, Budget(MaxIterations(30)), 0, start=start))
    assert cost(problem, outcome.plan) <= cost(problem, start) * (1 + 1e-12)


@BOTH
def test_exactly_so_many_iterations(problem):
    assert refine(Request(problem, Budget(MaxIterations(1234)), 0)).iterations == 1234


@BOTH
@pytest.mark.parametrize("threads", [1, 2])
def test_same_seed_same_plan(problem, threads):
    plans = [
        refine(Request(problem, Budget(MaxIterations(3000)), 4, threads=threads)).plan
        for _ in range(2)
    ]
    assert plans[0] == plans[1]


@BOTH
def test_two_threads_are_feasible_and_claim_the_truth(problem):
    plan = refine(Request(problem, Budget(MaxIterations(2000)), 0, threads=2)).plan
    assert cost(problem, plan) == pytest.approx(plan.objective)


@BOTH
def test_no_time_returns_the_start(problem):
    start = refine(Request(problem, Budget(MaxIterations(0)), 1)).plan
    again = refine(Request(problem, Budget(MaxRuntime(0)), 2, start=start))
    assert again.iterations == 0
    assert cost(problem, again.plan) == pytest.approx(cost(problem, start))


@BOTH
def test_without_an_end_it_stops_when_nothing_improves(problem):
    outcome = refine(Request(problem, Budget(NoImprovement(iterations=500)), 0))
    assert outcome.iterations >= 500


def test_stops_at_the_target():
    problem = square()
    outcome = refine(Request(problem, Budget(TargetCost(3.5) | MaxIterations(10**7)), 0))
    assert cost(problem, outcome.plan) <= 3.5
    assert outcome.iterations < 10**7


def test_stops_when_told_to():
    problem, seen = town(), []
    budget = Budget(MaxIterations(10**12))

    def observe(snapshot):
        seen.append(snapshot)
        budget.interrupted = len(seen) > 3

    plan = refine(Request(problem, budget, 0, observe=observe)).plan
    assert len(seen) == 4
    assert cost(problem, plan) == pytest.approx(seen[-1].cost)


@BOTH
def test_observer_sees_costs_fall(problem):
    seen: list[Any] = []
    refine(Request(problem, Budget(MaxIterations(5000)), 0, observe=seen.append))
    costs = [snapshot.cost for snapshot in seen]
    assert costs == sorted(costs, reverse=True)
    assert cost(problem, seen[-1].plan()) == pytest.approx(costs[-1])
    assert math.isfinite(costs[0])


def test_finds_the_corridor_optimum():
    problem = corridor()
    plan = refine(Request(problem, Budget(MaxIterations(500)), 0)).plan
    assert cost(problem, plan) == pytest.approx(CORRIDOR_OPTIMUM)


@pytest.mark.parametrize(
    "problem",
    [
        HCVRP((0, 0), [(3, 4)], [1], [1], [1]),
        HCVRP((1, 1), [(1, 1)] * 4, [1] * 4, [2, 3], [1, 2]),
        OMDCPDP([(0, 1)], [(1, 1)], [(0, 0)], [1]),
        OMDCPDP([(1, 1)] * 3, [(1, 1)] * 3, [(1, 1)] * 5, [1] * 5),
    ],
)
def test_the_smallest_problems(problem):
    assert cost(problem, refine(Request(problem, Budget(MaxIterations(50)), 0)).plan) < math.inf
