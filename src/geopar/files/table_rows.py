"""Rows of tables as the objects that JSON has, so that both are read in the same way."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from geopar.errors import Faults
from geopar.files.building import check_ids
from geopar.files.columns import DEGREES, PLANE
from geopar.files.dotted_times import dotted_times
from geopar.files.json_objects import Objects
from geopar.files.table import Table, end_columns
from geopar.files.table_names import LOADS
from geopar.problems.day import PER_HOUR, TimeUnit
from geopar.problems.validation import Coordinates

_BETWEEN_ENTRIES = re.compile(r"[;|]")
# An interval as ISO 8601 writes it, or as people do.
_BETWEEN_TIMES = re.compile(r"\s*(?:/|–|\bto\b)\s*|\s+-\s+|(?<=[\d:])-(?=\d{1,2}(?::|$))")

# Columns that begin and end of a span have, where it has none of its own.
SPANS = {"windows": ("window_from", "window_to"), "available": ("shift_start", "shift_end")}


class TableRows(Objects):
    """Some rows of a table.

    Parameters
    ----------
    table, index
        Which rows of which table.
    prefix
        What stands before the name of a column: ``"pickup_"``.
    """

    def __init__(self, table: Table, index: Sequence[int], prefix: str = "") -> None:
        self.table, self.index, self.prefix = table, list(index), prefix
        super().__init__(table.faults, [{} for _ in self.index], self._path)

    def _path(self, row: int) -> str:
        return f"{self.table.name} line {self.table.lines[self.index[row]]}"

    def field(self, row: int, name: str) -> str:
        """The place of one cell."""
        column = self.prefix + name
        if column not in self.table and name in SPANS:
            column = self.prefix + SPANS[name][0]
        return f"{self.path(row)}, {self.table.shown_as(column if self.index else name)}"

    def span_fields(self, row: int, name: str, at: int | None = None) -> tuple[str, str, str]:
        """The places of a span, of its begin and of its end, each with a column of its own."""
        if self.prefix + name in self.table:
            return super().span_fields(row, name, at)
        first, last = (
            f"{self.path(row)}, {self.table.shown_as(self.prefix + column)}"
            for column in SPANS[name]
        )
        return first, first, last

    def put(self, name: str, values: Sequence[Any]) -> None:
        """Give each row a value; ``...`` is none."""
        for row, value in zip(self.rows, values, strict=True):
            if value is not ...:
                row[name] = value
        vars(self).pop("key_sets", None)

    def has_column(self, *names: str) -> bool:
        """Whether the table has one of these."""
        return any(self.prefix + name in self.table for name in names)

    def required(self, *names: str) -> None:
        """Numbers that no row may lack, where there is such a column."""
        for name in names:
            if self.has_column(name):
                self.put(name, self.table.numbers(self.prefix + name, self.index))

    def numbers_if_any(self, unit: TimeUnit, *names: str) -> None:
        """Numbers that rows may lack; durations become those of the unit."""
        for name in names:
            if not self.has_column(name):
                continue
            column = self.prefix + name
            values = self.table.optional_numbers(column, self.index)
            own = self.table.units.get(column, unit)
            if own != unit:
                factor = PER_HOUR[unit] / PER_HOUR[own]
                values = [value if value is ... else value * factor for value in values]
            self.put(name, values)

    def texts(self, *names: str) -> None:
        """Words."""
        self._put_cells(names, lambda cell: cell)

    def times(self, *names: str) -> None:
        """Times: numbers, or text that is looked at later."""
        for name in names:
            self.ask_of_dots(name)
        self._put_cells(names, self.table.value)

    def lists(self, *names: str) -> None:
        """Several words, with ``;`` or ``|`` between them."""
        self._put_cells(
            names,
            lambda cell: [part.strip() for part in _BETWEEN_ENTRIES.split(cell) if part.strip()],
        )

    def _put_cells(self, names: Sequence[str], read: Callable[[str], Any]) -> None:
        for name in names:
            if self.has_column(name):
                cells = self.table.cells(self.prefix + name, self.index)
                self.put(name, [read(cell.strip()) if cell.strip() else ... for cell in cells])

    def spans(self, name: str, begin: str, end: str, *, several: bool) -> None:
        """Two columns of times as one span, or one column of spans such as ``8:00/10:00; 14/16``.

        With ``several`` each row gets a list of them.
        """
        if self.has_column(begin, end):
            self.ask_of_dots(begin, end)
            pairs = zip(
                *(self.table.cells(self.prefix + one, self.index) for one in (begin, end)),
                strict=True,
            )
            spans = [[self._side(side) for side in pair] for pair in pairs]
            found = [... if span == [None, None] else [span] if several else span for span in spans]
            self.put(name, found)
        if several and self.has_column(name):
            self.ask_of_dots(name)
            self._put_cells((name,), self._spans)

    def ask_of_dots(self, *names: str) -> None:
        """Note what may be a time of day with a dot, or a number: ``8.30`` beside ``9:00``."""
        columns = [self.prefix + name for name in names if self.has_column(name)]
        # Other rows of the same columns tell as well what kind of times they have: the depot's.
        cells = [cell for one in columns for cell in self.table.texts(one)]
        own = set(self.index)
        for found in dotted_times(cells, times_in):
            column, row = divmod(found.row, len(self.table.rows))
            if row not in own:
                continue
            self.faults.add(
                "ambiguous-time", self.table.at(row, columns[column]), found.text,
                "is a number, and others in the column are times of day.",
                f"Write {found.by_clock}, or all of the column as numbers.",
            )  # fmt: skip

    def _spans(self, cell: str) -> list[Any]:
        parts = [part.strip() for part in _BETWEEN_ENTRIES.split(cell) if part.strip()]
        return [
            [self._side(side) for side in sides] if len(sides) == 2 else part
            for part in parts
            for sides in (_BETWEEN_TIMES.split(part),)
        ]

    def _side(self, cell: str) -> Any:
        return self.table.value(cell) if cell.strip() else None

    def place(self, name: str, axes: Sequence[str]) -> None:
        """A place of its own in columns such as ``start_x``; ``open`` in one called ``end``."""
        columns = [f"{name}_{axis}" for axis in axes]
        if columns and all(column in self.table for column in columns):
            found = [self.table.optional_numbers(column, self.index) for column in columns]
            pairs = zip(*found, strict=True)
            whole = [dict(zip(axes, pair, strict=True)) for pair in pairs]
            self.put(name, [... if ... in one.values() else one for one in whole])
        if name in self.table:
            words = self.table.cells(name, self.index)
            self.put(name, [None if word.strip().lower() == "open" else ... for word in words])

    def ids(self, column: str = "id") -> list[str] | None:
        """The ids, each used once, or None when there are none."""
        if column not in self.table or not self.index:
            return None
        ids = self.table.cells(column, self.index)
        check_ids(self.faults, ids, lambda row: self.table.at(self.index[row], column))
        return ids

    def or_hole(self) -> Objects:
        """These; one row of holes where there are none, so that reading goes on."""
        if self.index:
            return self
        return Objects(self.faults, [{}], lambda _: self.table.name, frozenset({0}))

    def further(self, other: str = "") -> None:
        """All other columns as details; those that begin with ``other`` are somebody else's."""
        for name, column in self.table.further.items():
            own = name[len(self.prefix) :] if name.lower().startswith(self.prefix) else name
            if other and name.lower().startswith(other):
                continue
            for row, i in zip(self.rows, self.index, strict=True):
                cells = self.table.rows[i]
                text = cells[column].strip() if column < len(cells) else ""
                if text:
                    row.setdefault("details", {})[own] = text
        vars(self).pop("key_sets", None)


def times_in(cell: str) -> list[str]:
    """Every time that stands in a cell of one or of several windows."""
    return [time for part in _BETWEEN_ENTRIES.split(cell) for time in _BETWEEN_TIMES.split(part)]


def unit_of(tables: Sequence[Table], asked: TimeUnit | None) -> TimeUnit:
    """The unit of all times: as asked, or as the name of some column says, or hours."""
    named = [unit for table in tables for unit in table.units.values()]
    return asked or (named[0] if named else "hours")


def loads(stops: TableRows, vehicles: TableRows) -> list[str]:
    """Demands and capacities, matched by their names where there are several kinds.

    Returns
    -------
    What the table calls them; nothing where it is no more than ``demand``.
    """
    kinds = [name for name in LOADS if name in stops.table]
    room = [name for name in ("capacity", *LOADS[1:]) if name in vehicles.table]
    if len(kinds) <= 1 and len(room) <= 1:
        for rows, name, found in ((stops, "demand", kinds), (vehicles, "capacity", room)):
            if found:
                rows.put(name, rows.table.numbers(found[0], rows.index))
        names = [stops.table.shown_as(one) for one in kinds]
        return [] if [one.lower() for one in names] == ["demand"] else names
    dimensions = [name for name in LOADS if name in {*kinds, *(_load(one) for one in room)}]
    for rows, name, own in ((stops, "demand", _same), (vehicles, "capacity", _room)):
        columns = [
            rows.table.optional_numbers(own(one), rows.index)
            if own(one) in rows.table
            else [...] * len(rows.index)
            for one in dimensions
        ]
        lists = zip(*columns, strict=True)
        rows.put(name, [[None if one is ... else one for one in some] for some in lists])
    return [
        stops.table.shown_as(one) if one in kinds else vehicles.table.shown_as(_room(one))
        for one in dimensions
    ]


def _same(name: str) -> str:
    return name


def _room(name: str) -> str:
    return "capacity" if name == "demand" else name


def _load(name: str) -> str:
    return "demand" if name == "capacity" else name


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
