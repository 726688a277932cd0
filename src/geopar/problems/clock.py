"""Times of day and dates as numbers, and back: ``08:30``, ``2026-11-17T08:30``.

A day counts time from its midnight, in its own unit. Hours past 24 belong to the next day, as
timetables have it (GTFS).
"""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta, timezone
from typing import NamedTuple

CLOCK = "HH:MM"
"""How a day says that its times are times of day, of no particular date."""

SECONDS_PER_HOUR = 3600.0
FARTHEST = 1e9
"""Seconds from midnight, beyond which no clock is asked."""
_TIME = re.compile(r"(\d{1,3}):([0-5]\d)(?::([0-5]\d(?:\.\d{1,6})?))?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?", re.ASCII)


class Moment(NamedTuple):
    """A time of day, or a date with or without one.

    Parameters
    ----------
    seconds
        Since midnight; of the date, if there is one.
    midnight
        The date, with its offset from UTC where that was said.
    """

    seconds: float
    midnight: datetime | None = None


def parse_moment(text: str) -> Moment | None:
    """What ``08:30``, ``08:30:15``, an ISO date or an ISO date-time says; None for other text."""
    text = text.strip()
    if match := _TIME.fullmatch(text):
        hours, minutes, seconds = match.groups()
        return Moment(int(hours) * 3600.0 + int(minutes) * 60.0 + float(seconds or 0.0))
    if not _DATE.fullmatch(text):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    return Moment((moment - midnight).total_seconds(), midnight)


class Clock(NamedTuple):
    """How a day's numbers and times belong together.

    Parameters
    ----------
    per_hour
        How many units of time an hour has.
    midnight
        Of the day's date; none where there are only times of day.
    """

    per_hour: float
    midnight: datetime | None = None

    @classmethod
    def of(cls, per_hour: float, clock: str) -> Clock:
        """By what a day says: :data:`CLOCK`, or the ISO date-time of a midnight."""
        return cls(per_hour, None if clock == CLOCK else datetime.fromisoformat(clock))

    @property
    def name(self) -> str:
        """What :meth:`of` takes."""
        return CLOCK if self.midnight is None else self.midnight.isoformat()

    def number(self, moment: Moment) -> float:
        """A moment in units of time since midnight; times of day belong to the first date."""
        seconds = moment.seconds
        if moment.midnight is not None and self.midnight is not None:
            seconds += (moment.midnight - self.midnight).total_seconds()
        return seconds * self.per_hour / SECONDS_PER_HOUR

    def text(self, number: float) -> str:
        """The time, to the nearest second."""
        if not abs(number) * SECONDS_PER_HOUR / self.per_hour < FARTHEST:
            return f"{number:g}"
        return self._text(math.floor(number * SECONDS_PER_HOUR / self.per_hour + 0.5))

    def exact(self, number: float) -> str | float:
        """The time where it says all that the number says; else the number."""
        text = self.text(number)
        moment = parse_moment(text)
        return text if moment is not None and self.number(moment) == number else number

    def _text(self, seconds: int) -> str:
        if self.midnight is not None:
            moment = self.midnight + timedelta(seconds=seconds)
            return moment.isoformat(timespec="seconds" if seconds % 60 else "minutes")
        sign, seconds = ("-" if seconds < 0 else ""), abs(seconds)
        text = f"{sign}{seconds // 3600:02}:{seconds // 60 % 60:02}"
        return f"{text}:{seconds % 60:02}" if seconds % 60 else text


def is_clock(clock: str) -> bool:
    """Whether :meth:`Clock.of` takes it."""
    if clock == CLOCK:
        return True
    moment = parse_moment(clock)
    return moment is not None and moment.midnight is not None and moment.seconds == 0.0


def first_midnight(moments: list[Moment]) -> datetime | None:
    """The earliest of all dates, by which the others are counted; none where there are none.

    Raises
    ------
    ValueError
        Where some have an offset from UTC and others have none.
    """
    dates = [m.midnight for m in moments if m.midnight is not None]
    if len({date.tzinfo is None for date in dates}) > 1:
        raise ValueError("some dates have an offset from UTC, and others have none")
    if not dates:
        return None
    # Clocks of other offsets are set to the first one's.
    first = dates[0]
    if first.tzinfo is None:
        return min(dates)
    offset = timezone(first.utcoffset() or timedelta())
    instants = [
        m.midnight + timedelta(seconds=m.seconds) for m in moments if m.midnight is not None
    ]
    earliest = min(instants).astimezone(offset)
    return earliest.replace(hour=0, minute=0, second=0, microsecond=0)
