"""Plans from and to Python objects as JSON has them.

The format is written down in ``schemas/plan.schema.json`` and ``docs/use/files.md``.
"""

from __future__ import annotations

import math
from typing import Any, cast

from geopar.errors import Faults
from geopar.files.forms import forms_of
from geopar.files.json_objects import Objects, as_name, check_list, check_object
from geopar.files.plan_left_out import left_out_from_json, left_out_to_json
from geopar.files.plan_schedule import schedule_rows
from geopar.files.problem_json import read_kind
from geopar.files.wording import maybe, shown
from geopar.plan import Plan, Route
from geopar.problems import Problem
from geopar.problems.day import GOALS, Goal
from geopar.problems.kinds import KINDS


def plan_from_json(value: Any) -> Plan:
    """The plan that a parsed JSON object describes; :func:`geopar.check` judges it.

    Parameters
    ----------
    value
        ``{"problem": "hcvrp", "objective": 5.4, "routes": [{"vehicle": "v1", "trips": [["c1"]]}]}``
        or ``{"problem": "omdcpdp", "routes": [{"vehicle": "v1", "stops": [{"order": "o1",
        "action": "pickup"}, …]}]}``. The objective may be left out. So may ``minimise``, the goal
        of which it is told, and ``left_out``, who is not served.

    Raises
    ------
    geopar.errors.InputError
        With every fault found, each with its path.
    """
    faults = Faults()
    hint = 'Write {"problem": "hcvrp", "routes": […]}.'
    top = check_object(faults, value, "plan file", hint)
    # The schedule follows from the routes; it is there to be read by others.
    top.check_fields(("problem", "routes"), ("objective", "minimise", "left_out", "schedule"))
    kind = read_kind(faults, value.get("problem", KINDS[0]))
    forms = forms_of(kind)
    objective = _objective(faults, value.get("objective"))
    goal = _goal(faults, value.get("minimise"))
    routes = check_list(faults, value.get("routes", []), "routes", least=0) or []
    rows = Objects(faults, routes, lambda row: f"routes[{row}]")
    rows.check_fields(("vehicle", forms.ROUTE_FIELD))
    read = []
    for i, row in enumerate(rows.rows):
        path = f"routes[{i}]"
        vehicle = as_name(faults, f"{path}.vehicle", row["vehicle"]) if "vehicle" in row else ""
        read.append(forms.route_from_json(faults, row, path, vehicle))
    left_out = left_out_from_json(faults, value.get("left_out"), read)
    faults.raise_if_any()
    return Plan(kind, tuple(read), objective, goal, left_out)


def _goal(faults: Faults, value: Any) -> Goal | None:
    if value is None or value in GOALS:
        return cast(Goal | None, value)
    hint = maybe(value, GOALS) if isinstance(value, str) else f"One of {', '.join(GOALS)}."
    faults.add("unknown-value", "minimise", shown(value), "is no goal.", hint)
    return None


def _objective(faults: Faults, value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        faults.add(
            "not-a-number", "objective", shown(value), "is not a number.", "Give one, or leave out."
        )
        return None
    try:
        objective = float(value)
    except OverflowError:
        objective = math.inf
    if not math.isfinite(objective):
        faults.add(
            "not-finite", "objective", shown(value), "must be a finite number.",
            "Leave it out if it is not known.",
        )  # fmt: skip
    return objective


def _parts(route: Route, field: str) -> list[Route]:
    """A route as the format has it: where there are no trips, each one is told apart.

    Such a plan breaks a rule, and what is read again must break one, too.
    """
    if field == "trips" or len(route.trips) < 2:
        return [route]
    return [Route(route.vehicle, (trip,)) for trip in route.trips]


def plan_to_json(plan: Plan, problem: Problem | None = None) -> dict[str, Any]:
    """The plan as an object for JSON; :func:`plan_from_json` gives it back.

    An OMDCPDP plan in which a vehicle has several trips, against the rules, comes back with as many
    routes of that vehicle, which is against the rules as well.

    Parameters
    ----------
    problem
        With it the schedule is told as well: arrival, waiting, service, departure, load.
    """
    top: dict[str, Any] = {"problem": plan.kind}
    if plan.objective is not None:
        top["objective"] = plan.objective
    if plan.minimise is not None:
        top["minimise"] = plan.minimise
    forms = forms_of(plan.kind)
    top["routes"] = [
        {"vehicle": part.vehicle, forms.ROUTE_FIELD: forms.route_to_json(part)}
        for route in plan.routes
        for part in _parts(route, forms.ROUTE_FIELD)
    ]
    if plan.left_out:
        top["left_out"] = left_out_to_json(plan.left_out)
    if problem is not None:
        top["schedule"] = schedule_rows(problem, plan)
    return top
