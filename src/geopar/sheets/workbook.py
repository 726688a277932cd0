"""Sheets as a spreadsheet: one for each vehicle, laid out for printing, times as times.

Needs openpyxl (extra ``excel``).
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from datetime import date as Date
from datetime import datetime, time, timedelta
from typing import Any

from geopar.errors import MissingExtraError
from geopar.problems import Problem
from geopar.problems.told_times import Cell, Times
from geopar.sheets.content import Line, Sheet
from geopar.sheets.dates import heading_of
from geopar.sheets.gone import Gone
from geopar.sheets.html import PRELIMINARY
from geopar.sheets.tables import on_board_names, told_names

# What a title in a spreadsheet must not hold, and how long it may be.
_FORBIDDEN = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
_LONGEST_TITLE = 31
_NARROWEST, _WIDEST = 6, 40
HEADER = ("Trip", "No.", "Arrive", "Wait", "Takes", "Leave", "Stop", "Window")
HEADER_ROW = 5
"""The row of column names, below who drives and when."""


def sheets_workbook(
    problem: Problem,
    sheets: Sequence[Sheet],
    *,
    preliminary: bool = False,
    date: Date | None = None,
    gone: Sequence[Gone] = (),
) -> bytes:
    """The bytes of an ``.xlsx`` file; ``date`` is the day where times do not say it.

    Vehicles that are out of service (``gone``) have a sheet that says so.

    Raises
    ------
    geopar.errors.MissingExtraError
        Without openpyxl.
    """
    try:
        from openpyxl import Workbook
    except ImportError:
        raise MissingExtraError("Reading and writing .xlsx", "excel") from None
    book = Workbook()
    book.remove(book.active)
    for sheet in sheets:
        page = book.create_sheet(title_of(sheet.vehicle, book.sheetnames))
        _fill(page, problem, sheet, preliminary, date)
    for one in gone:
        _fill_gone(book.create_sheet(title_of(one.vehicle, book.sheetnames)), problem, one, date)
    if not book.sheetnames:
        book.create_sheet("plan").append(["No vehicle has anything to do."])
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def title_of(name: str, taken: Iterable[str]) -> str:
    """A title that spreadsheets allow, unlike all others, whatever the case of letters."""
    known = {title.lower() for title in taken}
    plain = _FORBIDDEN.sub(" ", name).strip(" '")[:_LONGEST_TITLE] or "vehicle"
    title, number = plain, 1
    while title.lower() in known:
        number += 1
        end = f" {number}"
        title = plain[: _LONGEST_TITLE - len(end)] + end
    return title


def _fill(page: Any, problem: Problem, sheet: Sheet, preliminary: bool, date: Date | None) -> None:
    from openpyxl.styles import Font

    times = Times(problem)
    _write(page, 1, 1, sheet.title, times)
    page.cell(1, 1).font = Font(bold=True, size=16)
    said = [heading_of(problem, date), PRELIMINARY if preliminary else ""]
    _write(page, 2, 1, " · ".join(filter(None, said)), times)
    facts = {
        "Leave": times.moment_cell(sheet.table.departure),
        "Home by": times.moment_cell(sheet.table.finish),
        "Stops": sheet.num_stops,
        "Trips": len(sheet.trips),
        "Drives": sheet.distance,
        **sheet.about,
    }
    for i, (name, value) in enumerate(facts.items()):
        _write(page, 3, 2 * i + 1, name, times)
        _write(page, 3, 2 * i + 2, value, times)
        page.cell(3, 2 * i + 2).font = Font(bold=True)
    told = told_names(problem)
    header = [*HEADER, *map(_capital, sheet.loads), *map(_capital, on_board_names(sheet.loads))]
    header += map(_capital, told)
    for column, name in enumerate(header, 1):
        _write(page, HEADER_ROW, column, name, times)
        page.cell(HEADER_ROW, column).font = Font(bold=True)
    row = HEADER_ROW
    for number, trip in enumerate(sheet.trips, 1):
        for line in (trip.start, *trip.lines):
            row += 1
            for column, value in enumerate(_row(times, number, line, sheet, told), 1):
                _write(page, row, column, value, times)
    _lay_out(page, len(header), row)


def _fill_gone(page: Any, problem: Problem, gone: Gone, date: Date | None) -> None:
    from openpyxl.styles import Font

    times = Times(problem)
    rows = [[gone.title], [heading_of(problem, date)], [gone.said], []]
    header = ["Stop", "In this vehicle", "Goes to", "Arrived"]
    rows += [header]
    rows += [
        [one.stop, "yes" if one.on_board else "", one.taken_by or "nobody", ""]
        for one in gone.handed_over
    ]
    rows += [[one.stop, "", "", one.arrived] for one in gone.served]
    for number, row in enumerate(rows, 1):
        for column, value in enumerate(row, 1):
            _write(page, number, column, value, times)
            page.cell(number, column).font = Font(
                bold=number in (1, HEADER_ROW), size=16 if number == 1 else 11
            )
    _lay_out(page, len(header), len(rows))


def _row(
    times: Times, trip: int, line: Line, sheet: Sheet, told: Sequence[str]
) -> list[Cell | str]:
    visit = line.visit
    return [
        trip, int(line.number) if line.number else None,
        times.moment_cell(visit.arrival), times.length_cell(visit.waiting),
        times.length_cell(visit.service), times.moment_cell(visit.departure),
        line.stop, line.window,
        *(line.amounts or [None] * len(sheet.loads)), *line.on_board,
        *(line.told.get(name, "") for name in told),
    ]  # fmt: skip


def _write(page: Any, row: int, column: int, value: Cell | str, times: Times) -> None:
    """A cell of the type that the value has; text is never a formula."""
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    if value is None or value == "":
        return
    cell = page.cell(row, column)
    if isinstance(value, str):
        cell.value = ILLEGAL_CHARACTERS_RE.sub("", value)
        cell.data_type = "s"
        return
    cell.value = value
    if isinstance(value, datetime):
        cell.number_format = "hh:mm" if times.is_of_day(value) else "yyyy-mm-dd hh:mm"
    elif isinstance(value, time):
        cell.number_format = "hh:mm"
    elif isinstance(value, timedelta):
        cell.number_format = "[h]:mm"


def _lay_out(page: Any, columns: int, rows: int) -> None:
    """Landscape, as wide as the paper, names of columns on every page, lines between rows."""
    from openpyxl.styles import Alignment, Border, Side
    from openpyxl.utils import get_column_letter

    page.freeze_panes = page.cell(HEADER_ROW + 1, 1)
    page.print_title_rows = f"1:{HEADER_ROW}"
    page.page_setup.orientation = "landscape"
    page.page_setup.paperSize = page.PAPERSIZE_A4
    page.page_setup.fitToWidth, page.page_setup.fitToHeight = 1, 0
    page.sheet_properties.pageSetUpPr.fitToPage = True
    page.oddFooter.center.text = "&A · &P of &N"
    line = Border(bottom=Side(style="thin", color="999999"))
    for column in range(1, columns + 1):
        cells = [page.cell(row, column) for row in range(HEADER_ROW, rows + 1)]
        longest = max((len(_shown(cell.value)) for cell in cells), default=0)
        width = min(_WIDEST, max(_NARROWEST, longest + 2))
        page.column_dimensions[get_column_letter(column)].width = width
        for cell in cells:
            cell.border = line
            cell.alignment = Alignment(wrap_text=longest + 2 > _WIDEST, vertical="top")


def _shown(value: Any) -> str:
    """About what a cell shows, to know how wide it is."""
    if isinstance(value, datetime | time | timedelta):
        return "00:00"
    return "" if value is None else str(value)


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]
