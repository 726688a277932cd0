"""The independent checker: what a plan really costs, and every rule that it breaks.

It shares no code with the environments and solvers whose work it judges; see :mod:`geopar.checks`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

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
        return Report(problem.kind, (violation,), math.inf, np.zeros(problem.num_vehicles))
    found: list[Violation] = []
    visits = gather(problem, plan, found)
    check_served_once(problem, visits, found)
    completion, objective = PROBLEM_KINDS[problem.kind].checker.load()(problem, visits, found)
    if not found:
        _check_claim(plan.objective, objective, found)
    return Report(problem.kind, tuple(found), math.inf if found else objective, completion)


def _check_claim(claim: float | None, objective: float, found: list[Violation]) -> None:
    if claim is None:
        return
    if not math.isclose(claim, objective, rel_tol=CLAIM_TOLERANCE):
        message = f"the plan claims {claim:.12g}, but its routes have {objective:.12g}"
        found.append(Violation("wrong-objective", message, found=float(claim), allowed=objective))
