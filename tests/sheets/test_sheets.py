import csv
import io
import json

import pytest
from openpyxl import load_workbook

from geopar.errors import InputError
from geopar.plan import Plan
from geopar.problems.day import Day
from geopar.sheets import FORMATS, sheet_bytes, write_sheets
from geopar.sheets.workbook import HEADER_ROW
from instances import corridor, plan_of, square, town

PLAN = plan_of({"red": [["east", "north"]], "blue": [["south", "west"]]})
TOWN_PLAN = Plan.from_indices(town(), [[[0, 1], [2]], [[3, 4]]], None)


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_is_written(format, tmp_path) -> None:
    out = tmp_path / f"day.{format}"
    assert write_sheets(town(), TOWN_PLAN, out) == [out]
    assert out.read_bytes() == sheet_bytes(town(), TOWN_PLAN, format) or format == "xlsx"
    assert out.stat().st_size > 100


def test_a_spreadsheet_has_a_sheet_for_each_vehicle() -> None:
    book = load_workbook(io.BytesIO(sheet_bytes(square(), PLAN, "xlsx")))
    assert book.sheetnames == ["red", "blue"]
    assert [cell.value for cell in book["blue"]["G"]][HEADER_ROW - 1 :] == [
        "Stop", "Leave the depot", "south", "west", "Back at the depot",
    ]  # fmt: skip


def test_only_some_vehicles() -> None:
    text = sheet_bytes(square(), PLAN, "csv", vehicles=["blue"]).decode()
    assert {row["vehicle"] for row in csv.DictReader(io.StringIO(text))} == {"blue"}
    shown = json.loads(sheet_bytes(square(), PLAN, "geojson", vehicles=["blue"]))
    found = {one["properties"].get("vehicle") for one in shown["features"]}
    assert found == {None, "blue"}


def test_a_file_for_each_vehicle_even_of_names_alike(tmp_path) -> None:
    problem = square().replace(vehicle_ids=("van/1", "van:1"))
    plan = plan_of({"van/1": [["east"]], "van:1": [["north"]]})
    written = write_sheets(problem, plan, tmp_path / "day.csv", each=True)
    assert [path.name for path in written] == ["day-van-1.csv", "day-van-1-2.csv"]
    assert all(path.exists() for path in written)


def test_a_plan_that_breaks_rules_says_so_on_paper() -> None:
    plan = plan_of({"red": [["east", "north", "west"]]})
    page = sheet_bytes(square(), plan).decode()
    assert "This plan breaks rules" in page
    assert "This plan breaks rules" not in sheet_bytes(square(), PLAN).decode()


@pytest.mark.parametrize("name", ["day.pdf", "day"])
def test_other_suffixes_are_refused_and_nothing_is_written(name, tmp_path) -> None:
    with pytest.raises(InputError, match="unknown-format"):
        write_sheets(square(), PLAN, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_faults_leave_nothing_half_written(tmp_path) -> None:
    with pytest.raises(InputError, match="not-on-earth"):
        write_sheets(square(), PLAN, tmp_path / "day.gpx", each=True)
    assert list(tmp_path.iterdir()) == []


def test_other_formats_and_other_kinds_of_plans_are_refused() -> None:
    with pytest.raises(InputError, match="unknown-format"):
        sheet_bytes(square(), PLAN, "pdf")
    with pytest.raises(InputError, match="kind"):
        sheet_bytes(corridor(), PLAN)


def test_what_a_plan_is_said_to_cost_is_nothing_to_drivers() -> None:
    claimed = Plan(PLAN.kind, PLAN.routes, objective=99.0)
    assert sheet_bytes(square(), claimed) == sheet_bytes(square(), PLAN)


def test_left_out_is_told_to_who_prints_all_sheets_and_not_to_one_driver() -> None:
    problem = square().replace(day=Day(longest=[2.5, 2.5]))
    plan = plan_of({"red": [["east"]], "blue": [["north"]]})
    page = sheet_bytes(problem, plan).decode()
    assert "<h1>Not served</h1>" in page
    assert "<td>west</td>" in page
    assert "Not served" not in sheet_bytes(problem, plan, vehicles=["red"]).decode()
