import re
import struct

import pytest
from playwright.sync_api import expect

from browser import driving

# For every visible text: its contrast with what is behind it (WCAG 2.2, relative luminance).
CONTRASTS = """() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const part = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const behind = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const colour = parse(getComputedStyle(each).backgroundColor);
      if (colour.length < 4 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if ((!own && !element.matches("input, select")) || !element.checkVisibility()) continue;
    const [a, b] = [parse(getComputedStyle(element).color), behind(element)].map(light);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    found.push([ratio, element.id || element.textContent.trim().slice(0, 30)]);
  }
  return found;
}"""

COLOURS = """() => {
  const canvas = document.querySelector("#map canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const seen = new Set();
  const colour = (i) => (data[i] << 16) | (data[i + 1] << 8) | data[i + 2];
  for (let i = 0; i < data.length; i += 4) seen.add(colour(i));
  return seen.size;
}"""

SIDEWAYS = """() => document.documentElement.scrollWidth - document.documentElement.clientWidth"""


@pytest.fixture
def solved(open_page):
    def make(**how):
        page = open_page(**how)
        page.locator("#empty-deliveries").click()
        expect(page.locator("#start")).to_be_enabled()
        driving.solve(page, "refine", 0.5)
        return page

    return make


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_all_text_can_be_read(solved, theme):
    page = solved(theme=theme)
    driving.drop(page, {"bad.json": b'{"problem": "hcvrp"}'})
    expect(page.locator("#complaint li").first).to_be_visible()
    page.hover("#table tbody tr:nth-child(2)")
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) > 60
    assert [found for found in contrasts if found[0] < 4.5] == []


def test_the_theme_can_be_chosen_and_is_kept(solved):
    page = solved(theme="light")
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("#theme")
    after = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert after != before
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == after


def test_on_a_phone_nothing_runs_off_the_side(solved):
    page = solved(width=375, height=740, has_touch=True, is_mobile=True)
    assert page.evaluate(SIDEWAYS) == 0
    driving.solve(page, "dispatch")
    page.locator("#runs .compare:enabled").first.click()
    expect(page.locator("#pane-b")).to_be_visible()
    assert page.evaluate(SIDEWAYS) == 0
    driving.unfold(page, "#solve-more")
    page.click("#trace")
    expect(page.locator("#construction")).to_be_visible()
    assert page.evaluate(SIDEWAYS) == 0
    driving.drop(page, {"a-rather-long-name-of-a-file.json": b'{"problem": "hcvrp"}'})
    expect(page.locator("#complaint")).to_be_visible()
    assert page.evaluate(SIDEWAYS) == 0


def test_the_construction_is_stepped_through(open_page):
    page = open_page()
    driving.generate(page, 40)
    expect(page.locator("#start")).to_be_enabled()
    driving.unfold(page, "#solve-more")
    page.click("#trace")
    expect(page.locator("#construction")).to_be_visible()
    page.keyboard.press("Space")  # the focus is on the button: pause
    page.click("#step-first")
    words, log = page.locator("#step-words"), page.locator("#step-log li")
    expect(words).to_have_text(re.compile(r"^Step 0 of \d+$"))
    expect(log).to_have_count(0)
    page.keyboard.press(".")
    expect(words).to_have_text(re.compile("^Step 1 of"))
    expect(log.filter(has_text="→").first).to_be_visible()
    stops = page.locator("#table tbody td:nth-child(4)")
    assert 0 < sum(map(int, stops.all_inner_texts())) <= 5
    page.click("#step-last")
    # The table is drawn a moment after the click.
    page.wait_for_function(
        """() => Array.from(document.querySelectorAll("#table tbody td:nth-child(4)"))
            .reduce((sum, cell) => sum + Number(cell.innerText), 0) === 40"""
    )
    page.click("#step-close")
    expect(page.locator("#construction")).to_be_hidden()
    expect(page.locator("#headline-value")).to_have_text("–")


def test_the_construction_plays_and_pauses(open_page):
    page = open_page()
    page.click("#empty-couriers")
    expect(page.locator("#start")).to_be_enabled()
    driving.unfold(page, "#solve-more")
    page.click("#trace")
    expect(page.locator("#play")).to_have_attribute("aria-label", "Pause")
    expect(page.locator("#step-words")).to_have_text(re.compile("^Step 2 of"))
    page.click("#play")
    expect(page.locator("#play")).to_have_attribute("aria-label", "Play")


def test_two_runs_side_by_side(solved):
    page = solved()
    driving.solve(page, "dispatch")
    page.locator("#runs .compare:enabled").first.click()
    expect(page.locator("#caption-a")).to_contain_text("dispatch")
    expect(page.locator("#caption-b")).to_contain_text("refine")
    expect(page.locator("#headline-change")).to_contain_text("against B")
    expect(page.locator("#table thead th")).to_have_text(["Vehicle", "A", "B", "B to A"])
    widths = [page.locator(f"#{map_}").bounding_box()["width"] for map_ in ("map", "map-b")]
    assert abs(widths[0] - widths[1]) <= 1
    page.locator("#runs .compare[aria-pressed=true]").click()
    expect(page.locator("#pane-b")).to_be_hidden()


def test_a_vehicle_is_followed_by_mouse_and_by_keyboard(solved):
    page = solved()
    page.hover("#table tbody tr:nth-child(3)")
    expect(page.locator("#map")).to_have_class(re.compile("following"))
    page.mouse.move(5, 5)
    expect(page.locator("#map")).not_to_have_class(re.compile("following"))
    page.locator("#map").focus()
    page.keyboard.press("]")
    page.keyboard.press("]")
    followed = page.locator("#table tr.followed")
    expect(followed).to_contain_text("van 1")
    expect(page.locator("#live")).to_contain_text("van 1")
    page.keyboard.press("Escape")
    expect(followed).to_have_count(0)
    box = page.locator("#schedule").bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 40)
    expect(page.locator("#tip")).to_contain_text("truck")


def test_all_of_it_without_a_mouse(open_page):
    page = open_page()
    page.locator("#open").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # the example of deliveries
    expect(page.locator("#start")).to_be_enabled()
    page.fill("#limit", "0.5")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#live")).to_contain_text("Planning finished")
    page.locator("#map").focus()
    page.keyboard.press("+")
    expect(page.locator("#map")).to_have_class(re.compile("zoomed"))
    page.keyboard.press("0")
    expect(page.locator("#map")).not_to_have_class(re.compile("zoomed"))
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()


def test_the_table_sorts(solved):
    page = solved()
    finish = page.locator("#table thead button", has_text="Home")
    finish.click()
    values = page.locator("#table tbody td.share")
    shown = [driving.hours(text) for text in values.all_inner_texts()]
    assert shown == sorted(shown, reverse=True)
    # The page computes times by itself: its latest vehicle is what the service calls the objective.
    assert abs(shown[0] - driving.objective(page)) <= 0.5 / 60 + 1e-9
    expect(page.locator("#table thead th:nth-child(2)")).to_have_attribute(
        "aria-sort", "descending"
    )


def test_the_picture_is_a_png(solved, tmp_path):
    picture = driving.save(solved(), "#save-picture", tmp_path)
    data = picture.read_bytes()
    assert picture.name == "A-day-of-deliveries.png"
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    assert width == 2400
    assert height > 2000
    assert len(data) > 50_000


def test_five_thousand_tasks(open_page):
    page = open_page()
    driving.generate(page, 5000, 100)
    expect(page.locator("#title")).to_contain_text("5,000 stops, 100 vehicles")
    plain = page.evaluate(COLOURS)
    driving.solve(page, "dispatch")
    assert page.evaluate(COLOURS) > plain + 100
    box = page.locator("#map").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.wheel(0, -600)
    expect(page.locator("#map")).to_have_class(re.compile("zoomed"))
    page.mouse.down()
    page.mouse.move(box["x"] + 100, box["y"] + 100, steps=8)
    page.mouse.up()
    assert page.evaluate(COLOURS) > 50


def test_columns_that_are_not_understood_are_said(open_page):
    page = open_page()
    stops = b"id,x,y,Time windw from\ndepot,0,0,\na,1,1,08:00\n"
    driving.drop(page, {"stops.csv": stops, "vehicles.csv": b"id,capacity,speed\nvan,5,1\n"})
    remark = page.locator("#remarks li").first
    expect(remark).to_contain_text("Time windw from is known to nobody here")
    expect(remark).to_contain_text("Maybe time_window_from.")
    page.click("#example-deliveries")
    expect(page.locator("#title")).to_contain_text("A day of deliveries")
    expect(page.locator("#remarks")).to_be_hidden()
