"""Times in files: numbers, times of day (``08:30``) and ISO dates, in one file side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from geopar.errors import Faults
from geopar.files.json_objects import Objects
from geopar.files.wording import shown
from geopar.problems.clock import Clock, Moment, first_midnight, is_clock, parse_moment
from geopar.problems.day import PER_HOUR, TimeUnit
from geopar.problems.validation import LARGEST_NUMBER


class Times:
    """Reads the times of one file.

    Parameters
    ----------
    faults
        Where to note what is wrong.
    unit
        Of numbers.
    values
        All times that the file has, so that dates are counted from the first of them.
    clock
        How times are to be written, and from which midnight dates count, where that is said.
    """

    def __init__(
        self, faults: Faults, unit: TimeUnit, values: Iterable[Any], clock: Any = None
    ) -> None:
        self._faults = faults
        self._moments = {text: parse_moment(text) for text in set(_texts(values))}
        known = [moment for moment in self._moments.values() if moment is not None]
        if clock is not None and not (isinstance(clock, str) and is_clock(clock)):
            hint = "Give HH:MM, or an ISO date."
            faults.add("unknown-value", "clock", shown(clock), "is no way to write times.", hint)
            clock = None
        said = None if clock is None else Clock.of(PER_HOUR[unit], clock).midnight
        midnight = None
        try:
            midnight = first_midnight(known if said is None else [*known, Moment(0.0, said)])
        except ValueError as error:
            hint = "Give all of them one, or none."
            faults.add("mixed-dates", "times", ..., f"do not belong together: {error}.", hint)
            known = []
        self._clock = Clock(PER_HOUR[unit], said or midnight)
        self.clock = self._clock.name if known or clock is not None else None

    def read(self, field: str, value: Any, otherwise: float) -> float:
        """One time; ``otherwise`` for what is missing or ``null``, or cannot be read."""
        if value is None or value is ...:
            return otherwise
        if isinstance(value, str):
            moment = self._moments.get(value)
            if moment is None:
                self._add("not-a-time", field, value, "is no time.")
            elif self.clock is not None:
                return self._number(field, moment, otherwise)
            return otherwise
        if isinstance(value, bool) or not isinstance(value, int | float):
            self._add("not-a-time", field, value, "is no time.")
        elif not -LARGEST_NUMBER <= value <= LARGEST_NUMBER:
            self._add("out-of-range", field, value, "is far from any day.")
        else:
            return float(value)
        return otherwise

    def _number(self, field: str, moment: Moment, otherwise: float) -> float:
        number = self._clock.number(moment)
        if abs(number) <= LARGEST_NUMBER:
            return number
        self._add("out-of-range", field, number, "is far from any day.")
        return otherwise

    def span(
        self, fields: tuple[str, str, str], value: Any, low: float, high: float
    ) -> tuple[float, float]:
        """``[from, to]``, each of which may be ``null``; where it stands, its begin and its end."""
        field, first, last = fields
        if value is None or value is ...:
            return low, high
        if not isinstance(value, list | tuple) or len(value) != 2:
            hint = 'Write [from, to], such as [8, 12.5] or ["08:00", "12:30"].'
            self._faults.add("wrong-type", field, shown(value), "must be two times.", hint)
            return low, high
        begin = self.read(first, value[0], low)
        end = self.read(last, value[1], high)
        if begin > end:
            self.add_reversed(field, value)
            return low, high
        return begin, end

    def add_reversed(self, field: str, value: Any) -> None:
        """Note a span that ends before it begins."""
        texts = " to ".join(str(shown(one)) for one in value)
        self._faults.add(
            "ends-before-it-begins", field, texts, "ends before it begins.",
            "Swap them; after midnight count on: 25:30.",
        )  # fmt: skip

    def _add(self, code: str, field: str, value: Any, what: str) -> None:
        hint = "Give a number, 08:30, 08:30:15 or 2026-11-17T08:30."
        self._faults.add(code, field, shown(value), what, hint)


def times_of(rows: Objects, *names: str) -> Iterator[Any]:
    """All values of some fields."""
    for name in names:
        if rows.has(name):
            yield from rows.values(name)


def _texts(values: Iterable[Any], depth: int = 3) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list | tuple) and depth:
            yield from _texts(value, depth - 1)
