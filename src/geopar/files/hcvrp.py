"""HCVRP and its routes in JSON and CSV; see :class:`geopar.files.forms.Forms`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from geopar.errors import Faults, Place
from geopar.files.building import build
from geopar.files.columns import (
    DEGREES,
    PLANE,
    objects,
    place_columns,
    plain,
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
    details_of,
)
from geopar.files.json_objects import (
    Objects,
    as_name,
    axes_of,
    check_list,
    own_points,
    points,
    rows_of,
)
from geopar.files.table import Table
from geopar.files.table_names import KNOWN_STOPS, KNOWN_VEHICLES, LOADS, is_of_straight_lines
from geopar.files.table_rows import TableRows, loads, table_axes
from geopar.files.wording import maybe, shown
from geopar.plan import Route
from geopar.problems import HCVRP
from geopar.problems.day import Day, TimeUnit
from geopar.problems.tasks import Task
from geopar.problems.validation import LARGEST_NUMBER, MOST_TASKS, MOST_VEHICLES, Coordinates

LISTED = "customers"
ROUTE_FIELD = "trips"
COLUMNS: frozenset[str] = frozenset()
STOP_KINDS = ("depot", "customer")
# Columns of names, which may stand in for ids.
NAMES = ("name", "customer", "stop", "place", "company")
_DEPOT_OF_SOMETHING = re.compile(r"depot\b")
DEPOT_FIELDS = ("opens", "closes", "loading", "details")


class _Rows(NamedTuple):
    """All that a file has, whatever its format."""

    top: Objects
    depot: Objects
    customers: Objects
    vehicles: Objects
    starts: Objects
    ends: Objects


def from_json(faults: Faults, top: Objects, name: str) -> HCVRP:
    """The problem in a parsed JSON object."""
    top.check_fields(("problem", "customers", "vehicles"), ("name", "depot", *TOP_FIELDS))
    depot = top.children("depot", optional=True)
    customers = rows_of(faults, top, "customers", MOST_TASKS)
    vehicles = rows_of(faults, top, "vehicles", MOST_VEHICLES)
    starts, ends = (vehicles.children(one, optional=True) for one in ("start", "end"))
    axes, coordinates = axes_of(faults, (depot, customers, starts, ends))
    spare = () if axes else (*PLANE, *DEGREES)
    has_depot = _has_depot(faults, top.rows[0].get("depot") is not None, starts)
    for places, more in ((depot, DEPOT_FIELDS), (starts, ()), (ends, ())):
        places.check_fields(axes, (*more, *spare))
    customers.check_fields(axes, ("id", "demand", *TASK_FIELDS, *REQUEST_FIELDS, *spare))
    vehicles.check_fields(
        () if top.has("matrices") else ("speed",),
        ("id", "capacity", "speed", "most_trips", "start", "end", *VEHICLE_FIELDS),
    )
    rows = _Rows(top, depot, customers, vehicles, starts, ends)
    return _built(faults, rows, axes, coordinates, name, has_depot)


def _built(
    faults: Faults,
    rows: _Rows,
    axes: Sequence[str],
    coordinates: Coordinates,
    name: str,
    has_depot: bool,
) -> HCVRP:
    top, depot, customers, vehicles, starts, ends = rows
    parts = DayParts("customer", faults, top, (customers,), customers, vehicles, depot)
    demand, capacity = parts.loads()
    parts.optional("most_trips")
    parts.on_board()
    _locked(parts)
    _own_places(parts, starts, ends, axes, has_depot)
    by_matrix = top.has("matrices")
    columns = {
        "depot": points(depot if has_depot else starts, axes)[0],
        "customers": points(customers, axes),
        "demand": demand,
        "capacity": capacity,
        "speed": vehicles.numbers("speed", 1.0) if by_matrix else vehicles.numbers("speed"),
    }
    ids = {"customer_ids": customers.ids(), "vehicle_ids": vehicles.ids()}
    about = about_of(faults, parts, top, (customers,), vehicles)
    told = details_of(faults, (depot,)) if has_depot else {}
    about["depot_details"] = {name: texts[0] for name, texts in told.items()}

    def where(place: Place) -> str:
        told = {"depot": depot, "customer": customers, "vehicle": vehicles}[place.thing]
        return told.field(place.row, place.quantity)

    return build(HCVRP, faults, where, columns, ids, coordinates, name, about)


def _has_depot(faults: Faults, given: bool, starts: Objects) -> bool:
    if given:
        return True
    if starts.told:
        hint = "Add it, or give every vehicle a start of its own."
        faults.add("missing-field", "depot", ..., "is missing.", hint)
    return bool(starts.told)


def _locked(parts: DayParts) -> None:
    """The trips with which routes begin."""
    rows, number = parts.vehicles, parts.request_numbers
    if not rows.has("locked"):
        return
    parts.parts["locked"] = [
        [
            parts.numbers_of(trip, f"{field}[{i}]", number, "customer")
            for i, trip in enumerate(check_list(parts.faults, value, field, least=0) or [])
        ]
        if value is not ... and value is not None
        else []
        for v, value in enumerate(rows.values("locked"))
        for field in (rows.field(v, "locked"),)
    ]


def _own_places(
    parts: DayParts, starts: Objects, ends: Objects, axes: Sequence[str], has_depot: bool
) -> None:
    """Starts and ends of vehicles; without a depot the matrices get a row in its place."""
    if parts.vehicles.has("start"):
        parts.parts["start"] = own_points(starts, axes, np.nan)
    if parts.vehicles.has("end") or not has_depot:
        found = own_points(ends, axes, np.nan if has_depot else np.inf)
        is_open = [row.get("end", ...) is None for row in parts.vehicles.rows]
        found[is_open] = np.inf
        parts.parts["end"] = found
    if has_depot:
        return
    parts.parts["has_depot"] = False
    customers = len(parts.requests.rows)
    for name, tables in parts.parts.get("matrices", {}).items():
        parts.parts["matrices"][name] = tuple(_with_depot(table, customers) for table in tables)


def _with_depot(table: Any, customers: int) -> Any:
    """A table with the first start in the place of the depot, if it is a table."""
    try:
        array = np.asarray(table, dtype=np.float64)
        order = np.append(customers, np.arange(len(array)))
        return array[np.ix_(order, order)]
    except (TypeError, ValueError, IndexError):
        return table


def to_json(problem: HCVRP) -> dict[str, Any]:
    """The fields of the JSON object, besides kind and name."""
    day = problem.day or Day()
    writer = DayWriter(problem, day)
    customers = {
        "id": problem.customer_ids,
        **place_columns(problem.customers, problem.coordinates),
        **writer.load("demand", problem.demand, day.extra_demand, 0.0),
        **writer.tasks(range(problem.num_tasks)),
        **writer.requests(),
    }
    vehicles = {
        "id": problem.vehicle_ids,
        **writer.load("capacity", problem.capacity, day.extra_capacity, LARGEST_NUMBER),
        "speed": plain(problem.speed),
        **writer.vehicles(),
        **writer.numbers("most_trips", np.inf),
        **writer.places("start"),
        **writer.places("end"),
    }
    if day.locked is not None:
        vehicles["locked"] = sparse(
            [[[problem.customer_ids[t] for t in trip] for trip in trips] for trips in day.locked],
            [],
        )
    depot = objects(place_columns(problem.depot[None], problem.coordinates))[0] | writer.depot()
    return {
        **writer.top(drop_depot=not day.has_depot),
        **({"depot": depot} if day.has_depot else {}),
        "customers": objects(customers),
        "vehicles": objects(vehicles),
    }


def from_tables(
    faults: Faults, top: Objects, stops: Table, vehicles: Table, name: str, unit: TimeUnit
) -> HCVRP:
    """The problem in two tables; ``top`` has what they do not say."""
    axes, coordinates = table_axes(faults, (stops,))
    stops.check_columns(axes, KNOWN_STOPS)
    vehicles.check_columns(() if top.has("matrices") else ("speed",), KNOWN_VEHICLES)
    if top.has("matrices") and is_of_straight_lines(vehicles.shown_as("speed")):
        vehicles.set_aside("speed")
    depots, rows = _split(stops)
    _name_stops(stops, rows)
    customers, fleet = TableRows(stops, rows), TableRows(vehicles, range(len(vehicles.rows)))
    depot = TableRows(stops, depots[:1])
    for places in (customers, depot):
        places.required(*axes)
    names = loads(customers, fleet)
    if names and not top.has("loads"):
        top.rows[0]["loads"] = names
    _stop_fields(customers, unit)
    _vehicle_fields(fleet, axes, unit)
    if not rows:
        stops.add_empty("customers")
    _check_depots(faults, stops, depots, fleet)
    depot.numbers_if_any(unit, "loading")
    depot.ask_of_dots("window_from", "window_to")
    _tell_depot(depot)
    times = zip(
        *(stops.cells(one, depots[:1]) for one in ("window_from", "window_to")), strict=True
    )
    for begin, end in times:
        sides = {"opens": begin, "closes": end}
        depot.rows[0].update({k: stops.value(v) for k, v in sides.items() if v.strip()})
    own = (fleet.or_hole().children(one, optional=True) for one in ("start", "end"))
    found = _Rows(top, depot.or_hole(), customers.or_hole(), fleet.or_hole(), *own)
    return _built(faults, found, axes, coordinates, name, has_depot=bool(depots) or bool(faults))


def _stop_fields(customers: TableRows, unit: TimeUnit) -> None:
    customers.texts("id")
    customers.numbers_if_any(unit, "service", "priority")
    customers.spans("windows", "window_from", "window_to", several=True)
    customers.times("released")
    customers.lists("vehicles", "needs")
    customers.further()


def _vehicle_fields(fleet: TableRows, axes: Sequence[str], unit: TimeUnit) -> None:
    fleet.required("speed")
    fleet.numbers_if_any(unit, "longest", "most_trips")
    fleet.spans("available", "shift_start", "shift_end", several=False)
    fleet.texts("profile", "id")
    fleet.lists("skills", "on_board")
    for place in ("start", "end"):
        fleet.place(place, axes)
    fleet.further()


def _check_depots(faults: Faults, stops: Table, depots: list[int], fleet: TableRows) -> None:
    if not depots and fleet.rows and all("start" in row for row in fleet.rows):
        return
    if len(depots) != 1:
        how = "Give one row the kind" if "kind" in stops else "Give one row the id or name"
        faults.add(
            "missing-depot",
            stops.name,
            len(depots),
            "depots found; exactly one is needed.",
            f'{how} "depot".',
        )
    for row in depots:
        for column in (one for one in LOADS if one in stops):
            demand = stops.texts(column)[row]
            if demand.strip() and stops.numbers(column, [row])[0] != 0.0:
                faults.add(
                    "out-of-range", stops.at(row, column), demand, "must be empty or 0: the depot.",
                    "Make it a customer, or remove the number.",
                )  # fmt: skip


def _tell_depot(depot: TableRows) -> None:
    """What the table says of the depot besides; its id is its name, where it has no other."""
    depot.further()
    for row, own in zip(depot.rows, depot.table.cells("id", depot.index), strict=True):
        if own.strip() and own.strip().lower() != "depot":
            told = row.setdefault("details", {})
            if not any(name.lower() == "name" for name in told):
                told["name"] = own.strip()
    vars(depot).pop("key_sets", None)


def _split(stops: Table) -> tuple[list[int], list[int]]:
    """The rows of depots and those of customers: by kind where that is said, else by id or name."""
    if "kind" not in stops:
        depots = _called_depot(stops)
        return depots, [row for row in range(len(stops.rows)) if row not in depots]
    depots, customers = [], []
    for row, text in enumerate(stops.texts("kind")):
        kind = text.strip().lower()
        if kind == "depot":
            depots.append(row)
        elif kind in ("customer", ""):
            customers.append(row)
        else:
            stops.faults.add(
                "unknown-value", stops.at(row, "kind"), shown(text), "is no kind of stop.",
                maybe(kind, STOP_KINDS),
            )  # fmt: skip
    return depots, customers


def _name_stops(stops: Table, customers: list[int]) -> None:
    """Without ids, names that are all there and all different are the ids: plans speak of them."""
    if "id" in stops or not customers:
        return
    for column in _name_columns(stops):
        cells = [stops.rows[row] for row in customers]
        names = [cell[column].strip() if column < len(cell) else "" for cell in cells]
        if all(names) and len(set(names)) == len(names):
            stops.take_as("id", column)
            return


def _name_columns(stops: Table) -> list[int]:
    return [column for name, column in stops.further.items() if name.lower() in NAMES]


def _called_depot(stops: Table) -> list[int]:
    """The rows whose id is ``depot``; else whose name is, or the one whose name begins so."""
    named = _name_columns(stops)
    ids = [text.strip().lower() for text in stops.cells("id", range(len(stops.rows)))]
    names = [
        {row[column].strip().lower() for column in named if column < len(row)} for row in stops.rows
    ]
    for found in (
        [row for row, text in enumerate(ids) if text == "depot"],
        [row for row, texts in enumerate(names) if "depot" in texts],
    ):
        if found:
            return found
    begins = [
        row
        for row, texts in enumerate(names)
        if any(_DEPOT_OF_SOMETHING.match(text) for text in (*texts, ids[row]))
        and not any(text.strip() for load in LOADS for text in stops.cells(load, [row]))
    ]
    return begins if len(begins) == 1 else []


def to_rows(value: dict[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The stops and the vehicles of what :func:`to_json` gives, each to be a row of a table."""
    depot = [{"kind": "depot", "id": "", **value["depot"]}] if "depot" in value else []
    stops = [*depot, *({"kind": "customer", **one} for one in value["customers"])]
    return stops, value["vehicles"]


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
