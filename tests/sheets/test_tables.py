from geopar.sheets.content import sheets_of
from geopar.sheets.tables import HEADER, sheet_cells
from instances import plan_of, square

PLAN = plan_of({"red": [["east", "north"], ["west"]], "blue": [["south"]]})


def test_one_row_for_each_stop_with_what_is_told() -> None:
    problem = square().replace(
        details={"phone": ("1", "", "3", "")}, depot_details={"address": "Dock 1"}
    )
    header, *rows = sheet_cells(problem, sheets_of(problem, PLAN))
    assert header == [*HEADER, "amount", "on board", "address", "phone"]
    at = header.index
    told = [
        (row[0], row[at("trip")], row[at("stop")], row[at("amount")], row[at("on board")], row[-1])
        for row in rows
    ]
    assert told[:4] == [
        ("red", "1", "Leave the depot", "", 2.0, ""),
        ("red", "1", "east", 1.0, 1.0, "1"),
        ("red", "1", "north", 1.0, 0.0, ""),
        ("red", "1", "Back at the depot", "", 0.0, ""),
    ]
    assert [row[at("stop")] for row in rows[4:]] == [
        "Leave the depot", "west", "Back at the depot",
        "Leave the depot", "south", "Back at the depot",
    ]  # fmt: skip
    assert {row[at("address")] for row in rows} == {"Dock 1", ""}


def test_every_dimension_has_its_columns() -> None:
    problem = square().replace(load_names=("parcels",))
    header, *_ = sheet_cells(problem, sheets_of(problem, PLAN))
    assert header[-2:] == ["parcels", "on board"]


def test_a_plan_of_nothing_is_a_header() -> None:
    assert sheet_cells(square(), []) == [list(HEADER)]
