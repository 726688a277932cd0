"""Times of day and dates as numbers, and back."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geopar.errors import InputError
from geopar.problems.clock import CLOCK, Clock, first_midnight, is_clock, parse_moment
from geopar.problems.day import PER_HOUR, Day


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("08:30", 30600), ("8:30:15", 30615), ("25:00", 90000), (" 00:00:00.5 ", 0.5)],
)
def test_times_of_day(text, seconds):
    assert parse_moment(text) == (seconds, None)


@pytest.mark.parametrize("text", ["", "8", "08:60", "8.30", "2026-13-01", "2026-11-17T25:00", "x"])
def test_other_text_is_no_time(text):
    assert parse_moment(text) is None


def test_dates_have_their_midnight():
    assert parse_moment("2026-11-17T08:30") == (30600, datetime(2026, 11, 17))
    assert parse_moment("2026-11-17") == (0, datetime(2026, 11, 17))


@given(st.integers(0, 40 * 3600), st.sampled_from(sorted(PER_HOUR)))
def test_whole_seconds_survive_the_way_out_and_in(seconds, unit):
    for midnight in (None, datetime(2026, 11, 17)):
        clock = Clock(PER_HOUR[unit], midnight)
        number = clock.number(parse_moment(clock.text(seconds * clock.per_hour / 3600.0)))
        assert clock.exact(number) == clock.text(number)
        assert round(number * 3600.0 / clock.per_hour) == seconds


def test_what_no_clock_says_stays_a_number():
    clock = Clock(1.0)
    assert clock.exact(1 / 7) == 1 / 7
    assert clock.exact(-1.5) == -1.5
    assert clock.text(-1.5) == "-01:30"
    assert clock.exact(1e12) == 1e12
    assert clock.text(1e12) == "1e+12"


def test_the_first_date_counts():
    moments = [parse_moment(t) for t in ("2026-11-18T01:00", "2026-11-17T23:00", "09:00")]
    clock = Clock(60.0, first_midnight(moments))
    assert [clock.number(m) for m in moments] == [1500, 1380, 540]
    assert clock.name == "2026-11-17T00:00:00"
    assert Clock.of(60.0, clock.name) == clock
    assert Clock.of(1.0, CLOCK).name == CLOCK
    assert clock.text(1500.5) == "2026-11-18T01:00:30"


def test_offsets_are_set_to_the_first():
    moments = [parse_moment(t) for t in ("2026-11-17T08:00+01:00", "2026-11-17T06:30Z")]
    clock = Clock(1.0, first_midnight(moments))
    assert [clock.number(m) for m in moments] == [8.0, 7.5]
    with pytest.raises(ValueError, match="offset"):
        first_midnight([*moments, parse_moment("2026-11-17T08:00")])


def test_a_day_says_how_its_times_are_written():
    assert Day(clock=CLOCK).written(8.5) == "08:30"
    assert Day(clock="2026-11-17T00:00:00", time_unit="minutes").written(510) == "2026-11-17T08:30"
    assert Day().written(8.5) == "8.5"
    assert not is_clock("2026-11-17T08:30")
    with pytest.raises(InputError, match="no way to write times"):
        Day(clock="noon")
