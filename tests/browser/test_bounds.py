"""How good a plan is, as the page tells it."""

import json
import re

import pytest
from playwright.sync_api import expect

from browser import driving
from browser.line import LINE, PLAN

WORSE = {
    "problem": "hcvrp",
    "routes": [{"vehicle": "red", "trips": [["a"], ["b"], ["c"], ["d"]]}],
}
SHORT = {"problem": "hcvrp", "routes": [{"vehicle": "red", "trips": [["a", "b"]]}]}
BUTTON, FACT, WORDS = "#how-good", "#facts > .wide", "#how-good-words"


def bring_back(page, plan, objective):
    """Drop a plan and wait until it is shown."""
    driving.drop(page, {"tuesday.json": json.dumps(plan).encode()})
    expect(page.locator("#headline-value")).to_have_attribute("title", objective)


def test_a_plan_says_how_good_it_is_and_so_do_others_of_its_problem(planned):
    page = planned()
    asked = []
    page.on("request", lambda request: asked.append(request.url.endswith("/bound")))
    # Somebody has to drive to the last stop and back, and this plan takes no longer.
    button = page.get_by_role("button", name="How good is it?")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.locator(BUTTON)).to_have_text("Looking…")
    expect(page.locator(BUTTON)).to_be_focused()
    fact = page.locator(FACT)
    expect(fact).to_contain_text("Above the best")
    expect(fact.locator("dd")).to_have_text("nothing: there is no better one")
    expect(fact).to_have_attribute("title", re.compile("^No plan that serves everybody is over"))
    expect(fact).to_be_focused()
    expect(page.locator(BUTTON)).to_be_hidden()
    expect(page.locator("#live")).to_contain_text("Above the best")

    bring_back(page, WORSE, "20")
    expect(fact.locator("dd")).to_have_text("at most 150 %")
    assert sum(asked) == 1

    page.click("#table button.name >> nth=0")
    page.click("#lock-own")
    expect(button).to_be_visible()
    expect(fact).to_have_count(0)


def test_a_plan_that_is_made_here_is_asked_about_with_the_mouse(open_page):
    page = open_page(width=390, height=800)
    driving.generate(page, 12, 2)
    driving.solve(page, "refine", 0.5)
    page.click(BUTTON)
    expect(page.locator(FACT)).to_contain_text("Above the best")


@pytest.mark.parametrize("plan", [SHORT, PLAN | {"minimise": "distance"}])
def test_bounds_are_for_whole_plans_whose_vehicles_should_be_home_soon(planned, plan):
    page = planned(plan)
    expect(page.locator("#facts > div").first).to_be_visible()
    expect(page.locator(BUTTON)).to_be_hidden()


def test_bounds_are_not_for_orders(open_page):
    page = open_page()
    driving.generate(page, 4, 2, "omdcpdp")
    driving.solve(page, "refine", 0.1)
    expect(page.locator("#facts > div").first).to_be_visible()
    expect(page.locator(BUTTON)).to_be_hidden()


def test_what_has_no_bound_says_so_in_its_place(open_page):
    page = open_page()
    vehicles = [vehicle | {"end": None} for vehicle in LINE["vehicles"]]
    driving.drop_problem(page, LINE | {"vehicles": vehicles})
    bring_back(page, PLAN, "4")
    page.click(BUTTON)
    expect(page.locator(WORDS)).to_contain_text("cannot be told where vehicles")
    expect(page.locator(BUTTON)).to_be_hidden()
    expect(page.locator("#complaint")).to_be_hidden()


def test_a_bound_that_cannot_be_had_now_can_be_asked_for_again(planned):
    page = planned()
    error = {"error": {"code": "too-busy", "message": "2 bounds are there already.", "faults": []}}
    page.route("**/bound", lambda route: route.fulfill(status=429, json=error))
    page.click(BUTTON)
    expect(page.locator("#complaint")).to_contain_text("2 bounds are there already")
    expect(page.locator(BUTTON)).to_have_text("How good is it?")
