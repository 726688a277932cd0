"""No findings of axe-core, which `make test-browser` fetches."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser import driving

AXE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"
FINDINGS = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
  .map((each) => [each.id, each.help, each.nodes.map((node) => node.target.join(" "))])"""

pytestmark = pytest.mark.skipif(not AXE.is_file(), reason="no axe-core: `make test-browser`")


def findings(page):
    page.evaluate(AXE.read_text())
    return page.evaluate(FINDINGS)


@pytest.mark.parametrize(("theme", "width"), [("light", 1360), ("dark", 1360), ("light", 390)])
def test_axe_finds_nothing(open_page, theme, width):
    # The page's own policy would keep the checker out.
    page = open_page(theme=theme, width=width, bypass_csp=True)
    assert findings(page) == []
    page.click("#example-day")
    expect(page.locator("#start")).to_be_enabled()
    driving.solve(page, "refine", 0.5)
    driving.unfold(page, "#more")
    page.select_option("#stops-of", "0")
    page.locator("#stops button.stop").first.click()
    expect(page.locator("#stops .edit")).to_be_visible()
    page.get_by_label("Not before").fill("08:00")
    page.get_by_role("button", name="Another window").click()
    page.locator("#runs .rename").first.click()
    expect(page.get_by_label("Name of the plan")).to_be_focused()
    assert findings(page) == []
    page.keyboard.press("Escape")
    page.locator("#stops .edit select").select_option("bike 1")
    expect(page.locator("#progress-words")).to_have_text(re.compile("^Changed by hand"))
    # The page went along to the bike; the stop may need a van, and such a route cannot be locked.
    page.select_option("#stops-of", "0")
    page.click("#lock-own")
    expect(page.locator("#table .lock:visible")).to_have_count(1)
    assert findings(page) == []
    page.locator("#runs .remove").first.click()
    expect(page.locator("#removal")).to_be_visible()
    assert findings(page) == []


@pytest.mark.parametrize(("theme", "width"), [("light", 1360), ("dark", 390)])
def test_axe_finds_nothing_in_the_rest_of_a_day_and_on_sheets(open_page, theme, width):
    page = open_page(theme=theme, width=width, bypass_csp=True)
    page.click("#example-day")
    expect(page.locator("#start")).to_be_enabled()
    driving.solve(page, "refine", 0.5)
    page.click("#legend summary")
    driving.unfold(page, "#replan-fold")
    driving.unfold(page, "#download-panel details")
    assert findings(page) == []
    page.fill("#replan-now", "10:30")
    page.locator("#replan-out").get_by_label("van 2").click()
    page.get_by_role("button", name="Plan the rest of the day").click()
    expect(page.locator("#progress-words")).to_have_text(re.compile("^Finished"))
    expect(page.locator("#remarks li", has_text="van 2:")).to_contain_text("gives")
    page.locator("#runs .compare").nth(1).click()
    expect(page.locator("#pane-b")).to_be_visible()
    assert findings(page) == []
    with page.expect_popup() as popup:
        page.click("#sheet")
    sheets = popup.value
    expect(sheets.locator("h1", has_text="van 2")).to_be_visible()
    assert findings(sheets) == []


def test_axe_finds_nothing_in_a_construction(open_page):
    page = open_page(bypass_csp=True)
    page.click("#example-couriers")
    expect(page.locator("#start")).to_be_enabled()
    driving.unfold(page, "#solve-more")
    page.click("#trace")
    expect(page.locator("#construction")).to_be_visible()
    page.click("#step-speed")
    expect(page.locator("#step-speed")).to_have_accessible_name(re.compile(r"^Speed \S+×$"))
    assert findings(page) == []
