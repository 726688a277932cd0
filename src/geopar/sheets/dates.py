"""The date on sheets: that of the problem's times, or one that is given."""

from __future__ import annotations

from datetime import date
from typing import Any

from geopar.errors import Faults
from geopar.files.wording import shown
from geopar.problems import Problem
from geopar.problems.told_times import Times


def read_date(faults: Faults, field: str, value: Any) -> date | None:
    """A date as ISO 8601 writes it; None for nothing, or after noting what else it is."""
    if value is None:
        return None
    try:
        if isinstance(value, str):
            return date.fromisoformat(value.strip())
    except ValueError:
        pass
    faults.add("not-a-time", field, shown(value), "is no date.", "Maybe 2026-11-19.")
    return None


def check_date(faults: Faults, problem: Problem, day: date | None) -> None:
    """No other date than the one that the problem's own times have."""
    has_own = problem.day is not None and problem.day.how_written.midnight is not None
    if day is not None and has_own:
        what = "is not needed: the times of this problem have dates."
        faults.add("unused-option", "date", day.isoformat(), what, "Leave it out.")


def heading_of(problem: Problem, day: date | None) -> str:
    """What stands below the vehicle's name: which plan, of which day, and what its times are."""
    given = "" if day is None else f"{day:%A, %d %B %Y}"
    return " · ".join(filter(None, (problem.name, given, Times(problem).heading)))
