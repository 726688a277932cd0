import re
from datetime import date
from html.parser import HTMLParser

from geopar.plan import Plan
from geopar.problems import HCVRP
from geopar.problems.day import Day
from geopar.sheets.content import sheets_of
from geopar.sheets.gone import Gone, HandedOver, Served
from geopar.sheets.html import Remarks, sheets_html
from instances import plan_of, square, town

PLAN = plan_of({"red": [["east", "north"], ["west"]], "blue": [["south"]]})


class Tags(HTMLParser):
    """Which elements there are, and whether they are closed."""

    VOID = frozenset({"meta", "link", "img", "br", "col"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs) -> None:
        self.seen.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs) -> None:
        self.seen.append(tag)


def test_one_section_for_each_vehicle_and_one_table_for_each_trip() -> None:
    tags = Tags(sheets_html(square(), sheets_of(square(), PLAN)))
    assert tags.open == []
    assert tags.seen.count("section") == 2
    assert tags.seen.count("table") == 3


def test_text_is_text() -> None:
    problem = square().replace(name="<b>", details={"note": ("<script>alert(1)</script>",) * 4})
    page = sheets_html(problem, sheets_of(problem, PLAN))
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_nothing_comes_from_elsewhere() -> None:
    page = sheets_html(square(), sheets_of(square(), PLAN))
    assert "http" not in page
    assert "src=" not in page


def test_rules_that_are_broken_are_on_every_sheet() -> None:
    remarks = Remarks(broken=["north waits in vain."])
    page = sheets_html(square(), sheets_of(square(), PLAN), remarks)
    assert page.count("north waits in vain.") == 2


def test_who_is_not_served_stands_on_a_sheet_of_its_own() -> None:
    remarks = Remarks(left_out=[("west & wide", "nobody has room for it")])
    page = sheets_html(square(), sheets_of(square(), PLAN), remarks)
    assert Tags(page).open == []
    assert page.count("<section>") == 3
    assert page.count("west &amp; wide") == page.count("nobody has room for it") == 1


def test_the_date_and_the_hours() -> None:
    problem = town().replace(day=Day(clock="2026-11-17T00:00:00", loading=0.25))
    plan = Plan.from_indices(problem, [[[0]], [[1, 2]]], None)
    page = sheets_html(problem, sheets_of(problem, plan))
    assert "Tuesday, 17 November 2026" in page
    assert "00:15" in page


def test_what_a_driver_has_to_know() -> None:
    """Amounts by name, what to take along, windows, the depot's address, who drives."""
    problem = HCVRP(
        (0, 0), [(0.5, 0)], [20], [100], [1], customer_ids=("baker",), vehicle_ids=("van",),
        vehicle_details={"driver": ("Ann",)}, load_names=("parcels", "kg"),
        depot_details={"Name": "Warehouse 3", "address": "Dock 1"},
        day=Day(
            clock="HH:MM", windows=[[(9.0, 10.0)]],
            extra_demand=[[1.5]], extra_capacity=[[10]],
        ),
    )  # fmt: skip
    page = sheets_html(problem, sheets_of(problem, plan_of({"van": [["baker"]]})))
    for text in (
        "<h1>van · Ann</h1>", "Leave at <b>08:30</b>", "take along <b>parcels 20, kg 1.5</b>",
        "<th>Window</th>", "09:00–10:00", "parcels 20<br>kg 1.5",
        "<b>Warehouse 3</b> · Leave the depot", "address: Dock 1",
        "<b>Warehouse 3</b> · Back at the depot",
    ):  # fmt: skip
        assert text in page
    assert page.count("address: Dock 1") == 1
    # A second page of paper begins with it.
    (head,) = re.findall("<thead>(.*?)</thead>", page)
    assert head.startswith('<tr class="whose"><th colspan="8">van · Ann</th></tr>')
    assert head.count("</th>") == 1 + 8


def test_pages_of_several_trips_are_told_apart() -> None:
    plan = plan_of({"red": [["east"], ["west"]]})
    page = sheets_html(square(), sheets_of(square(), plan))
    assert re.findall('class="whose"><th colspan="[0-9]">(.*?)<', page) == [
        "red · trip 1", "red · trip 2"
    ]  # fmt: skip


def test_columns_without_anything_in_them_are_left_out() -> None:
    problem = square().replace(demand=[0.0] * 4)
    page = sheets_html(problem, sheets_of(problem, PLAN))
    assert "Window" not in page
    assert "On board" not in page


def test_what_may_still_change_says_so_on_every_sheet() -> None:
    sheets = sheets_of(square(), PLAN)
    assert sheets_html(square(), sheets, preliminary=True).count("Preliminary:") == 2
    assert "Preliminary:" not in sheets_html(square(), sheets)


def test_a_plan_of_nothing_says_so() -> None:
    page = sheets_html(square(), [])
    assert "No vehicle has anything to do." in page


def test_names_come_first() -> None:
    problem = square().replace(details={"name": ("Baker", "", "", ""), "phone": ("1",) * 4})
    page = sheets_html(problem, sheets_of(problem, PLAN))
    assert "<b>Baker</b> · east" in page
    same = square().replace(details={"name": ("east", "", "", "")})
    assert "<td><b>east</b></td>" in sheets_html(same, sheets_of(same, PLAN))
    assert "name:" not in page
    assert "phone: 1" in page


def test_vehicles_without_work_are_one_line_and_no_page() -> None:
    plan = plan_of({"red": [["east"]]})
    page = sheets_html(square(), sheets_of(square(), plan), Remarks(idle=["blue & co", "green"]))
    assert Tags(page).open == []
    assert page.count("<section>") == 1
    assert page.count("Nothing to do: blue &amp; co, green.") == 1


def test_a_vehicle_that_is_asked_for_and_has_no_work_is_that_line_too() -> None:
    plan = plan_of({"red": [["east"]]})
    page = sheets_html(square(), sheets_of(square(), plan, ["blue"]))
    assert "<section>" not in page
    assert "Nothing to do: blue." in page
    assert "square" in page


def test_a_date_is_on_every_sheet() -> None:
    page = sheets_html(square(), sheets_of(square(), PLAN), date=date(2026, 11, 19))
    assert page.count("Thursday, 19 November 2026") == 2


def test_who_is_out_of_service_has_a_sheet_that_says_so() -> None:
    over = (HandedOver("a & b", True, "blue"), HandedOver("c", False, ""))
    gone = Gone("green", "Ann", "Out of service from 12:00.", (Served("08:15", "d"),), over)
    page = sheets_html(square(), sheets_of(square(), PLAN), Remarks(gone=[gone]))
    assert Tags(page).open == []
    assert page.count("<section>") == 3
    assert "<h1>green · Ann</h1>" in page
    assert "<td>a &amp; b</td><td>yes</td><td>blue</td>" in page
    assert "<td>c</td><td></td><td>nobody</td>" in page
    assert '<td class="time">08:15</td><td>d</td>' in page
    bare = sheets_html(square(), [], Remarks(gone=[Gone("green", "", "Out of service.")]))
    assert "<table>" not in bare
    assert "Out of service." in bare
