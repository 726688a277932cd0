"""What tables say in a way that may mean something else, and that their numbers do not show."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from geopar.files.table import Table
from geopar.files.table_rows import times_in
from geopar.problems import Problem
from geopar.problems.day import TimeUnit

_KEPT = "_table_remarks"
_ENDS = ("", "pickup_", "delivery_")
_MOMENTS = ("window_from", "window_to", "windows", "released", "shift_start", "shift_end")
_LENGTHS = ("service", "loading", "longest")
_HOURS_AND_MINUTES = re.compile(r"(\d{1,2})[.,]([0-5]\d)", re.ASCII)
# Spreadsheets write 8.30 as 8.3, and 10.00 as 10.
_AS_NUMBERS = re.compile(r"(\d{1,2})(?:[.,]([1-5]|[0-5][1-9]))?", re.ASCII)
# Minutes that nobody means as a part of an hour, and parts of it that people write as numbers.
_MINUTES_OF_LENGTHS = frozenset({"15", "3", "45"})
_PARTS_OF_HOURS = frozenset({"25", "5"})


def table_remarks(tables: Iterable[Table], unit: TimeUnit) -> list[str]:
    """In a sentence each, on columns of hours that could be hours and minutes."""
    return [
        remark
        for table in tables
        for names, are_moments in ((_MOMENTS, True), (_LENGTHS, False))
        for name in (end + one for one in names for end in _ENDS)
        if name in table and table.units.get(name, unit) == "hours"
        for remark in _dotted(table.shown_as(name), table.texts(name), are_moments)
    ]


def keep_remarks(problem: Problem, found: Sequence[str]) -> None:
    """Keep them with what was read; they are no part of it, and copies have none."""
    vars(problem)[_KEPT] = tuple(found)


def kept_remarks(problem: Problem) -> list[str]:
    """Those of the tables that a problem was read from."""
    return list(vars(problem).get(_KEPT, ()))


def _dotted(column: str, cells: Sequence[str], are_moments: bool) -> Iterator[str]:
    """A word where a whole column could be minutes after the point, none of them above 59."""
    times = [text for cell in cells for time in times_in(cell) if (text := time.strip())]
    match = _written(times) or _as_number(times, are_moments)
    if match is None:
        return
    number = float(f"{match[1]}.{match[2]}")
    minutes = round(60 * number)
    said = f"{column}: {match[0]} is read as {number:g} hours"
    if are_moments:
        clock = f"{minutes // 60}:{minutes % 60:02}"
        yield f"{said} ({clock}). If it is {match[1]}:{match[2]:0<2}, write it with a colon."
    else:
        meant = 60 * int(match[1]) + int(f"{match[2]:0<2}")
        how = f"give minutes, in a column called {column} minutes"
        yield f"{said} ({minutes} min). If it is {meant} min, {how}."


def _written(times: Sequence[str]) -> re.Match[str] | None:
    """The first that has minutes, where all have two digits for them."""
    found = [_HOURS_AND_MINUTES.fullmatch(text) for text in times]
    return next((one for one in found if one and one[2] != "00"), None) if all(found) else None


def _as_number(times: Sequence[str], are_moments: bool) -> re.Match[str] | None:
    """As :func:`_written`, where spreadsheets have left out the last zeros."""
    found = [_AS_NUMBERS.fullmatch(text) for text in times]
    if not all(found):
        return None
    return next((one for one in found if one and _are_minutes(one[2], are_moments)), None)


def _are_minutes(digits: str | None, are_moments: bool) -> bool:
    if digits is None:
        return False
    return digits not in _PARTS_OF_HOURS if are_moments else digits in _MINUTES_OF_LENGTHS
