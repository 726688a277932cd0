"""Spreadsheets: two sheets that are found, and files that are refused."""

import io
import zipfile
from typing import Any

import pytest

from geopar.errors import Faults, InputError
from geopar.files import spreadsheet
from geopar.files.spreadsheet import tables_from_xlsx, workbook_of

openpyxl = pytest.importorskip("openpyxl")

STOPS: list[list[Any]] = [["id", "x"], ["a", 1]]
VANS: list[list[Any]] = [["id", "capacity"], ["van", 5]]


def read(data: bytes) -> Any:
    faults = Faults()
    found = tables_from_xlsx(faults, data, "day.xlsx")
    faults.raise_if_any()
    return found


def codes(data: bytes) -> list[str]:
    with pytest.raises(InputError) as caught:
        read(data)
    return [fault.code for fault in caught.value.faults]


def cells(table: Any) -> list[list[str]]:
    return [list(row) for row in table.rows]


@pytest.mark.parametrize(
    "titles",
    [("stops", "vehicles"), ("Customers", " Fleet "), ("Monday", "Tuesday")],
    ids=["by name", "by another name", "the first two"],
)
def test_stops_and_vehicles(titles):
    stops, vehicles = read(workbook_of(dict(zip(titles, (STOPS, VANS), strict=True))))
    assert cells(stops) == [["a", "1"]]
    assert cells(vehicles) == [["van", "5"]]


def test_names_come_before_places():
    data = workbook_of({"notes": [["hello"]], "vehicles": VANS, "stops": STOPS})
    stops, vehicles = read(data)
    assert (cells(stops), cells(vehicles)) == ([["a", "1"]], [["van", "5"]])


def test_one_sheet_is_not_enough():
    assert codes(workbook_of({"stops": STOPS})) == ["missing-sheet"]


def test_empty_cells_behind_a_row_and_empty_rows_are_nothing():
    data = workbook_of({"stops": [*STOPS, ["", ""], ["b", 2, "", " "]], "vehicles": VANS})
    stops, _ = read(data)
    assert cells(stops) == [["a", "1"], ["b", "2"]]


@pytest.mark.parametrize("text", ["=1+1", "+1", "@x", "0012", "\x01a", "Å 北"])
def test_texts_stay_texts(text):
    data = workbook_of({"stops": [["id"], [text]], "vehicles": VANS})
    stops, _ = read(data)
    assert cells(stops) == [[text.replace("\x01", "")]]
    cell = openpyxl.load_workbook(io.BytesIO(data))["stops"]["A2"]
    assert cell.data_type == "s"


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"no archive", b"\xd0\xcf\x11\xe0old"])
def test_what_is_no_spreadsheet(data):
    assert codes(data) == ["bad-xlsx"]


def test_an_archive_of_something_else():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    assert codes(file.getvalue()) == ["bad-xlsx"]


def test_what_would_unpack_to_too_much_is_told_once_and_not_unpacked(
    monkeypatch: pytest.MonkeyPatch,
):
    data = workbook_of({"stops": STOPS, "vehicles": VANS})
    monkeypatch.setattr(spreadsheet, "MOST_BYTES", 100)
    monkeypatch.setattr(zipfile.ZipFile, "read", None)
    assert codes(data) == ["too-large"]


def test_too_many_rows(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(spreadsheet, "MOST_LINES", 2)
    assert codes(workbook_of({"stops": [*STOPS, ["b", 2]], "vehicles": VANS})) == ["too-large"]


def test_merged_cells_are_named():
    book = openpyxl.load_workbook(io.BytesIO(workbook_of({"stops": STOPS, "vehicles": VANS})))
    book["vehicles"].merge_cells("A2:A3")
    book["stops"].merge_cells("B2:C2")
    file = io.BytesIO()
    book.save(file)
    with pytest.raises(InputError) as caught:
        read(file.getvalue())
    assert [(one.code, one.field, one.value) for one in caught.value.faults] == [
        ("merged-cells", "day.xlsx sheet stops", "'B2:C2'"),
        ("merged-cells", "day.xlsx sheet vehicles", "'A2:A3'"),
    ]
