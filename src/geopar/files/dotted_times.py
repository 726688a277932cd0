"""Times of day with a dot, such as ``8.30``: half past eight, or 8.3 hours.

In a column of numbers it is a number. Between times of day nobody can tell, and a window that is
twelve minutes off is found by the driver: so it is asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from geopar.problems.clock import parse_moment

# Spreadsheets write 8.30 as 8.3. Half an hour is what people do write as a number.
_DOTTED = re.compile(r"(\d{1,2})[.,]([0-5]\d|[1-4])", re.ASCII)
_LAST_HOUR = 24


class Dotted(NamedTuple):
    """A number between times of day: in which row, as it is written, and as a time of day."""

    row: int
    text: str
    by_clock: str


def dotted_times(cells: Sequence[str], split: Callable[[str], Iterable[str]]) -> list[Dotted]:
    """Those of a column; none where no other cell has a time of day.

    Parameters
    ----------
    cells
        The column.
    split
        The times that stand in one cell.
    """
    times = [(row, text.strip()) for row, cell in enumerate(cells) for text in split(cell)]
    found = [(row, text, _DOTTED.fullmatch(text)) for row, text in times]
    some = [
        Dotted(row, text, f"{match[1]}:{match[2]:0<2}")
        for row, text, match in found
        if match is not None and int(match[1]) <= _LAST_HOUR
    ]
    # Last, since most tables have none of them and many rows.
    return some if some and any(parse_moment(text) is not None for _, text in times) else []
