"""Problems from and to Python objects as JSON has them.

The formats are written down in ``schemas/problem.schema.json`` and ``docs/formats.md``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from geopar.errors import Faults
from geopar.files.building import build, check_text
from geopar.files.json_objects import DEGREES, PLANE, Objects, axes_of, check_list, points
from geopar.files.wording import maybe, shown
from geopar.problems import HCVRP, OMDCPDP, Problem
from geopar.problems.validation import MOST_TASKS, MOST_VEHICLES, Coordinates, Floats

_LISTS = {"customer": "customers", "order": "orders", "vehicle": "vehicles"}


def _where(thing: str, row: int, quantity: str) -> str:
    return f"depot.{quantity}" if thing == "depot" else f"{_LISTS[thing]}[{row}].{quantity}"


def problem_from_json(value: Any) -> Problem:
    """The problem that a parsed JSON object describes.

    Parameters
    ----------
    value
        ``{"problem": "hcvrp", "depot": …, "customers": […], "vehicles": […]}`` or
        ``{"problem": "omdcpdp", "orders": […], "vehicles": […]}``.

    Raises
    ------
    geopar.errors.InputError
        With every fault found, each with its path.
    """
    faults = Faults()
    if not isinstance(value, dict):
        faults.add(
            "wrong-type", "problem file", shown(value), "must be an object.",
            'Write {"problem": "hcvrp", …}.',
        )  # fmt: skip
        faults.raise_now()
    name = value.get("name", "")
    if not isinstance(name, str):
        faults.add("wrong-type", "name", shown(name), "must be text.", "Put it in quotes.")
        name = ""
    check_text(faults, "name", name)
    top = Objects(faults, [value], lambda _: "")
    if _kind(faults, value) == "hcvrp":
        return _hcvrp(faults, top, name)
    return _omdcpdp(faults, top, name)


def _kind(faults: Faults, value: dict[str, Any]) -> Literal["hcvrp", "omdcpdp"]:
    kind = value.get("problem", ...)
    if kind == "hcvrp" or kind == "omdcpdp":
        return kind  # type: ignore[no-any-return]
    known = ("hcvrp", "omdcpdp")
    if kind is not ...:  # if it is missing, that is told with the other fields
        hint = maybe(kind, known) if isinstance(kind, str) else maybe("", known)
        faults.add("unknown-problem", "problem", shown(kind), "is no problem known here.", hint)
    return "omdcpdp" if "orders" in value else "hcvrp"


def _rows(faults: Faults, top: Objects, name: str, most: int) -> Objects:
    """A list of objects; one row of holes where it is missing, so that reading can go on."""
    value = top.rows[0].get(name, ...)
    rows = None if value is ... else check_list(faults, value, name, most)
    if rows is None:
        return Objects(faults, [{}], lambda row: f"{name}[{row}]", frozenset({0}))
    return Objects(faults, rows, lambda row: f"{name}[{row}]")


def _hcvrp(faults: Faults, top: Objects, name: str) -> HCVRP:
    top.check_fields(("problem", "depot", "customers", "vehicles"), ("name",))
    depot = top.children("depot")
    customers = _rows(faults, top, "customers", MOST_TASKS)
    vehicles = _rows(faults, top, "vehicles", MOST_VEHICLES)
    axes, coordinates = axes_of(faults, (depot, customers))
    spare = () if axes else (*PLANE, *DEGREES)
    depot.check_fields(axes, spare)
    customers.check_fields((*axes, "demand"), ("id", *spare))
    vehicles.check_fields(("capacity", "speed"), ("id",))
    columns = {
        "depot": points(depot, axes)[0],
        "customers": points(customers, axes),
        "demand": customers.numbers("demand"),
        "capacity": vehicles.numbers("capacity"),
        "speed": vehicles.numbers("speed"),
    }
    ids = {"customer_ids": customers.ids(), "vehicle_ids": vehicles.ids()}
    return build(HCVRP, faults, _where, columns, ids, coordinates, name)


def _omdcpdp(faults: Faults, top: Objects, name: str) -> OMDCPDP:
    top.check_fields(("problem", "orders", "vehicles"), ("name",))
    orders = _rows(faults, top, "orders", MOST_TASKS // 2)
    vehicles = _rows(faults, top, "vehicles", MOST_VEHICLES)
    orders.check_fields(("pickup", "delivery"), ("id",))
    pickups, deliveries = orders.children("pickup"), orders.children("delivery")
    axes, coordinates = axes_of(faults, (pickups, deliveries, vehicles))
    spare = () if axes else (*PLANE, *DEGREES)
    for ends in (pickups, deliveries):
        ends.check_fields(axes, spare)
    vehicles.check_fields((*axes, "capacity"), ("id", *spare))
    columns = {
        "pickups": points(pickups, axes),
        "deliveries": points(deliveries, axes),
        "starts": points(vehicles, axes),
        "capacity": vehicles.numbers("capacity"),
    }
    ids = {"order_ids": orders.ids(), "vehicle_ids": vehicles.ids()}
    return build(OMDCPDP, faults, _where, columns, ids, coordinates, name)


def problem_to_json(problem: Problem) -> dict[str, Any]:
    """The problem as an object for JSON; :func:`problem_from_json` gives it back to the bit."""
    top: dict[str, Any] = {"problem": problem.kind}
    if problem.name:
        top["name"] = problem.name
    vehicles: dict[str, Sequence[Any]] = {"id": problem.vehicle_ids}
    if isinstance(problem, HCVRP):
        top["depot"] = _objects(_axes(problem.depot[None], problem.coordinates))[0]
        top["customers"] = _objects(
            {"id": problem.customer_ids}
            | _axes(problem.customers, problem.coordinates)
            | {"demand": plain(problem.demand)}
        )
        vehicles |= {"capacity": plain(problem.capacity), "speed": plain(problem.speed)}
    else:
        ends: dict[str, Sequence[Any]] = {
            end: _objects(_axes(places, problem.coordinates))
            for end, places in (("pickup", problem.pickups), ("delivery", problem.deliveries))
        }
        top["orders"] = _objects({"id": problem.order_ids, **ends})
        vehicles |= _axes(problem.starts, problem.coordinates)
        vehicles |= {"capacity": plain(problem.capacity)}
    top["vehicles"] = _objects(vehicles)
    return top


def _objects(columns: dict[str, Sequence[Any]]) -> list[dict[str, Any]]:
    names = tuple(columns)
    return [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _axes(places: Floats, coordinates: Coordinates) -> dict[str, Sequence[Any]]:
    if coordinates == "plane":
        return {"x": plain(places[:, 0]), "y": plain(places[:, 1])}
    return {"lat": plain(places[:, 1]), "lon": plain(places[:, 0])}


def plain(values: Floats) -> list[Any]:
    """Python numbers; whole ones without the dot, where all are whole and nothing gets lost."""
    whole = (values == np.floor(values)) & (np.abs(values) < 2.0**53)
    negative_zero = (values == 0.0) & np.signbit(values)
    clean = values.astype(np.int64) if np.all(whole & ~negative_zero) else values
    return list(clean.tolist())


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def object_text(top: dict[str, Any]) -> str:
    """JSON text of an object, with each entry of its lists on a line of its own."""
    lines = []
    for key, value in top.items():
        if isinstance(value, list) and value:
            rows = ",\n  ".join(map(_encode, value))
            lines.append(f" {_encode(key)}: [\n  {rows}\n ]")
        else:
            lines.append(f" {_encode(key)}: {_encode(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"
