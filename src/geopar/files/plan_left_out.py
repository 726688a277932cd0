"""Whom a plan does not serve, and why, from and to Python objects as JSON has them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from geopar.errors import Faults
from geopar.files.json_objects import Objects, as_name, check_list
from geopar.files.wording import shown
from geopar.plan import LeftOut, Route
from geopar.problems.tasks import Stop

FIELD = "left_out"


def left_out_from_json(faults: Faults, value: Any, routes: Iterable[Route]) -> tuple[LeftOut, ...]:
    """What stands there, and that the routes agree: nobody is left out and served as well."""
    listed = [] if value is None else check_list(faults, value, FIELD, least=0) or []
    rows = Objects(faults, listed, lambda row: f"{FIELD}[{row}]")
    rows.check_fields(("request",), ("reason", "fits_alone"))
    served = {
        task.order if isinstance(task, Stop) else task: route.vehicle
        for route in routes
        for task in route.tasks
    }
    found: dict[str, LeftOut] = {}
    for i, row in enumerate(rows.rows):
        if "request" not in row:
            continue
        path = f"{FIELD}[{i}].request"
        name = as_name(faults, path, row["request"])
        if name in found:
            faults.add("duplicate-id", path, shown(name), "stands there twice.", "Keep one.")
        elif name in served:
            what = f"is left out, but {served[name]} serves it."
            hint = f"Remove it from {FIELD}, or from the route."
            faults.add("served-and-left-out", path, shown(name), what, hint)
        else:
            reason = _reason(faults, f"{FIELD}[{i}].reason", row.get("reason"))
            alone = _flag(faults, f"{FIELD}[{i}].fits_alone", row.get("fits_alone"))
            found[name] = LeftOut(name, reason, alone)
    return tuple(found.values())


def left_out_to_json(left_out: Iterable[LeftOut]) -> list[dict[str, Any]]:
    """The inverse."""
    return [one._asdict() for one in left_out]


def _reason(faults: Faults, field: str, value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    faults.add("wrong-type", field, shown(value), "must be text.", "Leave it out if not known.")
    return ""


def _flag(faults: Faults, field: str, value: Any) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    faults.add("wrong-type", field, shown(value), "must be true or false.", "Or leave it out.")
    return None
