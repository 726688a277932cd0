"""Problems from and to two CSV files: one of stops, one of vehicles.

HCVRP stops have the columns ``kind, id, x, y, demand``, one row of kind ``depot``; without the
column ``kind`` the row with the id ``depot`` is it. OMDCPDP stops have ``order, action, x, y``, or
one row per order with ``id, pickup_x, pickup_y, delivery_x, delivery_y``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from geopar.errors import Faults
from geopar.files.building import HOLES, build, check_ids
from geopar.files.json_objects import DEGREES, PLANE
from geopar.files.plan_json import ACTIONS
from geopar.files.problem_json import plain
from geopar.files.table import Table, parse_table, table_text
from geopar.files.wording import maybe, shown
from geopar.problems import HCVRP, OMDCPDP, Problem
from geopar.problems.validation import MOST_TASKS, MOST_VEHICLES, Coordinates, Floats

KINDS = ("depot", "customer")


def vehicles_path(stops: Path) -> Path:
    """Where the vehicles are when nothing else is said.

    ``stops.csv`` has ``vehicles.csv``, ``city_stops.csv`` has ``city_vehicles.csv``, and any other
    ``city.csv`` has ``city.vehicles.csv``.
    """
    if stops.stem.lower().endswith("stops"):
        return stops.with_name(f"{stops.stem[: -len('stops')]}vehicles{stops.suffix}")
    return stops.with_name(f"{stops.stem}.vehicles{stops.suffix}")


def problem_from_csv(
    stops: bytes, vehicles: bytes, name: str, stops_name: str, vehicles_name: str
) -> Problem:
    """The problem in the two texts.

    Raises
    ------
    geopar.errors.InputError
        With every fault found, each with file, line and column.
    """
    faults = Faults()
    stop_table = parse_table(faults, stops, stops_name)
    vehicle_table = parse_table(faults, vehicles, vehicles_name)
    for table, most in ((stop_table, MOST_TASKS + 1), (vehicle_table, MOST_VEHICLES)):
        if len(table.rows) > most:
            limit = f"rows are more than the limit of {most:,}."
            faults.add("too-many", table.name, len(table.rows), limit, "Split it up.")
            faults.raise_now()
    if not vehicle_table.rows:
        _add_empty(vehicle_table, "vehicles")
    if any(column in stop_table for column in ("order", "action", *_ends(PLANE), *_ends(DEGREES))):
        return _omdcpdp(faults, stop_table, vehicle_table, name)
    return _hcvrp(faults, stop_table, vehicle_table, name)


def _add_empty(table: Table, things: str) -> None:
    hint = "Add a row below the header."
    table.faults.add("empty", table.name, ..., f"has no {things}; at least one is needed.", hint)


def _ends(axes: Sequence[str]) -> list[str]:
    return [f"{end}_{axis}" for end in ACTIONS for axis in axes]


def _axes(faults: Faults, tables: Sequence[Table]) -> tuple[Sequence[str], Coordinates]:
    """Which names the coordinates have; none when both kinds are used, which is noted."""
    plane, degrees = (
        [t.name for t in tables if any(name in t for name in (*axes, *_ends(axes)))]
        for axes in (PLANE, DEGREES)
    )
    if plane and degrees:
        faults.add(
            "mixed-coordinates", degrees[0], ..., f"has lat/lon, but {plane[0]} has x/y.",
            "Use one of them.",
        )  # fmt: skip
        return (), "plane"
    return (DEGREES, "lonlat") if degrees else (PLANE, "plane")


def _points(table: Table, axes: Sequence[str], rows: Sequence[int], prefix: str = "") -> Floats:
    if not axes or not rows:
        return np.zeros((max(1, len(rows)), 2))  # an empty table is told; reading goes on
    return np.column_stack([table.numbers(prefix + axis, rows) for axis in axes])


def _numbers(table: Table, column: str, rows: Sequence[int]) -> Floats:
    return table.numbers(column, rows) if rows else np.array([HOLES[column]])


def _ids(table: Table, rows: Sequence[int], column: str = "id") -> list[str] | None:
    if column not in table or not rows:
        return None
    texts = table.texts(column)
    ids = [texts[row] for row in rows]
    check_ids(table.faults, ids, lambda i: table.at(rows[i], column))
    return ids


def _hcvrp(faults: Faults, stops: Table, vehicles: Table, name: str) -> HCVRP:
    axes, coordinates = _axes(faults, (stops,))
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
        _add_empty(stops, "customers")
    columns = {
        "depot": _points(stops, axes, depots[:1])[0],
        "customers": _points(stops, axes, customers),
        "demand": _numbers(stops, "demand", customers),
        "capacity": _numbers(vehicles, "capacity", fleet),
        "speed": _numbers(vehicles, "speed", fleet),
    }

    def where(thing: str, row: int, quantity: str) -> str:
        if thing == "vehicle":
            return vehicles.at(row, quantity)
        return stops.at((depots if thing == "depot" else customers)[row], quantity)

    ids = {"customer_ids": _ids(stops, customers), "vehicle_ids": _ids(vehicles, fleet)}
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
                maybe(kind, KINDS),
            )  # fmt: skip
    return depots, customers


def _omdcpdp(faults: Faults, stops: Table, vehicles: Table, name: str) -> OMDCPDP:
    axes, coordinates = _axes(faults, (stops, vehicles))
    spare = () if axes else (*PLANE, *DEGREES)
    vehicles.check_columns((*axes, "capacity"), ("id", *spare))
    fleet = range(len(vehicles.rows))
    by_stop = "action" in stops or not any(end in stops for end in (*_ends(PLANE), *_ends(DEGREES)))
    if not stops.rows:
        _add_empty(stops, "orders")
    if by_stop:
        stops.check_columns(("order", "action", *axes), spare)
        order_ids, rows = _pair(stops)
        ends = {end: _points(stops, axes, rows[end]) for end in ACTIONS}
        prefix = dict.fromkeys(ACTIONS, "")
    else:
        key = "order" if "order" in stops else "id"
        stops.check_columns(_ends(axes), (key, *_ends(PLANE), *_ends(DEGREES)))
        everyone = list(range(len(stops.rows)))
        rows = dict.fromkeys(ACTIONS, everyone)
        order_ids = _ids(stops, everyone, key)
        prefix = {end: f"{end}_" for end in ACTIONS}
        ends = {end: _points(stops, axes, everyone, prefix[end]) for end in ACTIONS}
    columns = {
        "pickups": ends["pickup"],
        "deliveries": ends["delivery"],
        "starts": _points(vehicles, axes, fleet),
        "capacity": _numbers(vehicles, "capacity", fleet),
    }

    def where(thing: str, row: int, quantity: str) -> str:
        if thing == "vehicle":
            return vehicles.at(row, quantity)
        end, _, axis = quantity.partition(".")
        return stops.at(rows[end][row], prefix[end] + axis)

    ids = {"order_ids": order_ids, "vehicle_ids": _ids(vehicles, fleet)}
    return build(OMDCPDP, faults, where, columns, ids, coordinates, name)


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


def problem_to_csv(problem: Problem) -> tuple[str, str]:
    """The stops and the vehicles as CSV text."""
    axes = PLANE if problem.coordinates == "plane" else DEGREES
    fleet: list[Sequence[object]] = [problem.vehicle_ids]
    if isinstance(problem, HCVRP):
        header: Sequence[str] = ("kind", "id", *axes, "demand")
        rows: list[Sequence[object]] = [("depot", "", *plain(problem.depot), "")]
        places = (plain(problem.customers[:, 0]), plain(problem.customers[:, 1]))
        kinds = ["customer"] * problem.num_tasks
        rows += zip(kinds, problem.customer_ids, *places, plain(problem.demand), strict=True)
        fleet += [plain(problem.capacity), plain(problem.speed)]
        fleet_header: Sequence[str] = ("id", "capacity", "speed")
    else:
        header = ("order", "action", *axes)
        ends = (problem.pickups.tolist(), problem.deliveries.tolist())
        rows = [
            (order, action, *place)
            for order, *places in zip(problem.order_ids, *ends, strict=True)
            for action, place in zip(ACTIONS, places, strict=True)
        ]
        fleet += [problem.starts[:, 0].tolist(), problem.starts[:, 1].tolist()]
        fleet += [plain(problem.capacity)]
        fleet_header = ("id", *axes, "capacity")
    return table_text(header, rows), table_text(fleet_header, list(zip(*fleet, strict=True)))
