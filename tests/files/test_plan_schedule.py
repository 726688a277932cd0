"""Plans as rows, in JSON, CSV and spreadsheets."""

import csv

import openpyxl
import pytest

import instances
from geopar.errors import InputError
from geopar.files import plan_from_json, plan_to_json, read_plan, write_plan
from geopar.files.plan_schedule import schedule_cells, schedule_rows
from geopar.plan import Plan
from geopar.problems.day import Day


def day_of_the_square():
    square = instances.square().replace(
        details={"phone": ["1", "", "", ""]},
        day=Day(service=[0.25] * 4, available=[(8, 20)] * 2, loading=0.5, clock="HH:MM"),
    )
    return square, Plan.from_indices(square, [[[0], [1]], [[2, 3]]], 3.5)


def test_rows_tell_when_who_is_where():
    problem, plan = day_of_the_square()
    rows = schedule_rows(problem, plan)
    stops = ["", "east", "", "north", "", "", "west", "south", ""]
    assert [row["stop"] for row in rows] == stops
    first = rows[1]
    assert (first["vehicle"], first["trip"], first["position"]) == ("red", 1, 1)
    assert (first["service"], first["departure"] - first["arrival"]) == (0.25, 0.25)
    assert first["details"] == {"phone": "1"}
    assert first["arrives"].count(":") >= 1
    assert rows[2]["action"] == "end"


def test_drivers_are_told_when_to_leave():
    problem, plan = day_of_the_square()
    row = schedule_rows(problem, plan)[0]
    assert (row["action"], row["position"], row["load"]) == ("start", 0, 1.0)
    assert (row["arrives"], row["service"], row["leaves"]) == ("08:00", 0.5, "08:30")


def test_what_is_told_of_vehicles_is_passed_on():
    named = instances.square().replace(vehicle_details={"driver": ["Ann", ""]})
    plan = Plan.from_indices(named, [[[0]], [[1, 2, 3]]])
    starts = [row for row in schedule_rows(named, plan) if row["action"] == "start"]
    assert [row.get("details") for row in starts] == [{"driver": "Ann"}, None]
    cells = schedule_cells(named, plan)
    assert (cells[0][-1], cells[1][-1], cells[2][-1]) == ("driver", "Ann", "")


def test_orders_have_actions():
    corridor = instances.corridor()
    plan = Plan.from_indices(corridor, [[[0, 3]], [[1, 4, 2, 5]]])
    rows = schedule_rows(corridor, plan)
    assert [(row["stop"], row["action"]) for row in rows[:2]] == [
        ("a", "pickup"),
        ("a", "delivery"),
    ]
    assert "arrives" not in rows[0]


def test_a_plan_with_its_schedule_comes_back():
    problem, plan = day_of_the_square()
    value = plan_to_json(plan, problem)
    assert len(value["schedule"]) == 9
    assert plan_from_json(value) == plan


@pytest.mark.parametrize("suffix", ["json", "csv", "xlsx"])
def test_files(tmp_path, suffix):
    problem, plan = day_of_the_square()
    path = tmp_path / f"plan.{suffix}"
    write_plan(plan, path, problem)
    cells = schedule_cells(problem, plan)
    assert cells[0][-1] == "phone"
    if suffix == "json":
        assert read_plan(path, problem) == plan
        return
    if suffix == "csv":
        with path.open(newline="") as file:
            assert list(csv.reader(file)) == [[str(cell) for cell in row] for row in cells]
    else:
        rows = openpyxl.load_workbook(path)["schedule"].iter_rows(values_only=True)
        assert [[cell or "" for cell in row] for row in rows] == [
            [c or "" for c in r] for r in cells
        ]
    with pytest.raises(InputError, match="only written"):
        read_plan(path, problem)
