"""Solomon's text format (Solomon, 1987), also that of Gehring and Homberger: VRP with windows."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from geopar.errors import Faults
from geopar.files.problem_vrplib import Fleet, problem_of
from geopar.files.storage import decode
from geopar.files.wording import shown
from geopar.problems import HCVRP
from geopar.problems.validation import MOST_TASKS

_COLUMNS = ("number", "x", "y", "demand", "ready time", "due date", "service time")
_HEADER = re.compile(r"\bVEHICLE\b.*\bCAPACITY\b.*\bCUST", re.DOTALL | re.IGNORECASE)


def is_solomon(text: str) -> bool:
    """Whether a text begins as such a file does."""
    return _HEADER.search(text[:2000]) is not None


def problem_from_solomon(data: bytes, name: str, fleet: Fleet) -> HCVRP:
    """The instance; the first customer is the depot, and each vehicle makes one trip.

    Raises
    ------
    geopar.errors.InputError
        With every fault found.
    """
    faults = Faults()
    lines = [line.strip() for line in decode(data, name).splitlines()]
    rows = [(number, line.split()) for number, line in enumerate(lines, 1) if line]
    numeric = [(number, row) for number, row in rows if re.match(r"-?[\d.]", row[0])]
    if not is_solomon("\n".join(lines[:20])) or len(numeric) < 3 or len(numeric) > MOST_TASKS:
        hint = "Write VEHICLE, NUMBER CAPACITY, CUSTOMER and one line for each."
        faults.refuse("bad-solomon", name, ..., "is not in Solomon's format.", hint)
    title = rows[0][1]
    (first, counts), *customers = numeric if title is not numeric[0][1] else numeric[1:]
    table = [_numbers(faults, name, number, row, len(_COLUMNS)) for number, row in customers]
    vehicles = _numbers(faults, name, first, counts, 2)
    faults.raise_if_any()
    values = np.array(table)
    instance: dict[str, Any] = {
        "name": " ".join(title), "vehicles": int(vehicles[0]), "capacity": vehicles[1],
        "node_coord": values[:, 1:3], "demand": values[:, 3], "time_window": values[:, 4:6],
        "service_time": values[:, 6],
    }  # fmt: skip
    return problem_of(faults, instance, name, fleet)


def _numbers(faults: Faults, name: str, line: int, row: list[str], count: int) -> list[float]:
    try:
        found = [float(word) for word in row]
    except ValueError:
        found = []
    if len(found) != count:
        what = f"must be {count} numbers."
        hint = f"Columns are {', '.join(_COLUMNS)}."
        faults.add("bad-solomon", f"{name} line {line}", shown(" ".join(row)), what, hint)
        return [0.0] * count
    return found
