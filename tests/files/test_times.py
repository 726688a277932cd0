"""Times of one file: numbers, times of day and dates, side by side."""

import pytest

from geopar.errors import Faults
from geopar.files.times import Times

DAY = "2026-11-17T"
# A span, its begin and its end, as faults name them.
OPEN = ("open", "open from", "open to")


def reader(*values, unit="hours", clock=None):
    faults = Faults()
    return Times(faults, unit, values, clock), faults


@pytest.mark.parametrize(
    ("unit", "value", "number"),
    [
        ("hours", 8.5, 8.5),
        ("hours", "08:30", 8.5),
        ("minutes", "08:30", 510),
        ("seconds", "08:30:15", 30_615),
        ("hours", "25:30", 25.5),
        ("hours", -3, -3),
    ],
)
def test_one_time(unit, value, number):
    times, faults = reader(value, unit=unit)
    assert times.read("at", value, -1.0) == number
    assert not faults


def test_dates_count_from_the_first_midnight_of_the_file():
    values = [f"{DAY}08:00", "2026-11-18T01:00", "23:00"]
    times, faults = reader([values[1]], [[values[0], values[2]]])
    assert [times.read("at", value, 0.0) for value in values] == [8, 25, 23]
    assert times.clock == f"{DAY}00:00:00"
    assert not faults


def test_dates_count_from_the_midnight_that_is_said():
    times, _ = reader("2026-11-18T01:00", clock=f"{DAY}00:00:00")
    assert times.read("at", "2026-11-18T01:00", 0.0) == 25
    assert times.clock == f"{DAY}00:00:00"


@pytest.mark.parametrize(
    ("values", "clock", "told"),
    [(["08:00"], None, "HH:MM"), ([8], None, None), ([8], "HH:MM", "HH:MM"), ([], None, None)],
)
def test_how_times_are_written(values, clock, told):
    assert reader(*values, clock=clock)[0].clock == told


@pytest.mark.parametrize("missing", [None, ...])
def test_what_is_missing(missing):
    times, faults = reader()
    assert times.read("at", missing, 7.0) == 7.0
    assert times.span(OPEN, missing, 1.0, 2.0) == (1.0, 2.0)
    assert not faults


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("noon", "not-a-time"), ("", "not-a-time"), (True, "not-a-time"), ({}, "not-a-time"),
        (1e13, "out-of-range"), (float("nan"), "out-of-range"),
    ],
)  # fmt: skip
def test_what_is_no_time_is_told_and_counts_as_missing(value, code):
    times, faults = reader(value)
    assert times.read("at", value, 7.0) == 7.0
    assert [(fault.code, fault.field) for fault in faults.found] == [(code, "at")]


@pytest.mark.parametrize(
    ("value", "span"),
    [
        ([8, 12], (8, 12)), (("08:00", "12:30"), (8, 12.5)), ([None, 12], (0, 12)),
        ([8, None], (8, 99)), ([8, 8], (8, 8)),
    ],
)  # fmt: skip
def test_spans(value, span):
    times, faults = reader(value)
    assert times.span(OPEN, value, 0.0, 99.0) == span
    assert not faults


@pytest.mark.parametrize(
    ("value", "codes"),
    [
        ([12, 8], ["ends-before-it-begins"]), ([8], ["wrong-type"]), ("08:00", ["wrong-type"]),
        ([1, 2, 3], ["wrong-type"]), (["a", "b"], ["not-a-time", "not-a-time"]),
    ],
)  # fmt: skip
def test_spans_that_are_none(value, codes):
    times, faults = reader(value)
    assert times.span(OPEN, value, 0.0, 99.0) == (0.0, 99.0)
    assert [fault.code for fault in faults.found] == codes
    if len(codes) == 2:
        assert [fault.field for fault in faults.found] == ["open from", "open to"]


def test_dates_with_and_without_an_offset_do_not_mix():
    _, faults = reader(f"{DAY}08:00", f"{DAY}08:00+01:00")
    assert [fault.code for fault in faults.found] == ["mixed-dates"]


@pytest.mark.parametrize("clock", ["noon", 8, "8:0"])
def test_clocks_that_are_none(clock):
    times, faults = reader("08:30", clock=clock)
    assert [(fault.code, fault.field) for fault in faults.found] == [("unknown-value", "clock")]
    assert times.read("at", "08:30", 0.0) == 8.5
