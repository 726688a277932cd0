"""OMDCPDP and its routes in JSON and CSV; see :class:`geopar.files.forms.Forms`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from geopar.errors import Faults, Place, refuse
from geopar.files.building import build
from geopar.files.columns import (
    DEGREES,
    PLANE,
    objects,
    place_columns,
    sparse,
)
from geopar.files.day_columns import DayWriter
from geopar.files.day_parts import (
    REQUEST_FIELDS,
    TASK_FIELDS,
    TOP_FIELDS,
    VEHICLE_FIELDS,
    DayParts,
    about_of,
)
from geopar.files.json_objects import (
    Objects,
    as_name,
    axes_of,
    check_list,
    points,
    rows_of,
)
from geopar.files.table import Table, end_columns
from geopar.files.table_names import KNOWN_ORDERS, KNOWN_VEHICLES, is_of_straight_lines
from geopar.files.table_rows import TableRows, table_axes
from geopar.files.wording import maybe, shown
from geopar.plan import Route
from geopar.problems import OMDCPDP
from geopar.problems.day import Day, TimeUnit
from geopar.problems.tasks import Stop
from geopar.problems.validation import LARGEST_NUMBER, MOST_TASKS, MOST_VEHICLES, Coordinates

LISTED = "orders"
ROUTE_FIELD = "stops"
ACTIONS = ("pickup", "delivery")
COLUMNS = frozenset({"order", "action", *end_columns(PLANE), *end_columns(DEGREES)})


class _Rows(NamedTuple):
    """All that a file has, whatever its format."""

    top: Objects
    orders: Objects
    pickups: Objects
    deliveries: Objects
    vehicles: Objects


def from_json(faults: Faults, top: Objects, name: str) -> OMDCPDP:
    """The problem in a parsed JSON object."""
    top.check_fields(("problem", "orders", "vehicles"), ("name", *TOP_FIELDS))
    orders = rows_of(faults, top, "orders", MOST_TASKS // 2)
    vehicles = rows_of(faults, top, "vehicles", MOST_VEHICLES)
    orders.check_fields(("pickup", "delivery"), ("id", "size", *REQUEST_FIELDS))
    pickups, deliveries = orders.children("pickup"), orders.children("delivery")
    axes, coordinates = axes_of(faults, (pickups, deliveries, vehicles))
    spare = () if axes else (*PLANE, *DEGREES)
    for ends in (pickups, deliveries):
        ends.check_fields(axes, (*TASK_FIELDS, *spare))
    vehicles.check_fields(axes, ("id", "capacity", "speed", *VEHICLE_FIELDS, *spare))
    rows = _Rows(top, orders, pickups, deliveries, vehicles)
    return _built(faults, rows, axes, coordinates, name, orders.ids())


def _built(
    faults: Faults,
    rows: _Rows,
    axes: Sequence[str],
    coordinates: Coordinates,
    name: str,
    order_ids: list[str] | None,
) -> OMDCPDP:
    top, orders, pickups, deliveries, vehicles = rows
    parts = DayParts("order", faults, top, (pickups, deliveries), orders, vehicles)
    parts.optional("speed")
    size, capacity = parts.loads("size", 1.0)
    if orders.has("size"):
        parts.parts["size"] = size
    parts.on_board()
    _locked(parts)
    columns = {
        "pickups": points(pickups, axes),
        "deliveries": points(deliveries, axes),
        "starts": points(vehicles, axes),
        "capacity": capacity,
    }
    ids = {"order_ids": order_ids, "vehicle_ids": vehicles.ids()}
    about = about_of(faults, parts, top, (pickups, deliveries), vehicles)
    ends = {"pickup": pickups, "delivery": deliveries}

    def where(place: Place) -> str:
        part, _, quantity = place.quantity.rpartition(".")
        if place.thing == "vehicle":
            return vehicles.field(place.row, quantity)
        if quantity in ("service", "released"):
            end, row = divmod(place.row, len(orders.rows))
            return (pickups, deliveries)[end].field(row, quantity)
        return ends.get(part, orders).field(place.row, quantity)

    return build(OMDCPDP, faults, where, columns, ids, coordinates, name, about)


def _locked(parts: DayParts) -> None:
    """The stops with which routes begin."""
    rows, number = parts.vehicles, parts.request_numbers
    if not rows.has("locked"):
        return
    found = []
    for v, row in enumerate(rows.rows):
        route = route_from_json(
            parts.faults, {ROUTE_FIELD: row.get("locked") or []}, rows.path(v), "", "locked"
        )
        tasks = []
        for i, stop in enumerate(route.tasks):
            assert isinstance(stop, Stop)
            if stop.order in number:
                tasks.append(number[stop.order] + len(number) * (stop.action == "delivery"))
            else:
                field, hint = f"{rows.field(v, 'locked')}[{i}].order", "Compare the ids."
                parts.faults.add("unknown-id", field, shown(stop.order), "is no order here.", hint)
        found.append([tasks] if tasks else [])
    parts.parts["locked"] = found


def to_json(problem: OMDCPDP) -> dict[str, Any]:
    """The fields of the JSON object, besides kind and name."""
    day, count = problem.day or Day(), problem.num_orders
    writer = DayWriter(problem, day)
    ends = {
        "pickup": place_columns(problem.pickups, problem.coordinates),
        "delivery": place_columns(problem.deliveries, problem.coordinates),
    }
    tasks = {"pickup": range(count), "delivery": range(count, 2 * count)}
    orders = {
        "id": problem.order_ids,
        **{end: objects({**ends[end], **writer.tasks(tasks[end])}) for end in ACTIONS},
        **writer.requests(),
        **_sizes(writer, day, count),
    }
    vehicles = {
        "id": problem.vehicle_ids,
        **place_columns(problem.starts, problem.coordinates),
        **writer.load("capacity", problem.capacity, day.extra_capacity, LARGEST_NUMBER),
        **writer.numbers("speed", 1.0),
        **writer.vehicles(),
    }
    if day.locked is not None:
        ids = problem.task_ids
        lists = [[ids[t]._asdict() for trip in trips for t in trip] for trips in day.locked]
        vehicles["locked"] = sparse(lists, [])
    return {
        **writer.top(), "orders": objects(orders), "vehicles": objects(vehicles),
    }  # fmt: skip


def _sizes(writer: DayWriter, day: Day, count: int) -> dict[str, Any]:
    if day.extra_demand is None:
        return writer.numbers("size", 1.0)
    return writer.load(
        "size", np.ones(count) if day.size is None else day.size, day.extra_demand, 1.0
    )


def from_tables(
    faults: Faults, top: Objects, stops: Table, vehicles: Table, name: str, unit: TimeUnit
) -> OMDCPDP:
    """The problem in two tables; ``top`` has what they do not say."""
    axes, coordinates = table_axes(faults, (stops, vehicles))
    vehicles.check_columns(axes, KNOWN_VEHICLES)
    fleet = TableRows(vehicles, range(len(vehicles.rows)))
    by_stop = "action" in stops or not any(
        end in stops for end in (*end_columns(PLANE), *end_columns(DEGREES))
    )
    if not stops.rows:
        stops.add_empty("orders")
    if by_stop:
        stops.check_columns(("order", "action", *axes), KNOWN_ORDERS)
        order_ids, rows = _pair(stops)
        pickups, deliveries = (TableRows(stops, rows[end]) for end in ACTIONS)
        orders = TableRows(stops, rows["pickup"])
    else:
        stops.check_columns(end_columns(axes), KNOWN_ORDERS)
        everyone = range(len(stops.rows))
        orders = TableRows(stops, everyone)
        order_ids = orders.ids("order" if "order" in stops else "id")
        pickups, deliveries = (TableRows(stops, everyone, f"{end}_") for end in ACTIONS)
    for ends, other in ((pickups, "delivery_"), (deliveries, "pickup_")):
        ends.required(*axes)
        ends.numbers_if_any(unit, "service")
        ends.spans("windows", "window_from", "window_to", several=True)
        ends.further(other)
    orders.numbers_if_any(unit, "size", "priority")
    orders.times("released")
    orders.lists("vehicles", "needs")
    orders.put("id", order_ids or [...] * len(orders.rows))
    fleet.required(*axes, "capacity")
    if top.has("matrices") and is_of_straight_lines(vehicles.shown_as("speed")):
        vehicles.set_aside("speed")
    fleet.numbers_if_any(unit, "speed", "longest")
    fleet.spans("available", "shift_start", "shift_end", several=False)
    fleet.texts("profile", "id")
    fleet.lists("skills", "on_board")
    fleet.further()
    rows_found = (one.or_hole() for one in (orders, pickups, deliveries, fleet))
    return _built(faults, _Rows(top, *rows_found), axes, coordinates, name, order_ids)


def _pair(stops: Table) -> tuple[list[str] | None, dict[str, list[int]]]:
    """The ids of the orders in order of appearance, and the rows of their two ends."""
    if "order" not in stops or "action" not in stops:
        return None, {end: [] for end in ACTIONS}
    found: dict[str, dict[str, int]] = {}
    for row, (order, text) in enumerate(
        zip(stops.texts("order"), stops.texts("action"), strict=True)
    ):
        action = text.strip().lower()
        if not order:
            stops.faults.add("empty-id", stops.at(row, "order"), ..., "is empty.", "Give it an id.")
        elif action not in ACTIONS:
            stops.faults.add(
                "unknown-value", stops.at(row, "action"), shown(text), "is no action.",
                maybe(action, ACTIONS),
            )  # fmt: skip
            found.setdefault(order, {})  # known, if broken
        elif found.setdefault(order, {}).setdefault(action, row) != row:
            stops.faults.add(
                "duplicate-stop", stops.at(row, "order"), shown(order),
                f"has a second {action}; the first is in line {stops.lines[found[order][action]]}.",
                "Give each order its own id.",
            )  # fmt: skip
    whole = {order: ends for order, ends in found.items() if len(ends) == 2}
    for order, ends in found.items():
        if len(ends) == 1:
            ((action, row),) = ends.items()
            other = "delivery" if action == "pickup" else "pickup"
            stops.faults.add(
                "unmatched-order", stops.at(row, "order"), shown(order),
                f"has a {action} but no {other}.", f"Add the row of its {other}.",
            )  # fmt: skip
    return list(whole), {end: [ends[end] for ends in whole.values()] for end in ACTIONS}


def to_rows(value: dict[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The stops and the vehicles of what :func:`to_json` gives, each to be a row of a table."""
    stops = []
    for order in value["orders"]:
        about = {k: v for k, v in order.items() if k not in ("id", *ACTIONS)}
        ids = {"order": order["id"]}
        stops.append(ids | {"action": "pickup", **order["pickup"], **about})
        stops.append(ids | {"action": "delivery", **order["delivery"]})
    return stops, value["vehicles"]


def route_from_json(
    faults: Faults, row: dict[str, Any], path: str, name: str, field: str = ROUTE_FIELD
) -> Route:
    """The stops of the vehicle ``name``; faults speak of ``field``."""
    path = f"{path}.{field}"
    stops = check_list(faults, row.get(ROUTE_FIELD, []), path, least=0) or []
    if not stops:
        return Route(name, ())
    rows = Objects(faults, stops, lambda i: f"{path}[{i}]")
    rows.check_fields(("order", "action"))
    told = tuple(_stop(faults, stop, rows.path(i)) for i, stop in enumerate(rows.rows))
    return Route(name, (told,))


def _stop(faults: Faults, value: dict[str, Any], path: str) -> Stop:
    action = value.get("action", "pickup")
    if action not in ACTIONS:
        hint = maybe(action if isinstance(action, str) else "", ACTIONS)
        faults.add("unknown-value", f"{path}.action", shown(action), "is no action.", hint)
    order = as_name(faults, f"{path}.order", value["order"]) if "order" in value else ""
    return Stop(order, "delivery" if action == "delivery" else "pickup")


def route_to_json(route: Route) -> list[Any]:
    """The stops."""
    stops = []
    for task in route.tasks:
        if not isinstance(task, Stop):
            hint = "Use geopar.Stop in OMDCPDP."
            refuse("unknown-value", "plan", shown(task), "is no stop.", hint)
        stops.append({"order": task.order, "action": task.action})
    return stops
