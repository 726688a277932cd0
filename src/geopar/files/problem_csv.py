"""Problems from and to two tables: one of stops, one of vehicles, in CSV files.

HCVRP stops have the columns ``kind, id, x, y, demand``, one row of kind ``depot``; without the
column ``kind`` the row with the id ``depot`` is it. OMDCPDP stops have ``order, action, x, y``, or
one row per order with ``id, pickup_x, pickup_y, delivery_x, delivery_y``. Columns for a working day
are in :mod:`geopar.files.table_names`; all others are kept for the driver.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from geopar.errors import Faults
from geopar.files import table_names
from geopar.files.forms import forms_of
from geopar.files.json_objects import Objects
from geopar.files.table import Table, parse_table, table_text
from geopar.files.table_cells import Cells, cells_of, load_columns
from geopar.files.table_remarks import keep_remarks, table_remarks
from geopar.files.table_rows import unit_of
from geopar.problems import Problem
from geopar.problems.kinds import KINDS
from geopar.problems.validation import MOST_TASKS, MOST_VEHICLES


def vehicles_path(stops: Path) -> Path:
    """Where the vehicles are when nothing else is said.

    ``stops.csv`` has ``vehicles.csv``, ``city_stops.csv`` has ``city_vehicles.csv``, and any other
    ``city.csv`` has ``city.vehicles.csv``.
    """
    if stops.stem.lower().endswith("stops"):
        return stops.with_name(f"{stops.stem[: -len('stops')]}vehicles{stops.suffix}")
    return stops.with_name(f"{stops.stem}.vehicles{stops.suffix}")


def problem_from_csv(
    stops: bytes,
    vehicles: bytes,
    name: str,
    stops_name: str,
    vehicles_name: str,
    top: Mapping[str, Any] | None = None,
) -> Problem:
    """The problem in the two texts.

    Parameters
    ----------
    top
        What they do not say: ``matrices``, ``time_unit``, ``minimise``.

    Raises
    ------
    geopar.errors.InputError
        With every fault found, each with file, line and column.
    """
    faults = Faults()
    tables = (parse_table(faults, stops, stops_name), parse_table(faults, vehicles, vehicles_name))
    return problem_from_tables(faults, *tables, name, top or {})


def problem_from_tables(
    faults: Faults, stops: Table, vehicles: Table, name: str, top: Mapping[str, Any]
) -> Problem:
    """The problem in two tables.

    Raises
    ------
    geopar.errors.InputError
        With every fault found.
    """
    for table, most in ((stops, MOST_TASKS + 1), (vehicles, MOST_VEHICLES)):
        if len(table.rows) > most:
            limit = f"rows are more than the limit of {most:,}."
            faults.refuse("too-many", table.name, len(table.rows), limit, "Split it up.")
    stops.understand(table_names.STOPS)
    vehicles.understand(table_names.VEHICLES)
    if not vehicles.rows:
        vehicles.add_empty("vehicles")
    # By a column that no other problem has; a problem without such columns is what is left.
    kind = next((kind for kind in KINDS if any(c in stops for c in forms_of(kind).COLUMNS)), None)
    unit = unit_of((stops, vehicles), top.get("time_unit"))
    given = dict(top) | ({"time_unit": unit} if unit != "hours" else {})
    rows = Objects(faults, [given], lambda _: "")
    found = table_remarks((stops, vehicles), unit)
    problem = forms_of(kind or KINDS[0]).from_tables(faults, rows, stops, vehicles, name, unit)
    keep_remarks(problem, found)
    return problem


def problem_to_cells(problem: Problem) -> tuple[Cells, Cells]:
    """The stops and the vehicles as rows of cells, their headers first.

    Raises
    ------
    geopar.errors.InputError
        For what two tables cannot say.
    """
    faults, forms = Faults(), forms_of(problem.kind)
    value = forms.to_json(problem)
    for name in ("matrices", "minimise"):
        if name in value:
            hint = "Write JSON or npz instead."
            faults.add("not-expressible", name, ..., "has no column in a table.", hint)
    stops, vehicles = forms.to_rows(value)
    unit = value.get("time_unit", "hours")
    own, room = load_columns(value.get("loads", ()))
    cells = (
        cells_of(faults, stops, unit, table_names.STOPS, own),
        cells_of(faults, vehicles, unit, table_names.VEHICLES, room),
    )
    faults.raise_if_any()
    return cells


def problem_to_csv(problem: Problem) -> tuple[str, str]:
    """The stops and the vehicles as CSV text."""
    stops, vehicles = (table_text(cells[0], cells[1:]) for cells in problem_to_cells(problem))
    return stops, vehicles
