"""From objects to cells: what a table can say, and what it cannot."""

import pytest

from geopar.errors import Faults
from geopar.files.table_cells import cells_of, load_columns
from geopar.files.table_names import STOPS


def cells(*rows, unit="hours", loads=()):
    faults = Faults()
    found = cells_of(faults, rows, unit, STOPS, loads)
    faults.raise_if_any()
    return found


def codes(*rows):
    faults = Faults()
    cells_of(faults, rows, "hours", STOPS)
    return [(fault.code, fault.field) for fault in faults.found]


def test_a_row_has_a_cell_for_every_column_of_any_row():
    assert cells({"id": "a", "x": 1}, {"id": "b", "y": 2}) == [
        ["id", "x", "y"], ["a", 1, ""], ["b", "", 2],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("row", "header", "values"),
    [
        ({"x": None}, ["x"], [""]),
        ({"demand": [1, 2]}, ["demand", "weight"], [1, 2]),
        ({"capacity": [5, 6, 7]}, ["capacity", "weight", "volume"], [5, 6, 7]),
        ({"start": {"lat": 1, "lon": 2}}, ["start_lat", "start_lon"], [1, 2]),
        ({"end": None}, ["end"], ["open"]),
        ({"available": [8, None]}, ["shift_start", "shift_end"], [8, ""]),
        ({"available": None}, [], []),
        ({"windows": [[8, 9], ["10:00", None]]}, ["windows"], ["8/9; 10:00/"]),
        ({"windows": None}, ["windows"], [""]),
        ({"needs": ["lift", "cold"]}, ["needs"], ["lift; cold"]),
        ({"details": {"phone": "1"}, "x": 0}, ["phone", "x"], ["1", 0]),
    ],
)
def test_each_field_as_a_cell(row, header, values):
    assert cells(row) == [header, values]


def test_loads_by_their_own_names():
    assert cells({"demand": [1, 2]}, {"demand": 3}, loads=("kg", "m3")) == [
        ["kg", "m3"], [1, 2], [3, ""],
    ]  # fmt: skip


def test_the_unit_is_said_by_a_name():
    assert cells({"service": 5}, unit="minutes") == [["service_minutes"], [5]]
    # Also where no duration is there to say it.
    assert cells({"x": 1}, unit="seconds") == [["x", "service_seconds"], [1, ""]]
    assert cells({"x": 1}) == [["x"], [1]]


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"demand": [1, 2, 3, 4, 5]}, "demand"),
        ({"details": {"Latitude": "here"}}, "details"),
        ({"phone": "1", "details": {"phone": "2"}}, "details"),
        ({"needs": ["a;b"]}, "needs"),
        ({"needs": ["a|b"]}, "needs"),
        ({"needs": [" "]}, "needs"),
        ({"needs": [1]}, "needs"),
    ],
)
def test_what_no_cell_can_say_is_told(row, field):
    assert codes(row) == [("not-expressible", field)]


@pytest.mark.parametrize(
    ("names", "stops", "vehicles"),
    [
        (["kg"], ["kg"], ["capacity"]),
        (["parcels"], ["parcels"], ["capacity"]),
        (["parcels", "m3"], ["parcels", "m3"], ["capacity", "volume"]),
        (["kg", "m3"], ["kg", "m3"], ["weight", "volume"]),
        (["m3", "kg"], [], []),
        (["crates"], [], []),
        (["kg", "crates"], [], []),
        ([], [], []),
    ],
)
def test_columns_of_loads_are_found_by_a_reader(names, stops, vehicles):
    assert load_columns(names) == (stops, vehicles)
