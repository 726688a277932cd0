"""The page on paper."""

import pytest
from playwright.sync_api import expect

# Whether the canvas has the first two colours of the light palette, and how wide it is.
ON_PAPER = """(canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const has = (red, green, blue) => {
    for (let i = 0; i < data.length; i += 4)
      if (data[i] === red && data[i + 1] === green && data[i + 2] === blue) return true;
    return false;
  };
  return [has(0, 114, 178), has(213, 94, 0), canvas.width];
}"""


def print_preview(page):
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")


def screen_again(page):
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_map_is_on_the_paper(planned, theme):
    page = planned(theme=theme)
    before = page.locator("#map").screenshot()
    print_preview(page)
    # Chromium prints a canvas above another one as white.
    (canvas,) = page.locator("#map canvas:visible").all()
    assert canvas.evaluate(ON_PAPER) == [True, True, 3 * 780]
    screen_again(page)
    assert page.locator("#map").screenshot() == before
    assert page.pdf(format="A4").startswith(b"%PDF")
    assert page.locator("#map").screenshot() == before


def test_who_is_followed_is_on_the_paper_above_the_others(planned):
    page = planned()
    page.select_option("#stops-of", "1")
    print_preview(page)
    (canvas,) = page.locator("#map canvas:visible").all()
    assert canvas.evaluate(ON_PAPER)[:2] == [False, True]  # the other one is pale


CORNER = """() => [...document.querySelector("#schedule canvas").getContext("2d")
  .getImageData(0, 0, 400, 60).data].filter((_, i) => i % 4 === 3).some((alpha) => alpha > 0)"""


def test_paper_is_white_whatever_the_screen_is(planned):
    page = planned(theme="dark")
    dark = page.evaluate("getComputedStyle(document.body).color")
    print_preview(page)
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    assert page.evaluate("getComputedStyle(document.body).color") != dark
    assert page.evaluate(CORNER)
    screen_again(page)
    assert page.evaluate("getComputedStyle(document.body).color") == dark


def test_on_paper_there_are_no_controls(planned):
    page = planned()
    page.select_option("#stops-of", "0")
    print_preview(page)
    for hidden in ("#setup", "#download-panel", "#stops-of", "header a", "#legend summary"):
        expect(page.locator(hidden)).to_be_hidden()
    expect(page.locator("#table")).to_be_visible()
    expect(page.get_by_text("the more it gets")).to_be_visible()


def test_the_stops_of_everybody_or_of_one_are_on_the_paper(planned):
    page = planned()
    names, rows = page.locator("#stops h3"), page.locator("#stops tbody tr[data-task]:visible")
    print_preview(page)
    expect(names).to_have_text(["red", "blue"])
    expect(rows).to_have_count(4)
    screen_again(page)
    expect(names).to_have_count(0)
    expect(rows).to_have_count(0)
    page.select_option("#stops-of", "1")
    print_preview(page)
    expect(names).to_have_text(["blue"])
    expect(rows).to_have_count(2)
    screen_again(page)
    expect(rows).to_have_count(2)
    expect(page.locator("#stops button.stop")).to_have_text(["c", "d"])
