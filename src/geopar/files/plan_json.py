"""Plans from and to Python objects as JSON has them.

The format is written down in ``schemas/plan.schema.json`` and ``docs/formats.md``.
"""

from __future__ import annotations

import math
from typing import Any, Literal

from geopar.errors import Faults
from geopar.files.building import check_text
from geopar.files.json_objects import Objects, as_id, check_list
from geopar.files.wording import maybe, shown
from geopar.plan import Plan, Route, Stop, Task

Kind = Literal["hcvrp", "omdcpdp"]
ACTIONS = ("pickup", "delivery")


def plan_from_json(value: Any) -> Plan:
    """The plan that a parsed JSON object describes; :func:`geopar.check` judges it.

    Parameters
    ----------
    value
        ``{"problem": "hcvrp", "objective": 5.4, "routes": [{"vehicle": "v1", "trips": [["c1"]]}]}``
        or ``{"problem": "omdcpdp", "routes": [{"vehicle": "v1", "stops": [{"order": "o1",
        "action": "pickup"}, …]}]}``. The objective may be left out.

    Raises
    ------
    geopar.errors.InputError
        With every fault found, each with its path.
    """
    faults = Faults()
    if not isinstance(value, dict):
        faults.add(
            "wrong-type", "plan file", shown(value), "must be an object.",
            'Write {"problem": "hcvrp", "routes": […]}.',
        )  # fmt: skip
        faults.raise_now()
    Objects(faults, [value], lambda _: "").check_fields(("problem", "routes"), ("objective",))
    kind = _kind(faults, value)
    objective = _objective(faults, value.get("objective"))
    routes = check_list(faults, value.get("routes", []), "routes", least=0) or []
    rows = Objects(faults, routes, lambda row: f"routes[{row}]")
    rows.check_fields(("vehicle", "trips" if kind == "hcvrp" else "stops"))
    plan = Plan(
        kind,
        tuple(_route(faults, kind, row, f"routes[{i}]") for i, row in enumerate(rows.rows)),
        objective,
    )
    faults.raise_if_any()
    return plan


def _kind(faults: Faults, value: dict[str, Any]) -> Kind:
    kind = value.get("problem", "hcvrp")
    if kind not in ("hcvrp", "omdcpdp"):
        hint = maybe(kind if isinstance(kind, str) else "", ("hcvrp", "omdcpdp"))
        faults.add("unknown-problem", "problem", shown(kind), "is no problem known here.", hint)
    return "omdcpdp" if kind == "omdcpdp" else "hcvrp"


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


def _route(faults: Faults, kind: Kind, row: dict[str, Any], path: str) -> Route:
    vehicle = _name(faults, row["vehicle"], f"{path}.vehicle") if "vehicle" in row else ""
    if kind == "hcvrp":
        trips = check_list(faults, row.get("trips", []), f"{path}.trips", least=0) or []
        return Route(vehicle, tuple(_trip(faults, t, path, i) for i, t in enumerate(trips)))
    stops = check_list(faults, row.get("stops", []), f"{path}.stops", least=0) or []
    if not stops:
        return Route(vehicle, ())
    rows = Objects(faults, stops, lambda i: f"{path}.stops[{i}]")
    rows.check_fields(("order", "action"))
    told = tuple(_stop(faults, stop, rows.path(i)) for i, stop in enumerate(rows.rows))
    return Route(vehicle, (told,))


def _trip(faults: Faults, value: Any, path: str, number: int) -> tuple[Task, ...]:
    here = f"{path}.trips[{number}]"
    tasks = check_list(faults, value, here, least=0) or []
    return tuple(_name(faults, task, f"{here}[{i}]") for i, task in enumerate(tasks))


def _stop(faults: Faults, value: dict[str, Any], path: str) -> Stop:
    action = value.get("action", "pickup")
    if action not in ACTIONS:
        hint = maybe(action if isinstance(action, str) else "", ACTIONS)
        faults.add("unknown-value", f"{path}.action", shown(action), "is no action.", hint)
    order = _name(faults, value["order"], f"{path}.order") if "order" in value else ""
    return Stop(order, "delivery" if action == "delivery" else "pickup")


def _name(faults: Faults, value: Any, path: str) -> str:
    text = as_id(faults, path, value) or ""
    if not text.isascii():
        check_text(faults, path, text)
    return text


def plan_to_json(plan: Plan) -> dict[str, Any]:
    """The plan as an object for JSON; :func:`plan_from_json` gives it back."""
    top: dict[str, Any] = {"problem": plan.kind}
    if plan.objective is not None:
        top["objective"] = plan.objective
    top["routes"] = [
        {"vehicle": route.vehicle, "trips": [list(trip) for trip in route.trips]}
        if plan.kind == "hcvrp"
        else {"vehicle": route.vehicle, "stops": [_stop_to_json(task) for task in route.tasks]}
        for route in plan.routes
    ]
    return top


def _stop_to_json(task: Task) -> dict[str, str]:
    if not isinstance(task, Stop):
        faults = Faults()
        hint = "Use geopar.plan.Stop in OMDCPDP."
        faults.add("unknown-value", "plan", shown(task), "is no stop.", hint)
        faults.raise_now()
    return {"order": task.order, "action": task.action}
