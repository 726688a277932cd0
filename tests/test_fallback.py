import pickle
from functools import partial

import numpy as np
import pytest

from geopar.checking import check
from geopar.fallback import SECONDS_PER_TASK, SPARED, BrokenPlanError, LastChecked, first_plan
from geopar.plan import Plan
from geopar.problems import HCVRP, Problem
from geopar.problems.random import generate
from geopar.problems.random_day import random_day
from geopar.solver import Snapshot
from strategies import random_plan


def test_the_error_survives_the_way_to_another_process(square: HCVRP) -> None:
    violations = tuple(check(square, Plan("hcvrp", ())).violations)
    error = BrokenPlanError("refine", 3, violations)
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.seed, copy.violations) == (str(error), 3, violations)


def test_a_first_plan_is_feasible(any_problem: Problem) -> None:
    substitute = first_plan(any_problem, 0)
    assert check(any_problem, substitute.plan).feasible
    assert substitute.report.objective == check(any_problem, substitute.plan).objective


@pytest.mark.parametrize("setting", ["hcvrp/6/2", "omdcpdp/6/2"])
def test_a_first_plan_of_a_day_is_feasible(setting: str) -> None:
    problem = random_day(generate(setting), np.random.default_rng(1), ("windows", "available"))
    substitute = first_plan(problem, 0)
    assert substitute is not None
    assert "insert" in substitute.origin


def looks(problem: Problem, *seconds: float, improved: bool = True) -> tuple[LastChecked, list]:
    """An observer that has looked at these moments, and when it asked for the plan."""
    plan = random_plan(problem, np.random.default_rng(0))
    asked: list[float] = []
    checked = LastChecked(problem)

    def build(now: float) -> Plan:
        asked.append(now)
        return plan

    for moment in seconds:
        checked(Snapshot(moment, 1, 1.0, improved, partial(build, moment)))
    return checked, asked


def test_a_plan_is_checked_only_when_enough_time_has_passed(square: HCVRP) -> None:
    soon = SPARED * SECONDS_PER_TASK * square.num_tasks
    checked, asked = looks(square, 0.0, 0.9 * soon)
    assert asked == []
    assert checked.kept is None
    checked, asked = looks(square, 0.9 * soon, 1.1 * soon, 1.1 * soon, 1e6)
    assert asked == [1.1 * soon, 1e6]
    assert checked.kept.seconds == 1.1 * soon


def test_only_an_improvement_is_checked(square: HCVRP) -> None:
    assert looks(square, 1.0, 1e6, improved=False)[1] == []


def test_a_broken_or_worse_plan_does_not_replace_a_good_one(square: HCVRP) -> None:
    good = Plan.from_indices(square, [[[0, 1]], [[2, 3]]])
    worse = Plan.from_indices(square, [[[0], [1], [2], [3]], []])
    checked = LastChecked(square)
    for moment, plan in enumerate((worse, good, worse, Plan("hcvrp", ()))):
        checked(Snapshot(1e6 * (1 + moment), 1, 1.0, True, partial(Plan, plan.kind, plan.routes)))
    assert checked.kept.plan.routes == good.routes
    assert checked.kept.report.objective == pytest.approx(2 + 2**0.5)
