"""CSV text as columns: comma, semicolon or tab, with a header, quotes and marks tolerated."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from geopar.errors import Faults
from geopar.files.building import HOLES
from geopar.files.storage import decode
from geopar.files.table_names import meaning
from geopar.files.wording import printable, shown
from geopar.problems.day import TimeUnit
from geopar.problems.validation import MOST_TASKS

DELIMITERS = ",;\t"
MOST_LINES = 2 * MOST_TASKS
LONGEST_HEADER = 100_000
MOST_SHOWN = 50
LONGEST_HINT = 300
_PLAIN_NUMBER = "Give a plain number such as 0.5."


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
        Column names: as :meth:`understand` knows them, the others as they are.
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
    units: dict[str, TimeUnit] = field(default_factory=dict)
    further: dict[str, int] = field(default_factory=dict)
    _columns: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self._columns = {name: column for column, name in enumerate(self.header)}

    def understand(self, names: Mapping[str, str]) -> None:
        """Take columns for what their names mean; those of no meaning here are ``further``."""
        self._columns, self.units, self.further = {}, {}, {}
        for column, name in enumerate(self.header):
            found = meaning(name, names)
            if found is None or found.name in self._columns:
                if name.strip():
                    self.further[name.strip()] = column
                continue
            self._columns[found.name] = column
            if found.unit is not None:
                self.units[found.name] = found.unit

    def set_aside(self, column: str) -> None:
        """Pass a column on, as those of no meaning are."""
        at = self._columns.pop(column)
        self.further[self.header[at].strip()] = at

    def take_as(self, column: str, at: int) -> None:
        """Take a column that is passed on for one with a meaning as well."""
        self._columns[column] = at

    def shown_as(self, column: str) -> str:
        """What the file calls a column."""
        at = self._columns.get(column)
        return column if at is None else self.header[at].strip()

    def __contains__(self, column: str) -> bool:
        return column in self._columns

    def at(self, row: int, column: str) -> str:
        """The place of a cell, for messages."""
        return f"{self.name} line {self.lines[row]}, {self.shown_as(column)}"

    def check_columns(self, required: Sequence[str], known: Sequence[str]) -> None:
        """Note what is missing; the hint has all that is known and all that is there."""
        for column in required:
            if column not in self:
                there = printable(", ".join(self.header[:MOST_SHOWN]), LONGEST_HINT)
                self.faults.add(
                    "missing-field", f"{self.name} column {column}", ..., "is missing.",
                    f"{self._lookup_hint(column)}The header has: {there}. "
                    f"Known: {', '.join(known)}.",
                )  # fmt: skip

    def _lookup_hint(self, column: str) -> str:
        """What to say where there are addresses and no places."""
        is_place = column.rpartition("_")[2] in ("x", "y", "lat", "lon")
        if not is_place or not any("address" in name.lower() for name in self.header):
            return ""
        return "Addresses are not looked up: add columns lat and lon. "

    def texts(self, column: str) -> list[str]:
        """The cells of a column; rows may be shorter than the header."""
        at = self._columns[column]
        return [row[at] if at < len(row) else "" for row in self.rows]

    def cells(self, column: str, rows: Sequence[int]) -> list[str]:
        """The cells of a column in some rows; empty ones where there is no such column."""
        if column not in self:
            return [""] * len(rows)
        texts = self.texts(column)
        return [texts[row] for row in rows]

    def numbers(self, column: str, rows: Sequence[int]) -> list[float]:
        """A column in the given rows as numbers, with holes filled."""
        texts = self.cells(column, rows)
        if not self.decimal_comma and "_" not in "".join(texts):
            try:
                return list(map(float, texts))
            except ValueError:
                pass  # found again below, where its row is known
        hole = HOLES.get(column, 0.0)
        found = zip(rows, texts, strict=True)
        return [self._number(row, column, text, hole) for row, text in found]

    def optional_numbers(self, column: str, rows: Sequence[int]) -> list[Any]:
        """As :meth:`numbers`; ``...`` where a cell is empty."""
        texts = self.cells(column, rows)
        return [
            self._number(row, column, text, 0.0) if text.strip() else ...
            for row, text in zip(rows, texts, strict=True)
        ]

    def value(self, text: str) -> float | str:
        """A cell that may be a number, or text without the space around it."""
        text = text.strip()
        plain = text.replace(",", ".") if self.decimal_comma else text
        try:
            return float(plain) if "_" not in plain else text
        except ValueError:
            return text

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
                "Write it with a point." if _is_comma_number(text) else _PLAIN_NUMBER,
            )  # fmt: skip
        else:
            self.faults.add("missing-field", self.at(row, column), ..., "is empty.", "Fill it in.")
        return hole


def header_of(data: bytes) -> list[str]:
    """The names of the columns, without a look at the rest; none where there are no lines."""
    # What is no text is refused by who reads it all.
    begin = decode(data[:LONGEST_HEADER], "", errors="replace")
    text = next((line for line in begin.splitlines() if line.strip()), "")
    return [cell.strip(' "') for cell in text.split(max(DELIMITERS, key=text.count))]


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
        faults.refuse("too-large", name, lines, f"lines are more than the limit of {MOST_LINES:,}.")
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
        faults.refuse(
            "bad-csv", f"{name} line {reader.line_num}", ..., f"cannot be read: {error}.",
            "Check the quotes.",
        )  # fmt: skip
    return table_of(faults, name, rows, numbers, decimal_comma=delimiter == ";")


def table_of(
    faults: Faults,
    name: str,
    rows: list[list[str]],
    numbers: list[int],
    *,
    decimal_comma: bool = False,
) -> Table:
    """Rows of cells as a table, the first of them its header; smaller faults are noted.

    Raises
    ------
    geopar.errors.InputError
        Where there is not even a header.
    """
    if not rows:
        faults.refuse("empty-file", name, ..., "has no header.", "Write the column names first.")
    header = [cell.strip() for cell in rows[0]]
    for column, times in Counter(map(str.lower, filter(None, header))).items():
        if times > 1:
            faults.add(
                "duplicate-field", f"{name} column", shown(column),
                f"stands {times} times in the header.", "Keep one of them.",
            )  # fmt: skip
    table = Table(faults, name, header, rows[1:], numbers[1:], decimal_comma)
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


def table_text(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """CSV text; numbers to the bit."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)  # RFC 4180: commas, CRLF, quotes where needed
    writer.writerow(header)
    writer.writerows(rows)
    return buffer.getvalue()


def _is_comma_number(text: str) -> bool:
    """Whether a text is a number such as 10,05, as many countries write it."""
    whole, comma, rest = text.strip().removeprefix("-").partition(",")
    return comma == "," and whole.isdecimal() and rest.isdecimal()
