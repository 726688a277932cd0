"""Sheets as cells: one list for all (CSV), or a sheet for each vehicle (a spreadsheet)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from geopar.files.table_cells import Cells
from geopar.problems import Problem
from geopar.sheets.content import Sheet

HEADER = ("trip", "number", "arrive", "wait", "takes", "leave", "stop", "on board")
# What a title in a spreadsheet must not hold, and how long it may be.
_FORBIDDEN = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
_LONGEST_TITLE = 31


def sheet_cells(problem: Problem, sheets: Sequence[Sheet]) -> Cells:
    """One row for each stop, vehicle after vehicle."""
    told = list(problem.details)
    cells: Cells = [["vehicle", *HEADER, *told]]
    for sheet in sheets:
        cells += [[sheet.vehicle, *row] for row in _rows(sheet, told)]
    return cells


def cells_by_vehicle(problem: Problem, sheets: Sequence[Sheet]) -> dict[str, Cells]:
    """The same for each vehicle apart, by a title that spreadsheets allow."""
    told = list(problem.details)
    found: dict[str, Cells] = {}
    for sheet in sheets:
        title = _title(sheet.vehicle, found)
        found[title] = [[*HEADER, *told], *_rows(sheet, told)]
    return found or {"plan": [[*HEADER, *told]]}


def _rows(sheet: Sheet, told: Sequence[str]) -> Cells:
    return [
        [
            str(number), line.number, line.arrives, line.waits, line.takes, line.leaves, line.stop,
            line.load, *(line.told.get(name, "") for name in told),
        ]
        for number, trip in enumerate(sheet.trips, 1)
        for line in trip.lines
    ]  # fmt: skip


def _title(name: str, taken: dict[str, Cells]) -> str:
    """Unlike all others, whatever the case of letters."""
    known = {title.lower() for title in taken}
    plain = _FORBIDDEN.sub(" ", name).strip(" '")[:_LONGEST_TITLE] or "vehicle"
    title, number = plain, 1
    while title.lower() in known:
        number += 1
        end = f" {number}"
        title = plain[: _LONGEST_TITLE - len(end)] + end
    return title
