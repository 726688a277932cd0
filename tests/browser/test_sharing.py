"""Plans that several people look at, that are deleted, and that outlive the service."""

import contextlib
import json
import re
import socket
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import expect

from browser import driving
from browser.serving import serving, warm_up
from browser.test_dispatching import LINE, PLAN, popup_of


def free_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return str(taken.getsockname()[1])


def plan_line(page):
    driving.drop_problem(page, LINE)
    driving.solve(page, "refine", 0.3)
    page.wait_for_url(re.compile("job="))


def busy_vehicle(page):
    """One that has stops, and the name of the other: which it is, is the search's choice."""
    stays = page.locator("#stops-of option").nth(1).inner_text() == "red (0)"
    return ("1", "red") if stays else ("0", "blue")


def move_first_stop(page, vehicle, to):
    page.select_option("#stops-of", vehicle)
    page.locator("#stops button.stop").first.click()
    page.locator("#stops .edit select").select_option(to)
    expect(page.locator("#progress-words")).to_have_text(re.compile("^Changed by hand"))


def test_two_people_edit_one_plan_and_each_has_their_own(open_page):
    page = open_page()
    plan_line(page)
    address, first = page.url, driving.objective(page)
    colleague = open_page()
    colleague.goto(address)
    assert driving.objective(colleague) == first

    busy, other = busy_vehicle(page)
    move_first_stop(page, busy, other)
    page.wait_for_url(re.compile(r"^[^?]*$"))  # what was changed by hand has no address
    colleague.select_option("#stops-of", busy)
    stops = colleague.locator("#stops button.stop").all_inner_texts()
    move_first_stop(colleague, busy, other)
    page.click("#again")
    expect(page.locator("#progress-words")).to_have_text(re.compile("^Finished"))
    page.wait_for_url(re.compile("job="))
    assert page.url != address

    # The colleague still has the own change, with a way back to the plan that both began with.
    expect(colleague.locator("#progress-words")).to_have_text(re.compile("^Changed by hand"))
    colleague.click("#undo")
    expect(colleague.locator("#stops button.stop")).to_have_text(stops)
    assert driving.objective(colleague) == first
    # And its address shows to everybody what it always showed.
    for each in (page, colleague):
        each.goto(address)
        expect(each.locator("#title")).to_contain_text("A line")
        assert driving.objective(each) == first


def test_a_plan_is_deleted_after_a_question(open_page):
    page = open_page()
    plan_line(page)
    address, first = page.url, driving.objective(page)
    colleague = open_page()
    colleague.goto(address)
    assert driving.objective(colleague) == first

    before = page.locator("#runs li").count()
    page.locator("#runs .remove").first.click()
    expect(page.locator("#removal")).to_contain_text("A line")
    page.keyboard.press("Enter")  # "Keep it" has the focus
    expect(page.locator("#runs li")).to_have_count(before)
    page.locator("#runs .remove").first.click()
    page.click("#removal-ok")
    expect(page.locator("#runs li")).to_have_count(before - 1)
    page.wait_for_url(re.compile(r"^[^?]*$"))
    expect(page.locator("#title")).to_contain_text("A line")  # its stops stay on the desk
    expect(page.locator("#start")).to_be_enabled()

    # Who has it open keeps it, and can still hand it out; its link is not copied any more.
    sheets = popup_of(colleague, "#sheet")
    expect(sheets.locator("h1")).not_to_have_count(0)
    expect(sheets.locator("body")).not_to_contain_text("no-such-job")
    visitor = open_page()
    visitor.goto(address)
    expect(visitor.locator("#complaint-title")).to_have_text("This plan is no longer here")
    visitor.click("#example-couriers")
    expect(visitor.locator("#start")).to_be_enabled()
    expect(visitor.locator("#complaint")).to_be_hidden()


def test_a_link_that_leads_nowhere_is_not_copied(open_page):
    page = open_page()
    plan_line(page)
    colleague = open_page()
    colleague.goto(page.url)
    expect(colleague.locator("#share")).to_be_enabled()
    page.locator("#runs .remove").first.click()
    page.click("#removal-ok")
    page.wait_for_url(re.compile(r"^[^?]*$"))
    colleague.click("#share")
    expect(colleague.locator("#complaint-title")).to_have_text("This plan has no address any more")
    colleague.wait_for_url(re.compile(r"^[^?]*$"))
    colleague.reload()
    expect(colleague.locator("#title")).to_contain_text("A line")
    assert driving.objective(colleague) > 0  # kept in this tab


def test_a_plan_that_somebody_else_deleted_leaves_the_list_with_a_word(open_page):
    page = open_page()
    plan_line(page)
    colleague = open_page()
    count = colleague.locator("#runs li")
    expect(count).not_to_have_count(0)
    rows = count.count()
    # Before it has been looked at: its problem is asked for only then.
    colleague.route("**/jobs/*/problem", lambda route: route.fulfill(status=404, json=GONE))
    colleague.reload()
    expect(count).to_have_count(rows)
    colleague.locator("#runs .select").first.click()
    expect(colleague.locator("#complaint-title")).to_have_text("This plan is no longer here")
    expect(count).to_have_count(rows - 1)


GONE = {"error": {"code": "no-such-job", "message": "There is no job here.", "faults": []}}


def test_a_page_left_open_over_a_restart_goes_on(open_page):
    where = ("--port", free_port())
    with serving(*where) as address:
        warm_up(address)
        page = open_page(address=address)
        plan_line(page)
        first = driving.objective(page)
    page.click("#start")
    expect(page.locator("#complaint")).to_contain_text("does not answer")
    expect(page.locator("#title")).to_contain_text("A line")
    assert driving.objective(page) == first
    with serving(*where):
        sheets = popup_of(page, "#sheet")  # the service does not know the plan any more
        expect(sheets.locator("h1")).not_to_have_count(0)
        page.click("#start")
        expect(page.locator("#complaint")).to_be_hidden()
        expect(page.locator("#progress-words")).to_have_text(re.compile("^Finished"))
        page.wait_for_url(re.compile("job="))
        page.close()


@pytest.mark.parametrize("kept", [True, False])
def test_a_run_that_the_service_ended_under_leaves_its_best_plan(open_page, tmp_path, kept):
    where = ("--port", free_port(), *(("--data", str(tmp_path)) if kept else ()))
    with contextlib.ExitStack() as first:
        address = first.enter_context(serving(*where))
        warm_up(address)
        page = open_page(address=address)
        driving.drop_problem(page, LINE)
        driving.start(page, "refine", 600)
        driving.objective(page)
        first.close()
        expect(page.locator("#progress-words")).to_contain_text("does not answer")
        best = driving.objective(page)
    with serving(*where):
        expect(page.locator("#complaint-title")).to_have_text("Planning interrupted")
        words = "The service ended while this ran" if kept else "started anew and no longer has"
        expect(page.locator("#complaint")).to_contain_text(words)
        expect(page.locator("#progress-words")).to_contain_text("Interrupted")
        assert driving.objective(page) <= best
        page.wait_for_url(re.compile("job=" if kept else r"^[^?]*$"))
        page.fill("#limit", "0.5")
        page.click("#again")
        expect(page.locator("#progress-words")).to_have_text(re.compile("^Finished"))
        expect(page.locator("#complaint")).to_be_hidden()
        page.close()


def test_a_spreadsheet_of_fifty_megabytes_is_refused_at_once(open_page, tmp_path):
    page = open_page()
    plan_line(page)
    first, asked = driving.objective(page), []
    page.on("request", lambda request: asked.append(request.url))
    large = tmp_path / "orders.xlsx"
    with large.open("wb") as file:
        file.truncate(50_000_000)
    page.set_input_files("#file", large)
    expect(page.locator("#complaint-title")).to_have_text("orders.xlsx cannot be read")
    expect(page.locator("#complaint")).to_contain_text("50 MB")
    expect(page.locator("#complaint")).to_contain_text("at most 16 MB")
    expect(page.locator("#complaint")).to_contain_text("--max-body")
    assert [url for url in asked if "/read" in url] == []
    assert driving.objective(page) == first


COURIERS = {
    "problem": "omdcpdp",
    "name": "Two orders",
    "orders": [
        {"id": name, "pickup": {"x": x, "y": 0}, "delivery": {"x": x + 1, "y": 0}}
        for x, name in enumerate("xy", 1)
    ],
    "vehicles": [{"id": name, "x": 0, "y": 0, "capacity": 2} for name in ("anna", "ben")],
}
ROUND = {
    "problem": "omdcpdp",
    "routes": [
        {
            "vehicle": "anna",
            "stops": [
                {"order": order, "action": action}
                for order in "xy"
                for action in ("pickup", "delivery")
            ],
        }
    ],
}


def test_a_stop_dragged_where_it_may_not_go_is_told_and_taken_back(open_page):
    page = open_page()
    files = {"two.json": json.dumps(COURIERS).encode(), "plan.json": json.dumps(ROUND).encode()}
    driving.drop(page, files)
    first = driving.objective(page)
    page.select_option("#stops-of", "0")
    rows = page.locator("#stops tr[data-task]")
    names = rows.locator("button.stop").all_inner_texts()
    rows.nth(1).drag_to(rows.nth(0))  # its delivery before its pickup
    expect(page.locator("#complaint-title")).to_have_text("This plan breaks 1 rule")
    expect(page.locator("#complaint")).to_contain_text("delivery-before-pickup")
    page.keyboard.press("Control+z")
    expect(page.locator("#complaint")).to_be_hidden()
    expect(rows.locator("button.stop")).to_have_text(names)
    assert driving.objective(page) == first

    # To a vehicle that may not serve it.
    page.locator("#stops button.stop").first.click()
    page.locator("#stops .edit .check input").click()
    expect(page.locator("#stops .lock")).to_have_count(2)  # both ends of the order
    rows.nth(0).drag_to(page.locator("#table tbody tr").nth(1))
    expect(page.locator("#complaint")).to_contain_text("not-allowed")
    page.keyboard.press("Control+z")
    expect(page.locator("#complaint")).to_be_hidden()
    # And to no vehicle at all: nothing happens.
    rows.nth(0).drag_to(page.locator("#title"))
    expect(rows.locator("button.stop")).to_have_text(names)


def test_a_vehicle_is_locked_seen_after_a_reload_and_let_go(open_page):
    page = open_page()
    uneven = {**PLAN, "routes": [{"vehicle": "red", "trips": [["d", "a"], ["c", "b"]]}]}
    files = {"line.json": json.dumps(LINE).encode(), "plan.json": json.dumps(uneven).encode()}
    driving.drop(page, files)
    driving.objective(page)
    page.select_option("#stops-of", "0")
    page.click("#lock-own")
    expect(page.locator("#stops .lock")).to_have_count(4)
    expect(page.locator("#table .lock:visible")).to_have_count(1)
    page.reload()  # a change by hand has no address, and survives in this tab
    page.select_option("#stops-of", "0")
    expect(page.locator("#lock-own")).to_be_checked()
    page.fill("#limit", "0.5")
    page.click("#again")
    expect(page.locator("#progress-words")).to_have_text(re.compile("^Finished"))
    expect(page.locator("#stops button.stop")).to_have_text(["d", "a", "c", "b"])

    # Where nobody knows what the file was like, too.
    colleague = open_page()
    colleague.goto(page.url)
    colleague.select_option("#stops-of", "0")
    expect(colleague.locator("#lock-own")).to_be_checked()
    for each in (page, colleague):
        each.click("#lock-own")
        expect(each.locator("#stops .lock")).to_have_count(0)
        each.fill("#limit", "0.5")
        each.click("#again")
        expect(each.locator("#progress-words")).to_have_text(re.compile("^Finished"))
        assert driving.objective(each) == 8


def test_a_locked_stop_is_let_go_by_a_colleague(open_page):
    page = open_page()
    plan_line(page)
    page.select_option("#stops-of", busy_vehicle(page)[0])
    page.locator("#stops button.stop").first.click()
    page.locator("#stops .edit .check input").click()
    expect(page.locator("#stops .lock")).to_have_count(1)
    page.fill("#limit", "0.5")
    page.click("#again")
    expect(page.locator("#progress-words")).to_have_text(re.compile("^Finished"))
    vehicle = page.locator("#stops-of").input_value()
    colleague = open_page()
    colleague.goto(page.url)
    colleague.select_option("#stops-of", vehicle)
    expect(colleague.locator("#stops .lock")).to_have_count(1)
    colleague.locator("#stops tr", has=colleague.locator(".lock")).locator("button.stop").click()
    expect(colleague.locator("#stops .edit .check")).to_contain_text("otherwise any may")
    colleague.locator("#stops .edit .check input").click()
    expect(colleague.locator("#stops .lock")).to_have_count(0)


def test_what_begins_soon_is_left_alone_when_planning_again(open_page):
    page = open_page()
    uneven = {**PLAN, "routes": [{"vehicle": "red", "trips": [["d", "a"], ["c", "b"]]}]}
    files = {"line.json": json.dumps(LINE).encode(), "plan.json": json.dumps(uneven).encode()}
    driving.drop(page, files)
    driving.objective(page)
    page.fill("#limit", "0.5")
    page.fill("#keep", "1")  # the first trip has left by then, the second has not
    page.click("#again")
    expect(page.locator("#progress-words")).to_have_text(re.compile("^Finished"))
    page.select_option("#stops-of", "0")
    stops = page.locator("#stops button.stop")
    expect(stops.nth(0)).to_have_text("d")
    expect(stops.nth(1)).to_have_text("a")
    expect(stops).to_have_count(2)  # what comes later may be somebody else's
    page.fill("#keep", "-1")
    page.click("#again")
    assert page.locator("#keep").evaluate("input => input.validity.valid") is False
    page.fill("#keep", "")
    page.click("#again")
    expect(page.locator("#headline-value")).to_have_attribute("title", "8")


def test_older_plans_are_listed_page_by_page(open_page):
    with serving() as address:
        warm_up(address)
        order = {"problem": LINE, "solver": "dispatch"}
        headers = {"Content-Type": "application/json"}
        for _ in range(45):
            request = Request(address + "jobs", json.dumps(order).encode(), headers)
            with urlopen(request) as answer:
                assert answer.status == 202
        page = open_page(address=address)
        expect(page.locator("#runs li")).to_have_count(40)
        page.click("#older")
        expect(page.locator("#runs li")).to_have_count(45)
        expect(page.locator("#older")).to_be_hidden()
        page.close()


def rename_first(page, name):
    page.locator("#runs .rename").first.click()
    page.get_by_label("Name of the plan").fill(name)
    page.keyboard.press("Enter")


def test_a_plan_is_renamed_and_called_so_wherever_it_is_seen(open_page):
    page = open_page()
    plan_line(page)
    about = page.locator("#runs .about").first
    rename_first(page, "Monday, final")
    expect(about).to_have_text("Monday, final")
    expect(page.locator("#title")).to_have_text("Monday, final · 4 stops, 2 vehicles")
    page.reload()
    expect(about).to_have_text("Monday, final")
    expect(page.locator("#title b")).to_have_text("Monday, final")
    colleague = open_page()
    colleague.goto(page.url)
    expect(colleague.locator("#title b")).to_have_text("Monday, final")
    expect(colleague).to_have_title("Monday, final – GeoPAR")
    # A plan of the same stops has a name of its own.
    page.fill("#limit", "0.3")
    page.click("#again")
    expect(page.locator("#progress-words")).to_have_text(re.compile("^Finished"))
    expect(page.locator("#title b")).to_have_text("A line")
    expect(page.locator("#runs .about").nth(1)).to_have_text("Monday, final")


def test_a_name_is_taken_back_and_left_alone(open_page):
    page = open_page()
    plan_line(page)
    about = page.locator("#runs .about").first
    page.keyboard.press("F2")
    field = page.get_by_label("Name of the plan")
    expect(field).to_be_focused()
    field.fill("Not this")
    page.keyboard.press("Escape")
    expect(about).to_have_text("A line")
    expect(page.locator("#undo-name")).to_be_hidden()

    rename_first(page, "Monday")
    expect(about).to_have_text("Monday")
    page.locator("#runs .rename").first.click()
    field.fill("Tuesday")
    page.click("#title")  # leaving the field keeps what was written
    expect(about).to_have_text("Tuesday")
    page.keyboard.press("Control+z")
    expect(about).to_have_text("Monday")
    page.click("#undo-name")
    expect(about).to_have_text("A line")
    expect(page.locator("#undo-name")).to_be_hidden()
    # Nothing written: it is called as its problem again.
    rename_first(page, "Monday")
    expect(about).to_have_text("Monday")
    rename_first(page, "")
    expect(about).to_have_text("A line")

    # The last change is taken back first, whichever it was.
    rename_first(page, "Monday")
    expect(about).to_have_text("Monday")
    busy, other = busy_vehicle(page)
    move_first_stop(page, busy, other)
    page.keyboard.press("Control+z")
    expect(page.locator("#progress-words")).to_have_text(re.compile("^Finished"))
    expect(about).to_have_text("Monday")
    page.keyboard.press("Control+z")
    expect(about).to_have_text("A line")


def test_a_run_is_renamed_while_it_improves(open_page):
    page = open_page()
    driving.drop_problem(page, LINE)
    driving.start(page, "refine", 600)
    driving.objective(page)
    rename_first(page, "In a hurry")
    expect(page.locator("#runs .about").first).to_have_text("In a hurry")
    page.click("#stop")
    expect(page.locator("#progress-words")).to_have_text(re.compile("^Stopped"))
    expect(page.locator("#runs .about").first).to_have_text("In a hurry")
    expect(page.locator("#title b")).to_have_text("In a hurry")


def test_a_plan_that_is_gone_cannot_be_renamed(open_page):
    page = open_page()
    plan_line(page)
    colleague = open_page()
    colleague.goto(page.url)
    expect(colleague.locator("#title b")).to_have_text("A line")
    page.locator("#runs .remove").first.click()
    page.click("#removal-ok")
    page.wait_for_url(re.compile(r"^[^?]*$"))
    colleague.keyboard.press("F2")
    colleague.get_by_label("Name of the plan").fill("Too late")
    colleague.keyboard.press("Enter")
    expect(colleague.locator("#complaint-title")).to_have_text("This plan has no address any more")
    expect(colleague.locator("#title b")).to_have_text("A line")
    expect(colleague.locator("#undo-name")).to_be_hidden()
