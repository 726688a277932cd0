import math
from datetime import timedelta

import pytest

from geopar.problems.day import Day
from geopar.problems.told_times import Times, span_words
from instances import corridor, one_customer, town


def test_hours_without_a_clock_are_counted_from_the_start() -> None:
    times = Times(town())
    assert times.moment(1.25) == "1:15"
    assert times.length(0.5) == "30 min"
    assert times.counted(0.5) == "0:30"
    assert "from the start" in times.heading


def test_nothing_takes_no_time_and_little_a_minute() -> None:
    times = Times(town())
    assert times.length(0.0) == ""
    assert times.length(0.001) == "1 min"
    assert times.counted(0.0) == ""
    assert times.length_cell(0.0) is None


def test_numbers_of_no_unit_stay_numbers() -> None:
    times = Times(one_customer())
    assert times.moment(2.5) == "2.5"
    assert times.heading == ""
    assert Times(corridor()).length(1.0) == "1"


@pytest.mark.parametrize(
    ("unit", "number"), [("hours", 8.5), ("minutes", 510.0), ("seconds", 30600.0)]
)
def test_times_of_day_in_any_unit(unit, number) -> None:
    problem = town().replace(day=Day(time_unit=unit, clock="HH:MM"))
    times = Times(problem)
    assert times.moment(number) == "08:30"
    assert times.moment(0.0) == "00:00"
    assert times.heading == ""


def test_a_date_stands_in_the_heading_and_only_other_dates_at_the_times() -> None:
    times = Times(town().replace(day=Day(time_unit="hours", clock="2026-11-17T00:00:00")))
    assert times.heading == "Tuesday, 17 November 2026"
    assert times.moment(9.75) == "09:45"
    assert times.moment(25.0) == "2026-11-18 01:00"


def test_what_no_clock_can_tell_is_a_number() -> None:
    assert Times(town().replace(day=Day(clock="HH:MM"))).moment(1e12) == "1e+12"


@pytest.mark.parametrize(
    ("minutes", "text"),
    [(0, "0 min"), (45, "45 min"), (120, "2 h"), (378, "6 h 18 min"), (-61, "-1 h 1 min")],
)
def test_lengths_are_hours_and_minutes_in_words(minutes, text) -> None:
    assert span_words(minutes) == text


def test_windows_may_be_open_on_either_side() -> None:
    times = Times(town().replace(day=Day(clock="HH:MM")))
    assert times.window([(8.0, 10.0), (14.0, math.inf)]) == "08:00–10:00, from 14:00"
    assert times.window([(-math.inf, 12.5)]) == "until 12:30"
    assert times.window([(-math.inf, math.inf)]) == ""
    assert times.window([]) == ""


def test_times_of_the_next_day_are_no_times_of_day() -> None:
    times = Times(town().replace(day=Day(clock="HH:MM")))
    assert times.moment_cell(25.0) == timedelta(hours=25)
    dated = Times(town().replace(day=Day(clock="2026-11-17T00:00:00")))
    assert dated.is_of_day(dated.moment_cell(9.0))
    assert not dated.is_of_day(dated.moment_cell(25.0))
