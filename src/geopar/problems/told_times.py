"""Times as people read them, to the minute: by the clock, or counted from the start."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, time, timedelta

from geopar.problems.base import RoutingProblem
from geopar.problems.clock import FARTHEST, SECONDS_PER_HOUR

Cell = datetime | time | timedelta | float | None
"""A time as spreadsheets keep it."""

_SECONDS = {"h": SECONDS_PER_HOUR, "min": 60.0, "s": 1.0}
_MINUTES_PER_DAY = 24 * 60


class Times:
    """How the times of a problem are written.

    Parameters
    ----------
    problem
        With a clock: times of day. Without, but with a known unit: hours and minutes from the
        start. Else the numbers.

    Attributes
    ----------
    by_clock
        Whether moments are times of day.
    """

    def __init__(self, problem: RoutingProblem) -> None:
        day = problem.day
        self._unit = problem.time_unit
        self._seconds = _SECONDS.get(problem.time_unit)
        self.by_clock = day is not None and day.clock is not None
        self._midnight: datetime | None = None
        if day is not None and self.by_clock:
            self._midnight = day.how_written.midnight

    def in_minutes(self, minutes: float) -> float:
        """So many minutes in the problem's unit, where that is known."""
        return minutes * 60.0 / (self._seconds or 60.0)

    @property
    def heading(self) -> str:
        """What the times are: the date, or from when and in what they are counted."""
        if self.by_clock:
            return "" if self._midnight is None else f"{self._midnight:%A, %d %B %Y}"
        if self._seconds is not None:
            return "Times are hours and minutes from the start."
        return f"Times are in {self._unit} from the start." if self._unit else ""

    def moment(self, time: float) -> str:
        """When."""
        minutes = self._minutes(time)
        if minutes is None:
            return f"{time:,.4g}"
        if not self.by_clock:
            return _counted(minutes)
        if self._midnight is None:
            return f"{'-' if minutes < 0 else ''}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
        then = self._midnight + timedelta(minutes=minutes)
        # The date of the day itself stands in the heading.
        is_today = then.date() == self._midnight.date()
        return f"{then:%H:%M}" if is_today else f"{then:%Y-%m-%d %H:%M}"

    def length(self, time: float) -> str:
        """How long, in words; empty for nothing."""
        if time <= 0.0:
            return ""
        minutes = self._minutes(time)
        return f"{time:,.4g}" if minutes is None else span_words(max(1, minutes))

    def window(self, spans: Sequence[tuple[float, float]]) -> str:
        """From when and until when, one span after the other."""
        return ", ".join(filter(None, (self._span(*span) for span in spans)))

    def _span(self, opens: float, closes: float) -> str:
        begin, end = (self.moment(t) if math.isfinite(t) else "" for t in (opens, closes))
        if begin and end:
            return f"{begin}–{end}"
        return f"from {begin}" if begin else f"until {end}" if end else ""

    def moment_cell(self, moment: float) -> Cell:
        """When, as a spreadsheet keeps it: a time of day, a date with one, or a number."""
        minutes = self._minutes(moment)
        if minutes is None:
            return moment
        if not self.by_clock:
            return timedelta(minutes=minutes)
        if self._midnight is not None:
            # Spreadsheets know no offsets from UTC: what the clock on the wall says.
            return self._midnight.replace(tzinfo=None) + timedelta(minutes=minutes)
        if 0 <= minutes < _MINUTES_PER_DAY:
            return time(minutes // 60, minutes % 60)
        return timedelta(minutes=minutes)

    def length_cell(self, length: float) -> Cell:
        """How long, as a spreadsheet keeps it; None for nothing."""
        if length <= 0.0:
            return None
        minutes = self._minutes(length)
        return length if minutes is None else timedelta(minutes=max(1, minutes))

    def counted(self, length: float) -> str:
        """How long, as hours and minutes that programs read; empty for nothing."""
        if length <= 0.0:
            return ""
        minutes = self._minutes(length)
        return f"{length:,.4g}" if minutes is None else _counted(max(1, minutes))

    def is_of_day(self, moment: Cell) -> bool:
        """Whether a cell belongs to the day that the heading names."""
        return (
            not isinstance(moment, datetime)
            or self._midnight is None
            or moment.date() == self._midnight.date()
        )

    def _minutes(self, time: float) -> int | None:
        """The nearest minute; None where a number of the unit is all that can be said."""
        if self._seconds is None or not abs(time) * self._seconds < FARTHEST:
            return None
        return math.floor(time * self._seconds / 60.0 + 0.5)


def span_words(minutes: int) -> str:
    """A length of time: ``45 min``, ``2 h``, ``6 h 18 min``."""
    sign, (hours, rest) = ("-" if minutes < 0 else ""), divmod(abs(minutes), 60)
    parts = [f"{hours} h"] if hours else []
    if rest or not hours:
        parts.append(f"{rest} min")
    return sign + " ".join(parts)


def _counted(minutes: int) -> str:
    """Hours and minutes."""
    return f"{'-' if minutes < 0 else ''}{abs(minutes) // 60}:{abs(minutes) % 60:02}"
