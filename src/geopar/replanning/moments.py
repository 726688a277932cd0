"""A moment as somebody says it: a number of the problem's unit, ``12:00``, or an ISO date-time."""

from __future__ import annotations

import math
from typing import Any

from geopar.errors import Faults
from geopar.files.wording import shown
from geopar.problems import Problem
from geopar.problems.clock import parse_moment
from geopar.problems.day import Day
from geopar.problems.validation import LARGEST_NUMBER

HINT = "Give a number, 12:00 or 2026-11-17T12:00."


def moment_of(faults: Faults, problem: Problem, field: str, value: Any) -> float:
    """The number of a moment; 0 for what cannot be read, with a fault."""
    number = _number(value)
    if number is None and isinstance(value, str):
        moment = parse_moment(value)
        clock = (problem.day or Day()).how_written
        if moment is None:
            faults.add("not-a-time", field, shown(value), "is no time.", HINT)
            return 0.0
        if moment.midnight is not None and clock.midnight is None:
            what = "has a date, and the problem has times of day alone."
            faults.add("not-a-time", field, shown(value), what, "Leave the date out.")
            return 0.0
        try:
            return clock.number(moment)
        except TypeError:
            what = "and the problem's dates do not both have an offset from UTC."
            faults.add("mixed-dates", field, shown(value), what, "Give it one, or none.")
            return 0.0
    if number is None:
        faults.add("not-a-time", field, shown(value), "is no time.", HINT)
    elif not abs(number) <= LARGEST_NUMBER:
        faults.add("out-of-range", field, shown(value), "is far from any day.", HINT)
    else:
        return number
    return 0.0


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf
    except (TypeError, ValueError):
        return None
