"""Spreadsheets (``.xlsx``) as tables: the cells of two sheets, and nothing else of them.

Needs openpyxl (extra ``excel``). Formulas count with the values that were saved with them.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping
from typing import Any

from geopar.errors import Faults, MissingExtraError
from geopar.files.cell_text import cell_text
from geopar.files.storage import MOST_BYTES
from geopar.files.table import MOST_LINES, Table, table_of
from geopar.files.table_cells import Cells
from geopar.files.wording import printable

MARK = "[Content_Types].xml"
STOP_SHEETS = ("stops", "customers", "orders")
VEHICLE_SHEETS = ("vehicles", "fleet")
MOST_COLUMNS = 1000


def is_spreadsheet(data: bytes) -> bool:
    """Whether these are the bytes of an office document, by a member that all of them have."""
    mark = MARK.encode()
    # At the beginning, or in the directory at the end.
    return data.startswith(b"PK\x03\x04") and (mark in data[:4096] or mark in data[-65536:])


def tables_from_xlsx(faults: Faults, data: bytes, name: str) -> tuple[Table, Table]:
    """The sheets of stops and of vehicles: by their names, else the first two.

    Raises
    ------
    geopar.errors.InputError
        When it is no spreadsheet, has merged cells, or only one sheet.
    geopar.errors.MissingExtraError
        Without openpyxl.
    """
    _check_archive(faults, data, name)
    book = _load(faults, data, name, read_only=True)
    titles = {sheet.title.strip().lower(): sheet for sheet in book.worksheets}
    found: list[Any] = [
        next((titles[one] for one in names if one in titles), None)
        for names in (STOP_SHEETS, VEHICLE_SHEETS)
    ]
    if None in found and len(book.worksheets) >= 2:
        found = book.worksheets[:2]
    if None in found:
        faults.refuse(
            "missing-sheet", name, len(titles), "sheets; stops and vehicles need one each.",
            "Call them stops and vehicles.",
        )  # fmt: skip
    stops, vehicles = (
        _table(faults, sheet, f"{name} sheet {printable(sheet.title)}") for sheet in found
    )
    return stops, vehicles


def _check_archive(faults: Faults, data: bytes, name: str) -> None:
    """Refuse what would unpack to more than is sensible, and merged cells."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(member.file_size for member in archive.infolist())
            sheets = [one for one in archive.namelist() if one.startswith("xl/worksheets/")]
            # Nothing is unpacked of what is too large.
            is_merged = size <= MOST_BYTES and any(
                b"<mergeCell " in archive.read(sheet) for sheet in sheets
            )
    except (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError) as error:
        what = f"is no spreadsheet: {printable(str(error))}."
        faults.refuse("bad-xlsx", name, ..., what, "Save it anew, or as CSV.")
    if size > MOST_BYTES:
        limit = f"bytes unpacked are more than the limit of {MOST_BYTES:,}."
        faults.refuse("too-large", name, size, limit, "Split it up, or save it as CSV.")
    if is_merged:
        for sheet in _load(faults, data, name, read_only=False).worksheets:
            for cells in sheet.merged_cells.ranges:
                faults.add(
                    "merged-cells", f"{name} sheet {printable(sheet.title)}", str(cells),
                    "are merged, so that it is not clear which row a value belongs to.",
                    "Split them (Merge & Centre once more), one value in each cell.",
                )  # fmt: skip
        faults.raise_if_any()


def _load(faults: Faults, data: bytes, name: str, *, read_only: bool) -> Any:
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise MissingExtraError("Reading and writing .xlsx", "excel") from None
    try:
        return load_workbook(io.BytesIO(data), read_only=read_only, data_only=True)
    except Exception as error:  # whatever it stumbles over, the file is to blame
        what = f"is no spreadsheet: {printable(str(error))}."
        faults.refuse("bad-xlsx", name, ..., what, "Save it anew, or as CSV.")


def _table(faults: Faults, sheet: Any, name: str) -> Table:
    rows, numbers = [], []
    for number, row in enumerate(sheet.iter_rows(values_only=True, max_col=MOST_COLUMNS), 1):
        if number > MOST_LINES:
            faults.refuse("too-large", name, number, f"rows are more than {MOST_LINES:,}.")
        cells = _without_tail(map(cell_text, row))
        if cells:
            rows.append(cells)
            numbers.append(number)
    return table_of(faults, name, rows, numbers)


def _without_tail(cells: Iterable[str]) -> list[str]:
    """The cells up to the last that has something in it."""
    found = list(cells)
    while found and not found[-1].strip():
        found.pop()
    return found


def workbook_of(sheets: Mapping[str, Cells]) -> bytes:
    """Sheets of cells, headers first, as the bytes of an ``.xlsx`` file.

    Raises
    ------
    geopar.errors.MissingExtraError
        Without openpyxl.
    """
    try:
        from openpyxl import Workbook
        from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE, WriteOnlyCell
    except ImportError:
        raise MissingExtraError("Reading and writing .xlsx", "excel") from None
    book = Workbook(write_only=True)
    for title, cells in sheets.items():
        sheet = book.create_sheet(title)
        sheet.freeze_panes = "A2"
        for row in cells:
            written = []
            for value in row:
                text = ILLEGAL_CHARACTERS_RE.sub("", value) if isinstance(value, str) else value
                cell = WriteOnlyCell(sheet, text if text != "" else None)
                if isinstance(text, str) and text:
                    cell.data_type = "s"  # never a formula
                written.append(cell)
            sheet.append(written)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()
