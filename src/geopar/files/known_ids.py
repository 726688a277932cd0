"""Whether a plan speaks of its problem: needed where ids become numbers or places."""

from __future__ import annotations

import math

from geopar.errors import Faults
from geopar.files.wording import maybe, shown
from geopar.plan import Plan
from geopar.problems import Problem


def check_kind(faults: Faults, plan: Plan, problem: Problem) -> None:
    """Plan and problem are of one kind."""
    if plan.kind != problem.kind:
        faults.add(
            "wrong-problem", "problem", plan.kind, f"is not the problem's kind, {problem.kind}.",
            "Take the plan of this problem.",
        )  # fmt: skip


def check_ids_known(plan: Plan, problem: Problem) -> None:
    """Every id of the plan is one of the problem's, and the claimed objective is a number.

    Raises
    ------
    geopar.errors.InputError
        With every fault found.
    """
    faults = Faults()
    check_kind(faults, plan, problem)
    faults.raise_if_any()
    if plan.objective is not None and not math.isfinite(plan.objective):
        faults.add("not-finite", "objective", plan.objective, "must be a finite number.")
    tasks, vehicles = set(problem.task_ids), set(problem.vehicle_ids)
    for i, route in enumerate(plan.routes):
        if route.vehicle not in vehicles:
            hint = maybe(route.vehicle, problem.vehicle_ids[:100])[:200]
            field = f"routes[{i}].vehicle"
            faults.add("unknown-id", field, shown(route.vehicle), "is no vehicle here.", hint)
        for j, trip in enumerate(route.trips):
            for k, task in enumerate(trip):
                if task not in tasks:
                    faults.add(
                        "unknown-id", f"routes[{i}].trips[{j}][{k}]", shown(str(task)),
                        "is no task of this problem.", "Is it the right problem?",
                    )  # fmt: skip
    faults.raise_if_any()
