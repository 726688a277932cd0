"""A plan's routes as indices, whatever is wrong with the plan: a picture shows what there is."""

from __future__ import annotations

from geopar.checking import Report, check
from geopar.errors import refuse
from geopar.plan import Indices, Plan
from geopar.problems import Problem
from geopar.problems.told_times import Times


def known_routes(problem: Problem, plan: Plan) -> list[list[Indices]]:
    """The trips of each vehicle; tasks and vehicles that the problem does not have are left out."""
    if plan.kind != problem.kind:
        message = f"is for another problem than {problem.kind}."
        hint = "Give the problem that the plan was made for."
        refuse("wrong-problem", "plan", plan.kind, message, hint)
    return plan.known_indices(problem)


def verdict(problem: Problem, report: Report) -> str:
    """The objective, or how many rules are broken, as a title."""
    name = f"{problem.name}: " if problem.name else ""
    if not report.feasible:
        return name + str(report).partition("\n")[0]
    times = Times(problem)
    if times.by_clock and problem.goal != "distance":
        cost = times.length(report.objective) or "0 min"
    else:
        unit = f" {problem.goal_unit}" if problem.goal_unit else ""
        cost = f"{report.objective:,.6g}{unit}"
    return f"{name}{problem.goal_name} {cost}"


def report_without_claim(problem: Problem, plan: Plan) -> Report:
    """What the checker says of the routes; what the plan claims to cost is no matter here."""
    return check(problem, plan.with_objective(None))
