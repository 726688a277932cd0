"""Problems from and to two CSV files: one of stops, one of vehicles.

HCVRP stops have the columns ``kind, id, x, y, demand``, one row of kind ``depot``; without the
column ``kind`` the row with the id ``depot`` is it. OMDCPDP stops have ``order, action, x, y``, or
one row per order with ``id, pickup_x, pickup_y, delivery_x, delivery_y``.
"""

from __future__ import annotations

from pathlib import Path

from geopar.errors import Faults
from geopar.files.forms import forms_of
from geopar.files.table import parse_table
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
        vehicle_table.add_empty("vehicles")
    # By a column that no other problem has; a problem without such columns is what is left.
    kind = next((kind for kind in KINDS if forms_of(kind).COLUMNS & set(stop_table.header)), None)
    forms = forms_of(kind or KINDS[0])
    return forms.from_csv(faults, stop_table, vehicle_table, name)


def problem_to_csv(problem: Problem) -> tuple[str, str]:
    """The stops and the vehicles as CSV text."""
    return forms_of(problem.kind).to_csv(problem)
