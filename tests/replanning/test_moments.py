"""A moment as somebody says it."""

import pytest

from geopar.errors import Faults
from geopar.problems.day import Day
from geopar.replanning.moments import moment_of

MINUTES = Day(time_unit="minutes", clock="HH:MM")
DATED = Day(time_unit="hours", clock="2026-11-17T00:00:00")


@pytest.mark.parametrize(
    ("day", "value", "number"),
    [
        (None, 1.5, 1.5),
        (None, "1.5", 1.5),
        (None, "08:30", 8.5),
        (MINUTES, "12:00", 720),
        (MINUTES, 720, 720),
        (DATED, "2026-11-18T06:00", 30),
        (DATED, "06:00", 6),
    ],
)
def test_moments(square, day, value, number):
    faults = Faults()
    assert moment_of(faults, square.replace(day=day), "now", value) == number
    assert not faults


@pytest.mark.parametrize(
    ("day", "value", "code"),
    [
        (None, "noon", "not-a-time"),
        (None, None, "not-a-time"),
        (None, True, "not-a-time"),
        (None, [12], "not-a-time"),
        (None, "nan", "out-of-range"),
        (None, 10**400, "out-of-range"),
        (MINUTES, "2026-11-18T06:00", "not-a-time"),
        (DATED, "2026-11-18T06:00+01:00", "mixed-dates"),
    ],
)
def test_what_is_none(square, day, value, code):
    faults = Faults()
    moment_of(faults, square.replace(day=day), "now", value)
    assert [fault.code for fault in faults.found] == [code]
