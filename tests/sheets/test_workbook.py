import io
from datetime import date, datetime, time, timedelta
from typing import Any

import pytest
from openpyxl import load_workbook

from geopar.problems import HCVRP
from geopar.problems.day import Day
from geopar.sheets.content import sheets_of
from geopar.sheets.gone import Gone, HandedOver, Served
from geopar.sheets.workbook import HEADER_ROW, sheets_workbook, title_of
from instances import plan_of, square


def _town(clock: str | None = "HH:MM") -> HCVRP:
    """Half an hour to the baker, served in a window; one van with a driver."""
    return HCVRP(
        (0, 0), [(0.5, 0)], [20], [100], [1], customer_ids=("baker",), vehicle_ids=("van",),
        name="Monday", details={"note": ("=1+1",)}, vehicle_details={"driver": ("Ann",)},
        depot_details={"name": "Warehouse 3"}, load_names=("Parcels",),
        day=Day(clock=clock, service=[0.2], available=[(8.0, 12.0)], windows=[[(9.0, 10.0)]]),
    )  # fmt: skip


def _page(problem: HCVRP, **options: Any):
    sheets = sheets_of(problem, plan_of({"van": [["baker"]]}))
    (page,) = load_workbook(io.BytesIO(sheets_workbook(problem, sheets, **options))).worksheets
    return page


def _column(page, name: str) -> list:
    header = [cell.value for cell in page[HEADER_ROW]]
    column = header.index(name) + 1
    return [page.cell(row, column).value for row in range(HEADER_ROW + 1, page.max_row + 1)]


def test_times_are_times_and_numbers_are_numbers() -> None:
    page = _page(_town())
    assert _column(page, "Leave")[0] == time(8, 30)
    assert _column(page, "Arrive")[1] == time(9, 0)
    assert _column(page, "Takes")[1] == timedelta(minutes=12)
    assert _column(page, "No.") == [None, 1, None]
    assert _column(page, "Parcels") == [None, 20, None]
    assert _column(page, "On board") == [20, 0, 0]
    assert _column(page, "Window")[1] == "09:00–10:00"
    assert _column(page, "Stop") == ["Leave the depot", "baker", "Back at the depot"]
    assert _column(page, "Name")[0] == "Warehouse 3"


def test_dates_are_dates_shown_as_the_clock_has_them() -> None:
    page = _page(_town("2026-11-17T00:00:00+01:00"))
    assert _column(page, "Arrive")[1] == datetime(2026, 11, 17, 9, 0)
    shown = [page.cell(HEADER_ROW + 2, column).number_format for column in (3, 6)]
    assert shown == ["hh:mm", "hh:mm"]
    assert "17 November 2026" in page["A2"].value


def test_without_a_clock_times_are_hours_and_minutes_from_the_start() -> None:
    problem = _town(None)
    problem = problem.replace(day=problem.day.replace(time_unit="minutes", clock=None))
    assert _column(_page(problem), "Leave")[0] == timedelta(minutes=9)


def test_numbers_of_no_unit_stay_numbers() -> None:
    sheets = sheets_of(square(), plan_of({"red": [["east"]]}))
    (page,) = load_workbook(io.BytesIO(sheets_workbook(square(), sheets))).worksheets
    assert _column(page, "Arrive")[1] == pytest.approx(1.0)


def test_text_is_never_a_formula() -> None:
    assert _column(_page(_town()), "Note")[1] == "=1+1"
    page = _page(_town())
    header = [cell.value for cell in page[HEADER_ROW]]
    assert page.cell(HEADER_ROW + 2, header.index("Note") + 1).data_type == "s"


def test_who_drives_and_when_stands_above_and_on_every_printed_page() -> None:
    page = _page(_town())
    assert page["A1"].value == "van · Ann"
    assert [cell.value for cell in page[3]][:4] == ["Leave", time(8, 30), "Home by", time(9, 42)]
    assert page.print_title_rows == f"$1:${HEADER_ROW}"
    assert page.page_setup.orientation == "landscape"
    assert page.sheet_properties.pageSetUpPr.fitToPage
    assert page.freeze_panes == f"A{HEADER_ROW + 1}"
    assert page.column_dimensions["G"].width > page.column_dimensions["B"].width


def test_what_may_still_change_says_so() -> None:
    assert "Preliminary" in _page(_town(), preliminary=True)["A2"].value
    assert "Preliminary" not in _page(_town())["A2"].value


def test_titles_are_those_that_spreadsheets_allow_and_differ() -> None:
    first = title_of("a/b:c" + "x" * 40, [])
    second = title_of("A b c" + "x" * 40, [first])
    assert first.lower() != second.lower()
    assert all(len(one) <= 31 and not set(one) & set("[]:*?/\\") for one in (first, second))


def test_a_plan_of_nothing_says_so() -> None:
    (page,) = load_workbook(io.BytesIO(sheets_workbook(square(), []))).worksheets
    assert page["A1"].value == "No vehicle has anything to do."


def test_a_date_stands_beside_the_name() -> None:
    page = _page(_town(), date=date(2026, 11, 19))
    assert page["A2"].value == "Monday · Thursday, 19 November 2026"


def test_who_is_out_of_service_has_a_page_that_says_so() -> None:
    gone = Gone(
        "bike", "Ann", "Out of service.", (Served("08:15", "a"),), (HandedOver("b", True, "van"),)
    )
    (page,) = load_workbook(
        io.BytesIO(sheets_workbook(_town(), [], gone=[gone], date=date(2026, 11, 19)))
    ).worksheets
    assert page.title == "bike"
    assert [[cell.value for cell in row] for row in page.iter_rows(max_col=4)] == [
        ["bike · Ann", None, None, None],
        ["Monday · Thursday, 19 November 2026", None, None, None],
        ["Out of service.", None, None, None],
        [None] * 4,
        ["Stop", "In this vehicle", "Goes to", "Arrived"],
        ["b", "yes", "van", None],
        ["a", None, None, "08:15"],
    ]
