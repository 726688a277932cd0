from html.parser import HTMLParser

from geopar.plan import Plan
from geopar.problems.day import Day
from geopar.sheets.content import sheets_of
from geopar.sheets.page import sheets_html
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
    page = sheets_html(square(), sheets_of(square(), PLAN), ["north waits in vain."])
    assert page.count("north waits in vain.") == 2


def test_the_date_and_the_hours() -> None:
    problem = town().replace(day=Day(clock="2026-11-17T00:00:00", loading=0.25))
    plan = Plan.from_indices(problem, [[[0]], [[1, 2]]], None)
    page = sheets_html(problem, sheets_of(problem, plan))
    assert "Tuesday, 17 November 2026" in page
    assert "00:15" in page


def test_a_plan_of_nothing_says_so() -> None:
    page = sheets_html(square(), [])
    assert "No vehicle has anything to do." in page


def test_names_come_first() -> None:
    problem = square().replace(details={"name": ("Baker", "", "", ""), "phone": ("1",) * 4})
    page = sheets_html(problem, sheets_of(problem, PLAN))
    assert "<b>Baker</b> · east" in page
    assert "name:" not in page
    assert "phone: 1" in page
