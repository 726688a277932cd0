"""A plan's routes as indices, whatever is wrong with the plan: a picture shows what there is."""

from __future__ import annotations

import numpy as np

from geopar.check import Report, check
from geopar.errors import Faults
from geopar.plan import Indices, Plan
from geopar.problems import Problem


def known_routes(problem: Problem, plan: Plan) -> list[list[Indices]]:
    """The trips of each vehicle; tasks and vehicles that the problem does not have are left out.

    Raises
    ------
    geopar.errors.InputError
        For a plan of the other problem.
    """
    if plan.kind != problem.kind:
        faults = Faults()
        faults.add(
            "wrong-problem", "plan", plan.kind, f"is for another problem than {problem.kind}.",
            "Give the problem that the plan was made for.",
        )  # fmt: skip
        faults.raise_now()
    vehicles = {name: v for v, name in enumerate(problem.vehicle_ids)}
    tasks = {task: i for i, task in enumerate(problem.task_ids)}
    routes: list[list[Indices]] = [[] for _ in range(problem.num_vehicles)]
    for route in plan.routes:
        if route.vehicle not in vehicles:
            continue
        trips = routes[vehicles[route.vehicle]]
        for trip in route.trips:
            known = [tasks[task] for task in trip if task in tasks]
            if known:
                trips.append(np.array(known, dtype=np.int64))
        if problem.kind == "omdcpdp" and len(trips) > 1:
            trips[:] = [np.concatenate(trips)]
    return routes


def verdict(problem: Problem, report: Report) -> str:
    """The objective, or how many rules are broken, as a title."""
    name = f"{problem.name}: " if problem.name else ""
    if not report.feasible:
        return name + str(report).partition("\n")[0]
    goal = "makespan" if problem.kind == "hcvrp" else "sum of arrivals"
    unit = ""
    if problem.coordinates == "lonlat":
        unit = " h" if problem.kind == "hcvrp" else " km"
    return f"{name}{goal} {report.objective:,.6g}{unit}"


def report_without_claim(problem: Problem, plan: Plan) -> Report:
    """What the checker says of the routes; what the plan claims to cost is no matter here."""
    return check(problem, Plan(plan.kind, plan.routes))
