from datetime import time
from typing import Any

import pytest

from geopar.errors import InputError
from geopar.files import read_problem
from geopar.files.dotted_times import dotted_times
from geopar.files.remarks import remarks
from geopar.files.spreadsheet import workbook_of


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


def opened_at(folder, *opens):
    """A spreadsheet whose stops open then."""
    stops: list[list[Any]] = [["name", "x", "y", "open"], ["Depot", 0, 0, ""]]
    stops += [[f"s{i}", i, 1, one] for i, one in enumerate(opens)]
    path = folder / "day.xlsx"
    path.write_bytes(workbook_of({"stops": stops, "vehicles": [["van", "speed"], ["van 1", 1]]}))
    return read_problem(path)


def test_numbers_in_cells_are_asked_about_as_text_is(tmp_path):
    pytest.importorskip("openpyxl")
    with pytest.raises(InputError) as caught:
        opened_at(tmp_path, time(9, 0), 8.3)
    (fault,) = caught.value.faults
    assert (fault.code, fault.value) == ("ambiguous-time", "'8.3'")
    assert fault.hint == "Write 8:30, or all of the column as numbers."
    told = " ".join(remarks(opened_at(tmp_path, 8.3, 9.15, 10)))
    assert "8.3 is read as 8.3 hours (8:18). If it is 8:30" in told
