"""HCVRP and its routes in JSON and CSV; see :class:`geopar.files.forms.Forms`."""

from __future__ import annotations

from typing import Any

from geopar.errors import Faults, Place
from geopar.files.building import build
from geopar.files.columns import DEGREES, PLANE, axes_for, objects, place_columns, plain
from geopar.files.json_objects import (
    Objects,
    as_name,
    axes_of,
    check_list,
    place_of,
    points,
    rows_of,
)
from geopar.files.table import Table, table_axes, table_text
from geopar.files.wording import maybe, shown
from geopar.plan import Route
from geopar.problems import HCVRP
from geopar.problems.tasks import Task
from geopar.problems.validation import MOST_TASKS, MOST_VEHICLES

LISTED = "customers"
ROUTE_FIELD = "trips"
COLUMNS: frozenset[str] = frozenset()
STOP_KINDS = ("depot", "customer")


def from_json(faults: Faults, top: Objects, name: str) -> HCVRP:
    """The problem in a parsed JSON object."""
    top.check_fields(("problem", "depot", "customers", "vehicles"), ("name",))
    depot = top.children("depot")
    customers = rows_of(faults, top, "customers", MOST_TASKS)
    vehicles = rows_of(faults, top, "vehicles", MOST_VEHICLES)
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
    return build(HCVRP, faults, place_of, columns, ids, coordinates, name)


def to_json(problem: HCVRP) -> dict[str, Any]:
    """The fields of the JSON object, besides kind and name."""
    customers = {
        "id": problem.customer_ids,
        **place_columns(problem.customers, problem.coordinates),
        "demand": plain(problem.demand),
    }
    vehicles = {
        "id": problem.vehicle_ids,
        "capacity": plain(problem.capacity),
        "speed": plain(problem.speed),
    }
    return {
        "depot": objects(place_columns(problem.depot[None], problem.coordinates))[0],
        "customers": objects(customers),
        "vehicles": objects(vehicles),
    }


def from_csv(faults: Faults, stops: Table, vehicles: Table, name: str) -> HCVRP:
    """The problem in two tables."""
    axes, coordinates = table_axes(faults, (stops,))
    spare = () if axes else (*PLANE, *DEGREES)
    stops.check_columns((*axes, "demand"), ("kind", "id", *spare))
    vehicles.check_columns(("capacity", "speed"), ("id",))
    depots, customers = _split(stops)
    fleet = range(len(vehicles.rows))
    if len(depots) != 1:
        how = 'Give one row the kind "depot".' if "kind" in stops else 'Give one row the id "depot"'
        faults.add(
            "missing-depot", stops.name, len(depots), "depots found; exactly one is needed.", how
        )
    for row in depots:
        demand = stops.texts("demand")[row] if "demand" in stops else ""
        if demand.strip() and stops.numbers("demand", [row])[0] != 0.0:
            faults.add(
                "out-of-range", stops.at(row, "demand"), demand, "must be empty or 0: the depot.",
                "Make it a customer, or remove the number.",
            )  # fmt: skip
    if not customers:
        stops.add_empty("customers")
    columns = {
        "depot": stops.points(axes, depots[:1])[0],
        "customers": stops.points(axes, customers),
        "demand": stops.numbers_or_hole("demand", customers),
        "capacity": vehicles.numbers_or_hole("capacity", fleet),
        "speed": vehicles.numbers_or_hole("speed", fleet),
    }

    def where(place: Place) -> str:
        if place.thing == "vehicle":
            return vehicles.at(place.row, place.quantity)
        rows = depots if place.thing == "depot" else customers
        return stops.at(rows[place.row], place.quantity)

    ids = {"customer_ids": stops.ids(customers), "vehicle_ids": vehicles.ids(fleet)}
    return build(HCVRP, faults, where, columns, ids, coordinates, name)


def _split(stops: Table) -> tuple[list[int], list[int]]:
    """The rows of depots and those of customers."""
    depots, customers = [], []
    column = "kind" if "kind" in stops else "id"
    for row, text in enumerate(stops.texts(column) if column in stops else [""] * len(stops.rows)):
        kind = text.strip().lower()
        if kind == "depot":
            depots.append(row)
        elif column == "id" or kind in ("customer", ""):
            customers.append(row)
        else:
            stops.faults.add(
                "unknown-value", stops.at(row, "kind"), shown(text), "is no kind of stop.",
                maybe(kind, STOP_KINDS),
            )  # fmt: skip
    return depots, customers


def to_csv(problem: HCVRP) -> tuple[str, str]:
    """The stops and the vehicles as CSV text."""
    x, y = (plain(problem.customers[:, axis]) for axis in (0, 1))
    kinds = ["customer"] * problem.num_tasks
    customers = zip(kinds, problem.customer_ids, x, y, plain(problem.demand), strict=True)
    stops = [("depot", "", *plain(problem.depot), ""), *customers]
    fleet = zip(problem.vehicle_ids, plain(problem.capacity), plain(problem.speed), strict=True)
    return (
        table_text(("kind", "id", *axes_for(problem.coordinates), "demand"), stops),
        table_text(("id", "capacity", "speed"), list(fleet)),
    )


def route_from_json(faults: Faults, row: dict[str, Any], path: str, name: str) -> Route:
    """The trips of the vehicle ``name``."""

    def trip(value: Any, here: str) -> tuple[Task, ...]:
        tasks = check_list(faults, value, here, least=0) or []
        return tuple(as_name(faults, f"{here}[{i}]", task) for i, task in enumerate(tasks))

    trips = check_list(faults, row.get(ROUTE_FIELD, []), f"{path}.{ROUTE_FIELD}", least=0) or []
    return Route(name, tuple(trip(t, f"{path}.{ROUTE_FIELD}[{i}]") for i, t in enumerate(trips)))


def route_to_json(route: Route) -> list[Any]:
    """The customers of each trip."""
    return [list(trip) for trip in route.trips]
