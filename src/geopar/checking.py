"""The independent checker: what a plan really costs, and every rule that it breaks.

It shares no code with the environments and solvers whose work it judges; see :mod:`geopar.checks`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from geopar.checks import day
from geopar.checks.left_out import explain
from geopar.checks.omdcpdp import check_orders
from geopar.checks.visits import check_served_once, gather
from geopar.problems.kinds import PROBLEM_KINDS
from geopar.violations import VIOLATIONS, Report, Violation

if TYPE_CHECKING:
    from geopar.plan import Plan
    from geopar.problems import Problem

__all__ = ["VIOLATIONS", "Report", "Violation", "check"]

CLAIM_TOLERANCE = 1e-6


def check(problem: Problem, plan: Plan) -> Report:
    """Recompute a plan's objective and find every rule that it breaks.

    Parameters
    ----------
    problem
        What was to be planned.
    plan
        The plan, from wherever it came.

    Returns
    -------
    Report
        Never raises for a bad plan: the report says what is wrong with it.
    """
    if plan.kind != problem.kind:
        message = f"the plan is for {plan.kind}, the problem is {problem.kind}"
        violation = Violation("wrong-problem", message)
        return Report(
            problem.kind, (violation,), math.inf, np.zeros(problem.num_vehicles), problem.goal_name
        )
    found: list[Violation] = []
    visits = gather(problem, plan, found)
    absent = check_served_once(problem, visits, found)
    if problem.day is None:
        judge = PROBLEM_KINDS[problem.kind].checker.load()
        completion, objective = judge(problem, visits, found)
    else:
        if problem.kind == "omdcpdp":
            check_orders(problem, visits, found)
        completion, objective = day.judge(problem, plan.known_indices(problem), found)
    # What it costs by another goal is no claim about this one.
    if not found and plan.minimise in (None, problem.goal):
        _check_claim(plan.objective, objective, found)
    return Report(
        problem.kind,
        tuple(found),
        math.inf if found else objective,
        completion,
        problem.goal_name,
        explain(problem, absent),
        _priority(problem, absent),
    )


def as_checked(problem: Problem, plan: Plan, report: Report) -> Plan:
    """The plan with what a report says of it: what it costs, by which goal, and who is left out.

    Of a problem without a day there is one goal, and nothing is left out: its plan says neither.
    """
    if not report.feasible:
        return plan.without_claim()
    goal = None if problem.day is None else problem.goal
    return plan.with_objective(report.objective, goal, report.left_out)


def _priority(problem: Problem, absent: list[int]) -> float:
    given = None if problem.day is None else problem.day.priority
    return float(len(absent) if given is None else given[absent].sum())


def _check_claim(claim: float | None, objective: float, found: list[Violation]) -> None:
    if claim is None:
        return
    if not math.isclose(claim, objective, rel_tol=CLAIM_TOLERANCE):
        message = f"the plan claims {claim:.12g}, but its routes have {objective:.12g}"
        found.append(Violation("wrong-objective", message, found=float(claim), allowed=objective))
