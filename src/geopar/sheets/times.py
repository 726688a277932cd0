"""Times as drivers read them, to the minute: by the clock, or counted from the start."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

from geopar.problems import Problem
from geopar.problems.clock import FARTHEST, SECONDS_PER_HOUR

_SECONDS = {"h": SECONDS_PER_HOUR, "min": 60.0, "s": 1.0}


class Times:
    """How the times of a problem are written.

    Parameters
    ----------
    problem
        With a clock: times of day. Without, but with a known unit: hours and minutes from the
        start. Else the numbers.
    """

    def __init__(self, problem: Problem) -> None:
        day = problem.day
        self._unit = problem.time_unit
        self._seconds = _SECONDS.get(problem.time_unit)
        self._by_clock = day is not None and day.clock is not None
        self._midnight: datetime | None = None
        if day is not None and self._by_clock:
            self._midnight = day.how_written.midnight

    @property
    def heading(self) -> str:
        """What the times are: the date, or from when and in what they are counted."""
        if self._by_clock:
            return "" if self._midnight is None else f"{self._midnight:%A, %d %B %Y}"
        if self._seconds is not None:
            return "Times are hours and minutes from the start."
        return f"Times are in {self._unit} from the start." if self._unit else ""

    def moment(self, time: float) -> str:
        """When."""
        minutes = self._minutes(time)
        if minutes is None:
            return f"{time:,.4g}"
        if not self._by_clock:
            return _counted(minutes)
        if self._midnight is None:
            return f"{'-' if minutes < 0 else ''}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
        then = self._midnight + timedelta(minutes=minutes)
        # The date of the day itself stands in the heading.
        is_today = then.date() == self._midnight.date()
        return f"{then:%H:%M}" if is_today else f"{then:%Y-%m-%d %H:%M}"

    def length(self, time: float) -> str:
        """How long; empty for nothing."""
        if time <= 0.0:
            return ""
        minutes = self._minutes(time)
        return f"{time:,.4g}" if minutes is None else _counted(max(1, minutes))

    def _minutes(self, time: float) -> int | None:
        """The nearest minute; None where a number of the unit is all that can be said."""
        if self._seconds is None or not abs(time) * self._seconds < FARTHEST:
            return None
        return math.floor(time * self._seconds / 60.0 + 0.5)


def _counted(minutes: int) -> str:
    """Hours and minutes."""
    return f"{'-' if minutes < 0 else ''}{abs(minutes) // 60}:{abs(minutes) % 60:02}"
