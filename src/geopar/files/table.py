"""CSV text as columns: comma, semicolon or tab, with a header, quotes and marks tolerated."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from geopar.errors import Faults
from geopar.files.building import HOLES, check_ids
from geopar.files.columns import DEGREES, PLANE
from geopar.files.storage import decode
from geopar.files.wording import maybe, printable, shown
from geopar.problems.validation import MOST_TASKS, Coordinates, Floats

DELIMITERS = ",;\t"
MOST_LINES = 2 * MOST_TASKS
LONGEST_HEADER = 100_000
MOST_SHOWN = 50
ALIASES = {"longitude": "lon", "lng": "lon", "latitude": "lat", "type": "kind"}


@dataclass
class Table:
    """One CSV file.

    Parameters
    ----------
    faults
        Where to note what is wrong.
    name
        The file's name, for messages.
    header
        Column names in lower case.
    rows
        Cells of each row, at most as many as the header has.
    lines
        The line of each row in the file.
    decimal_comma
        Whether ``0,5`` is a number: in files with semicolons.
    """

    faults: Faults
    name: str
    header: list[str]
    rows: list[list[str]]
    lines: list[int]
    decimal_comma: bool = False
    _columns: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self._columns = {name: column for column, name in enumerate(self.header)}

    def __contains__(self, column: str) -> bool:
        return column in self._columns

    def at(self, row: int, column: str) -> str:
        """The place of a cell, for messages."""
        return f"{self.name} line {self.lines[row]}, {column}"

    def check_columns(self, required: Sequence[str], optional: Sequence[str] = ()) -> None:
        """Note what is missing and what nobody knows."""
        known = {*required, *optional}
        for column in required:
            if column not in self:
                self.faults.add(
                    "missing-field", f"{self.name} column {column}", ..., "is missing.",
                    f"Add it; the header has: {printable(', '.join(self.header[:MOST_SHOWN]))}.",
                )  # fmt: skip
        unknown = [column for column in self.header if column not in known]
        for column in self.faults.first_few("unknown-field", unknown):
            self.faults.add(
                "unknown-field", f"{self.name} column", shown(column), "is no column here.",
                maybe(column, known, self.header),
            )  # fmt: skip

    def texts(self, column: str) -> list[str]:
        """The cells of a column; rows may be shorter than the header."""
        at = self._columns[column]
        return [row[at] if at < len(row) else "" for row in self.rows]

    def numbers(self, column: str, rows: Sequence[int]) -> Floats:
        """A column in the given rows as numbers, with holes filled."""
        hole = HOLES.get(column.rpartition("_")[2], 0.0)
        if column not in self:
            return np.full(len(rows), hole)
        cells = self.texts(column)
        texts = [cells[row] for row in rows]
        if not self.decimal_comma and "_" not in "".join(texts):
            try:
                return np.array(list(map(float, texts)))
            except ValueError:
                pass  # found again below, where its row is known
        found = zip(rows, texts, strict=True)
        return np.array([self._number(row, column, text, hole) for row, text in found])

    def numbers_or_hole(self, column: str, rows: Sequence[int]) -> Floats:
        """As :meth:`numbers`; one hole for an empty table, so that reading goes on."""
        return self.numbers(column, rows) if rows else np.array([HOLES[column]])

    def points(self, axes: Sequence[str], rows: Sequence[int], prefix: str = "") -> Floats:
        """The coordinates of each row; one hole for an empty table."""
        if not axes or not rows:
            return np.zeros((max(1, len(rows)), 2))
        return np.column_stack([self.numbers(prefix + axis, rows) for axis in axes])

    def ids(self, rows: Sequence[int], column: str = "id") -> list[str] | None:
        """The ids in some rows, each used once, or None when there are none."""
        if column not in self or not rows:
            return None
        texts = self.texts(column)
        ids = [texts[row] for row in rows]
        check_ids(self.faults, ids, lambda i: self.at(rows[i], column))
        return ids

    def add_empty(self, things: str) -> None:
        """Note that there are no rows."""
        hint = "Add a row below the header."
        self.faults.add("empty", self.name, ..., f"has no {things}; at least one is needed.", hint)

    def _number(self, row: int, column: str, text: str, hole: float) -> float:
        plain = text.replace(",", ".") if self.decimal_comma else text
        try:
            if "_" not in plain:  # which Python would skip
                return float(plain)
        except ValueError:
            pass
        if text.strip():
            self.faults.add(
                "not-a-number", self.at(row, column), shown(text), "is not a number.",
                "Give a plain number such as 0.5.",
            )  # fmt: skip
        else:
            self.faults.add("missing-field", self.at(row, column), ..., "is empty.", "Fill it in.")
        return hole


def parse_table(faults: Faults, data: bytes, name: str) -> Table:
    """Read CSV text.

    Raises
    ------
    geopar.errors.InputError
        When it is no table at all; smaller faults are noted.
    """
    text = decode(data, name)
    lines = max(text.count("\n"), text.count("\r"))
    if lines > MOST_LINES:
        faults.add("too-large", name, lines, f"lines are more than the limit of {MOST_LINES:,}.")
        faults.raise_now()
    first = next((line for line in text[:LONGEST_HEADER].splitlines() if line.strip()), "")
    delimiter = max(DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows, numbers = [], []
    try:
        for row in reader:
            if any(map(str.strip, row)):
                rows.append(row)
                numbers.append(reader.line_num)
    except csv.Error as error:
        faults.add(
            "bad-csv", f"{name} line {reader.line_num}", ..., f"cannot be read: {error}.",
            "Check the quotes.",
        )  # fmt: skip
        faults.raise_now()
    if not rows:
        faults.add("empty-file", name, ..., "has no header.", "Write the column names first.")
        faults.raise_now()
    header = [ALIASES.get(cell.strip().lower(), cell.strip().lower()) for cell in rows[0]]
    for column, times in Counter(header).items():
        if times > 1:
            faults.add(
                "duplicate-field", f"{name} column", shown(column),
                f"stands {times} times in the header.", "Keep one of them.",
            )  # fmt: skip
    table = Table(faults, name, header, rows[1:], numbers[1:], delimiter == ";")
    _check_widths(table)
    return table


def _check_widths(table: Table) -> None:
    """No row with more cells than the header has, but for empty ones."""
    width = len(table.header)
    for i, row in enumerate(table.rows):
        if len(row) > width and any(map(str.strip, row[width:])):
            table.faults.add(
                "wrong-length", f"{table.name} line {table.lines[i]}", len(row),
                f"cells, but the header has {width}.", "Maybe a comma needs quotes.",
            )  # fmt: skip


def end_columns(axes: Sequence[str]) -> list[str]:
    """The columns of an order's two ends, such as ``pickup_x``."""
    return [f"{end}_{axis}" for end in ("pickup", "delivery") for axis in axes]


def table_axes(faults: Faults, tables: Sequence[Table]) -> tuple[Sequence[str], Coordinates]:
    """Which names the coordinates have; none when both kinds are used, which is noted."""
    plane, degrees = (
        [t.name for t in tables if any(name in t for name in (*axes, *end_columns(axes)))]
        for axes in (PLANE, DEGREES)
    )
    if plane and degrees:
        faults.add(
            "mixed-coordinates", degrees[0], ..., f"has lat/lon, but {plane[0]} has x/y.",
            "Use one of them.",
        )  # fmt: skip
        return (), "plane"
    return (DEGREES, "lonlat") if degrees else (PLANE, "plane")


def table_text(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """CSV text; numbers to the bit."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)  # RFC 4180: commas, CRLF, quotes where needed
    writer.writerow(header)
    writer.writerows(rows)
    return buffer.getvalue()
