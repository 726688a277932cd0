"""What holds for each of the paper's classical solvers; their test files subclass ``Laws``."""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import instances
from geopar.checking import check
from geopar.errors import InputError
from geopar.plan import Plan
from geopar.problems import HCVRP
from geopar.solver import Outcome, Request, Snapshot, find_solver
from geopar.stop import Budget, MaxIterations, MaxRuntime, NoImprovement, TargetCost
from strategies import hcvrps, problems_with_plans

# Corners of the problem, beside the tiny named instances.
ODD = {
    "one place": HCVRP((1, 1), [(1, 1)] * 5, [1] * 5, [2, 3], [1, 2]),
    "one vehicle": HCVRP((0, 0), [(1, 2), (3, 1), (2, 2), (0, 4)], [1, 2, 1, 2], [3], [1]),
    "room for one demand": HCVRP((0, 0), [(1, 2), (3, 1), (2, 2)], [2, 2, 2], [2, 2], [1, 1]),
    "a slow one": HCVRP((0, 0), [(1, 2), (3, 1), (2, 2)], [1, 1, 1], [2, 2], [1, 0.001]),
    "a small one": HCVRP((0, 0), [(1, 2), (3, 1), (2, 2)], [3, 1, 3], [1, 3], [9, 1]),
    "no demand": HCVRP((0, 0), [(1, 2), (3, 1), (2, 2)], [0, 0, 0], [1, 1], [1, 1]),
    "tenths": HCVRP((0, 0), [(1, 0)] * 10, [0.1] * 10, [1.0], [1]),
}


# One law, three solvers: what Hypothesis warns of when subclasses share a test is meant here.
law = settings(max_examples=25, suppress_health_check=[HealthCheck.differing_executors])


class Laws:
    """Subclasses say which solver, its parameters, and how many iterations solve four customers."""

    name: str
    solver: Callable[..., Outcome]
    parameters: Any
    enough: int

    def run(self, problem: HCVRP, iterations: int, seed: int = 0, **options: Any) -> Outcome:
        given = {"parameters": options.pop("parameters")} if "parameters" in options else {}
        request = Request(problem, Budget(MaxIterations(iterations)), seed, **options)
        return type(self).solver(request, **given)

    def test_is_listed_under_its_name(self):
        assert find_solver(self.name, "hcvrp").load() is type(self).solver
        with pytest.raises(InputError, match="wrong-problem"):
            find_solver(self.name, "omdcpdp")

    @law
    @given(problem=hcvrps(max_tasks=10), seed=st.integers(0, 100))
    def test_plans_are_feasible_and_cost_what_they_claim(self, problem, seed):
        outcome = self.run(problem, 30, seed)
        report = check(problem, outcome.plan)
        assert report.feasible, report.violations
        assert outcome.plan.objective == pytest.approx(report.objective)

    @law
    @given(pair=problems_with_plans(hcvrps()), iterations=st.integers(0, 30))
    def test_never_worse_than_the_start(self, pair, iterations):
        problem, start = pair
        outcome = self.run(problem, iterations, start=start)
        report = check(problem, outcome.plan)
        assert report.feasible
        assert report.objective <= check(problem, start).objective

    @pytest.mark.parametrize("name", ODD)
    def test_corners(self, name):
        report = check(ODD[name], self.run(ODD[name], 50).plan)
        assert report.feasible, report.violations

    @pytest.mark.parametrize(
        ("make", "optimum"),
        [
            (instances.square, instances.SQUARE_OPTIMUM),
            (instances.two_speeds, instances.TWO_SPEEDS_OPTIMUM),
            (instances.one_customer, instances.ONE_CUSTOMER_OPTIMUM),
        ],
    )
    def test_finds_optima_known_by_hand(self, make, optimum):
        assert self.run(make(), self.enough).plan.objective == pytest.approx(optimum)

    def test_improves(self, handful):
        first = self.run(handful, 0).plan.objective
        assert self.run(handful, 10 * self.enough).plan.objective < 0.8 * first

    def test_the_same_seed_gives_the_same_run(self, handful):
        def trace(seed: int) -> tuple[list[tuple[int, float]], Plan]:
            seen: list[Snapshot] = []
            outcome = self.run(handful, 3 * self.enough, seed, observe=seen.append)
            return [(look.iterations, look.cost) for look in seen], outcome.plan

        assert trace(1) == trace(1)

    def test_seeds_differ(self, handful):
        assert len({self.run(handful, 3, seed).plan.objective for seed in range(5)}) > 1

    @pytest.mark.parametrize("factor", [2.0**-20, 2.0**20])
    def test_the_unit_does_not_matter(self, factor, handful):
        # A power of two, so that not even rounding differs.
        scaled = handful.replace(depot=handful.depot * factor, customers=handful.customers * factor)
        routes = self.run(handful, self.enough).plan.routes
        assert self.run(scaled, self.enough).plan.routes == routes

    @pytest.mark.parametrize("iterations", [0, 1, 7, 2500])
    def test_iterations_are_counted_exactly(self, iterations, square):
        budget = Budget(MaxIterations(iterations))
        outcome = type(self).solver(Request(square, budget), parameters=self.parameters)
        assert outcome.iterations == min(iterations, self.full(square))
        assert budget.iterations == outcome.iterations

    def full(self, problem: HCVRP) -> int:
        return self.parameters.full(problem.num_tasks)

    @pytest.mark.parametrize("factor", [1.0, 0.25])
    def test_stops_after_its_own_budget_and_says_what_part_it_was(self, factor, square):
        parameters = dataclasses.replace(self.parameters, factor=factor)
        outcome = self.run(square, 10**9, parameters=parameters)
        assert outcome.iterations == round(self.full(square) * factor)
        assert f"a factor of {factor:g}" in outcome.notes[0]
        assert f"{self.full(square):,}" in outcome.notes[0]

    def test_no_time_gives_the_simplest_plan(self, handful):
        outcome = type(self).solver(Request(handful, Budget(MaxRuntime(0)), 0))
        assert outcome.iterations == 0
        assert check(handful, outcome.plan).feasible

    def test_no_time_gives_the_start(self, handful):
        start = self.run(handful, 20).plan
        outcome = type(self).solver(Request(handful, Budget(MaxRuntime(0)), 1, start=start))
        assert outcome.plan.objective <= start.objective

    def test_an_interrupt_ends_it(self, handful):
        budget = Budget(MaxIterations(10**9))

        def interrupt(_: Snapshot) -> None:
            budget.interrupted = True

        outcome = type(self).solver(Request(handful, budget, 0, observe=interrupt))
        assert outcome.iterations == 0
        assert check(handful, outcome.plan).feasible

    def test_other_rules_end_it(self, square):
        reached = Budget(TargetCost(instances.SQUARE_OPTIMUM * 1.001))
        plan = type(self).solver(Request(square, reached, 0)).plan
        assert plan.objective == pytest.approx(instances.SQUARE_OPTIMUM)
        stale = Budget(NoImprovement(iterations=5))
        assert type(self).solver(Request(square, stale, 0)).iterations >= 5

    def test_observers_see_it_get_better(self, handful):
        seen: list[Snapshot] = []
        outcome = self.run(handful, 3 * self.enough, observe=seen.append)
        costs = [look.cost for look in seen]
        assert costs == sorted(costs, reverse=True)
        assert seen[0].iterations == 0
        assert seen[-1].iterations == outcome.iterations
        assert seen[-1].plan() == outcome.plan
        assert costs[-1] == pytest.approx(outcome.plan.objective)

    def test_does_not_do_the_other_problem(self, corridor):
        with pytest.raises(InputError, match="wrong-problem"):
            self.run(corridor, 1)
