"""Sheets as one list of all stops, for other programs (CSV)."""

from __future__ import annotations

from collections.abc import Sequence

from geopar.files.table_cells import Cells
from geopar.problems import Problem
from geopar.problems.told_times import Times
from geopar.sheets.content import Line, Sheet

HEADER = (
    "vehicle",
    "driver",
    "trip",
    "number",
    "arrival",
    "waiting",
    "service",
    "departure",
    "stop",
    "window",
)


def sheet_cells(problem: Problem, sheets: Sequence[Sheet]) -> Cells:
    """One row for each stop, vehicle after vehicle; trips begin with a row for their start."""
    told = told_names(problem)
    loads = sheets[0].loads if sheets else ()
    times = Times(problem)
    cells: Cells = [[*HEADER, *loads, *on_board_names(loads), *told]]
    for sheet in sheets:
        for number, trip in enumerate(sheet.trips, 1):
            cells += [
                [sheet.vehicle, sheet.driver, str(number), *_row(times, line, sheet.loads, told)]
                for line in (trip.start, *trip.lines)
            ]
    return cells


def told_names(problem: Problem) -> list[str]:
    """Names of all that is told of stops and of the depot."""
    return list(dict.fromkeys([*problem.details_of_depot(), *problem.details]))


def on_board_names(loads: Sequence[str]) -> list[str]:
    """What the columns of loads on board are called."""
    return ["on board"] if len(loads) == 1 else [f"{name} on board" for name in loads]


def _row(times: Times, line: Line, loads: Sequence[str], told: Sequence[str]) -> list[object]:
    visit = line.visit
    return [
        line.number, line.arrives, times.counted(visit.waiting), times.counted(visit.service),
        line.leaves, line.stop, line.window,
        *(map(_plain, line.amounts) if line.amounts else [""] * len(loads)),
        *map(_plain, line.on_board),
        *(line.told.get(name, "") for name in told),
    ]  # fmt: skip


def _plain(amount: float) -> float:
    """Whole numbers without a point."""
    return int(amount) if amount == int(amount) else amount
