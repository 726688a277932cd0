import pytest

from geopar.files.dotted_times import dotted_times


@pytest.mark.parametrize(
    ("text", "meant"),
    [("8.30", "8:30"), ("08.30", "08:30"), ("8,15", "8:15"), ("8.3", "8:30"), ("24.00", "24:00")],
)
def test_between_times_of_day_it_may_be_one(text, meant):
    (found,) = dotted_times(["9:00", "", text], str.split)
    assert found == (2, text, meant)


@pytest.mark.parametrize(
    "text", ["8", "8.5", "8.75", "8.125", "30.15", "-8.30", "8.30.15", "half", ""]
)
def test_what_is_none(text):
    assert dotted_times(["9:00", text], str.split) == []


def test_in_a_column_of_numbers_it_is_a_number():
    assert dotted_times(["8.30", "9.15", "10"], str.split) == []


def test_several_times_in_a_cell():
    found = dotted_times(["8:00 10.15", "2026-11-17T08:30 9.45"], str.split)
    assert [(one.row, one.by_clock) for one in found] == [(0, "10:15"), (1, "9:45")]
