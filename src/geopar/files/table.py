"""CSV text as columns: comma, semicolon or tab, with a header, quotes and marks tolerated."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from geopar.errors import Faults
from geopar.files.building import HOLES
from geopar.files.storage import decode
from geopar.files.wording import maybe, printable, shown
from geopar.problems.validation import MOST_TASKS, Floats

DELIMITERS = ",;\t"
MOST_LINES = 2 * MOST_TASKS
LONGEST_HEADER = 100_000
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
        Cells of each row, as many as the header has.
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
                    f"Add it; the header has: {printable(', '.join(self.header))}.",
                )  # fmt: skip
        for column in self.header:
            if column not in known:
                self.faults.add(
                    "unknown-field", f"{self.name} column", shown(column), "is no column here.",
                    maybe(column, known - set(self.header) or known),
                )  # fmt: skip

    def texts(self, column: str) -> list[str]:
        """The cells of a column."""
        at = self._columns[column]
        return [row[at] for row in self.rows]

    def numbers(self, column: str, rows: Sequence[int]) -> Floats:
        """A column in the given rows as numbers, with holes filled."""
        hole = HOLES.get(column.rpartition("_")[2], 0.0)
        if column not in self:
            return np.full(len(rows), hole)
        at = self._columns[column]
        texts = [self.rows[row][at] for row in rows]
        if not self.decimal_comma and "_" not in "".join(texts):
            try:
                return np.array(list(map(float, texts)))
            except ValueError:
                pass  # found again below, where its row is known
        cells = zip(rows, texts, strict=True)
        return np.array([self._number(row, column, text, hole) for row, text in cells])

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
    _even_out(table)
    return table


def _even_out(table: Table) -> None:
    """Give every row as many cells as the header has."""
    width = len(table.header)
    for i, row in enumerate(table.rows):
        if len(row) != width:
            if any(map(str.strip, row[width:])):
                table.faults.add(
                    "wrong-length", f"{table.name} line {table.lines[i]}", len(row),
                    f"cells, but the header has {width}.", "Maybe a comma needs quotes.",
                )  # fmt: skip
            table.rows[i] = row[:width] + [""] * (width - len(row))


def table_text(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """CSV text; numbers to the bit."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)  # RFC 4180: commas, CRLF, quotes where needed
    writer.writerow(header)
    writer.writerows(rows)
    return buffer.getvalue()
