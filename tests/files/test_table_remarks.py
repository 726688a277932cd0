"""What the numbers of a table do not show any more."""

import pytest

from geopar.files.problem_csv import problem_from_csv
from geopar.files.remarks import remarks

STOPS = """kind,id,x,y,open,close,service
depot,,0,0,{},,
,a,1,0,{},{},{}
,b,2,0,{},{},{}
"""


def told(*cells, vehicles="id,speed\nvan,1\n", stops=STOPS):
    files = (stops.format(*cells).encode(), vehicles.encode())
    return remarks(problem_from_csv(*files, "", "stops.csv", "v.csv"))


def test_hours_that_could_be_hours_and_minutes():
    assert told("6.00", "8.30", "10.00", "0.5", "9.15", "11.00", "0.25") == [
        "open: 8.30 is read as 8.3 hours (8:18). If it is 8:30, write it with a colon."
    ]


def test_lengths_that_could_be_hours_and_minutes():
    (remark,) = told("", "", "", "0.15", "", "", "1.30")
    assert remark == (
        "service: 0.15 is read as 0.15 hours (9 min). If it is 15 min, give minutes, in a column "
        "called service minutes."
    )


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("8.3", "10", "8.3 is read as 8.3 hours (8:18). If it is 8:30"),
        ("8.5", "9.15", "9.15 is read as 9.15 hours (9:09). If it is 9:15"),
        ("8", "7.4", "7.4 is read as 7.4 hours (7:24). If it is 7:40"),
    ],
)
def test_spreadsheets_leave_out_the_last_zeros(first, second, said):
    (remark,) = told("6", first, "", "", second, "", "")
    assert remark == f"open: {said}, write it with a colon."


@pytest.mark.parametrize("second", ["8.75", "8.6", "8.125", "8.25"])
def test_parts_of_hours_are_numbers(second):
    assert told("", "8.5", "", "", second, "", "") == []


def test_lengths_without_the_last_zero():
    (remark,) = told("", "", "", "0.3", "", "", "1")
    assert remark.startswith("service: 0.3 is read as 0.3 hours (18 min). If it is 30 min,")
    assert told("", "", "", "0.1", "", "", "0.25") == []


@pytest.mark.parametrize("odd", ["8.75", "8.5", "8", "8.125"])
def test_one_number_that_is_no_time_of_day_tells_them_apart(odd):
    assert told("", "8.30", "", "", odd, "", "") == []


def test_whole_hours_and_other_units_are_what_they_are():
    assert told("", "8.00", "10.00", "", "9.00", "11.00", "") == []
    in_minutes = STOPS.replace("service", "service_minutes").replace("open", "open ")
    assert told("", "", "", "5.30", "", "", "7.15", stops=in_minutes) == []


def test_shifts_and_several_windows():
    shifts = "id,speed,shift start,shift end\nvan,1,7.30,18.00\n"
    (remark,) = told("", "", "", "", "", "", "", vehicles=shifts)
    assert remark.startswith("shift start: 7.30 is read as 7.3 hours (7:18).")
    windows = "kind,id,x,y,windows\ndepot,,0,0,\n,a,1,0,8.30/10.00; 14.15/16.00\n"
    (remark,) = told(stops=windows)
    assert remark.startswith("windows: 8.30 is read")
