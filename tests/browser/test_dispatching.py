"""A dispatcher's day: hand plans out, send them, bring them back, change them by hand."""

import csv
import json
import re

from playwright.sync_api import expect

from browser import driving
from browser.line import LINE, PLAN
from browser.serving import serving, warm_up


def solve_example(page, seconds=0.5):
    page.click("#example-deliveries")
    expect(page.locator("#start")).to_be_enabled()
    driving.solve(page, "refine", seconds)


def popup_of(page, button):
    with page.expect_popup() as popup:
        page.click(button)
    popup.value.wait_for_load_state()
    return popup.value


def test_sheets_are_printed_and_saved(open_page, tmp_path):
    page = open_page()
    solve_example(page)
    sheets = popup_of(page, "#sheet")
    expect(sheets.locator("h1")).to_have_count(5)
    table = driving.save(page, "#sheet-csv", tmp_path).read_text(encoding="utf-8-sig")
    assert len({row["vehicle"] for row in csv.DictReader(table.splitlines())}) == 5
    assert json.loads(driving.save(page, "#sheet-geojson", tmp_path).read_text())["features"]
    book = driving.save(page, "#sheet-xlsx", tmp_path)
    assert book.name == "A-day-of-deliveries.xlsx"
    assert book.read_bytes()[:2] == b"PK"

    expect(page.locator("#own-sheet")).to_be_hidden()
    page.select_option("#stops-of", label=page.locator("#stops-of option").nth(2).inner_text())
    own = popup_of(page, "#sheet-own")
    expect(own.locator("h1")).to_have_text(["van 1"])
    track = driving.save(page, "#gpx-own", tmp_path)
    assert track.name == "A-day-of-deliveries-van-1.gpx"
    assert "<rte>" in track.read_text()


def test_sheets_behind_a_token_and_of_plans_without_a_job(open_page):
    with serving("--token", "open-sesame") as address:
        page = open_page(address=address)
        page.fill("#token-value", "open-sesame")
        page.click("#token-ok")
        driving.drop_problem(page, LINE)
        driving.drop(page, {"monday.json": json.dumps(PLAN).encode()})
        expect(page.locator("#sheet")).to_be_enabled()
        sheets = popup_of(page, "#sheet")
        expect(sheets.locator("h1")).to_have_text(["red", "blue"])
        # Its style is let through by the page's policy, which is that of the new tab, too.
        assert sheets.evaluate("getComputedStyle(document.querySelector('table')).tableLayout") == (
            "fixed"
        )
        expect(page.locator("#sheet-gpx")).to_be_hidden()  # no longitude, no latitude
        sheets.close()
        page.close()


def test_a_plan_is_sent_to_a_colleague(open_page):
    page = open_page()
    solve_example(page)
    first = driving.objective(page)
    assert "?job=" in page.url
    colleague = open_page()
    colleague.goto(page.url)
    expect(colleague.locator("#title")).to_contain_text("A day of deliveries")
    assert driving.objective(colleague) == first
    expect(colleague.locator("#runs .select[aria-pressed=true]")).to_contain_text(
        "A day of deliveries"
    )

    driving.solve(page, "dispatch")
    page.locator("#runs .compare:enabled").first.click()
    expect(page.locator("#pane-b")).to_be_visible()
    page.wait_for_url(re.compile("with="))
    colleague.goto(page.url)
    expect(colleague.locator("#headline-change")).to_contain_text("A against B")
    page.go_back()
    expect(page.locator("#pane-b")).to_be_hidden()
    page.go_back()
    expect(page.locator("#headline-value")).to_have_attribute("title", str(first))
    page.go_forward()
    page.go_forward()
    expect(page.locator("#pane-b")).to_be_visible()
    assert "with=" in page.url


def test_links_outlive_the_service_and_say_when_they_do_not(open_page, tmp_path):
    with serving("--data", str(tmp_path)) as address:
        warm_up(address)
        page = open_page(address=address)
        driving.drop_problem(page, LINE)
        driving.solve(page, "dispatch")
        query = page.url.removeprefix(address)
        page.close()
    with serving("--data", str(tmp_path)) as address:
        page = open_page(address=address)
        page.goto(address + query)
        expect(page.locator("#title")).to_contain_text("A line")
        expect(page.locator("#runs .about").first).to_have_text("A line")
        assert driving.objective(page) > 0
        page.goto(address + "?job=0123456789abcdef")
        expect(page.locator("#complaint-title")).to_have_text("This plan is no longer here")
        driving.drop_problem(page, {**LINE, "name": "Another"})
        expect(page.locator("#complaint")).to_be_hidden()
        expect(page.locator("#title")).to_contain_text("Another")
        assert "job=" not in page.url
        page.close()


def test_a_reload_keeps_what_has_no_address(planned):
    page = planned()
    page.reload()
    expect(page.locator("#title")).to_contain_text("A line")
    assert driving.objective(page) == 8
    assert "job=" not in page.url


def test_a_plan_is_dropped_back_and_planned_from(planned):
    page = planned()
    assert driving.objective(page) == 8
    expect(page.locator("#progress-words")).to_have_text("From monday.json")
    expect(page.locator("#chart-panel")).to_be_hidden()
    page.fill("#limit", "0.5")
    page.click("#again")
    expect(page.locator("#progress-words")).to_have_text(re.compile("^Finished"))
    assert driving.objective(page) <= 8
    assert "?job=" in page.url


def test_a_plan_that_breaks_rules_is_shown_with_them(planned):
    broken = {**PLAN, "routes": [{"vehicle": "red", "trips": [["a", "b", "nowhere"]]}]}
    page = planned(broken)
    expect(page.locator("#complaint-title")).to_have_text("This plan breaks 3 rules")
    expect(page.locator("#complaint li", has_text="unserved")).to_have_count(2)
    expect(page.locator("#runs .status").first).to_have_text("breaks rules")
    expect(page.locator("#table tbody tr").first).to_contain_text("2")
    page.fill("#limit", "0.5")
    page.click("#again")
    expect(page.locator("#progress-words")).to_have_text(re.compile("^Finished"))
    expect(page.locator("#complaint")).to_be_hidden()


def test_a_plan_alone_asks_for_its_stops(open_page):
    page = open_page()
    driving.drop(page, {"monday.json": json.dumps(PLAN).encode()})
    expect(page.locator("#complaint-title")).to_have_text("monday.json is a plan")
    expect(page.locator("#complaint")).to_contain_text("red: a, b; blue: c, d.")
    expect(page.locator("#complaint")).to_contain_text("open that one now")
    driving.drop_problem(page, LINE)
    assert driving.objective(page) == 8
    expect(page.locator("#complaint")).to_be_hidden()


def test_a_plan_and_its_stops_come_together(open_page):
    page = open_page()
    files = {"line.json": json.dumps(LINE).encode(), "monday.json": json.dumps(PLAN).encode()}
    driving.drop(page, files)
    expect(page.locator("#complaint")).to_be_hidden()
    assert driving.objective(page) == 8


def test_a_stop_is_moved_and_locked_without_a_mouse(planned):
    page = planned()
    page.select_option("#stops-of", "1")
    expect(page.locator("#stops button.stop")).to_have_text(["c", "d"])
    page.locator("#stops button.stop", has_text="c").focus()
    page.keyboard.press("Enter")
    page.locator("#stops .edit select").select_option("red")
    # The page goes along with the stop, and what was open at it stays open.
    expect(page.locator("#stops-of")).to_have_value("0")
    expect(page.locator("#stops button.stop")).to_have_count(3)
    expect(page.locator("#stops button.stop", has_text="c")).to_have_attribute(
        "aria-expanded", "true"
    )
    expect(page.locator("#progress-words")).to_contain_text("Changed by hand: 8.0000 instead of 8")
    page.locator("#stops button.stop", has_text="c").click()
    page.keyboard.press("Control+z")
    # Back where the stop was.
    expect(page.locator("#stops button.stop")).to_have_text(["c", "d"])
    expect(page.locator("#undo")).to_be_hidden()
    page.select_option("#stops-of", "0")
    expect(page.locator("#stops button.stop")).to_have_text(["a", "b"])

    page.locator("#stops button.stop", has_text="b").click()
    page.locator("#stops .edit .check input").click()
    expect(page.locator("#stops .lock")).to_have_count(1)
    page.fill("#limit", "0.5")
    page.click("#again")
    expect(page.locator("#progress-words")).to_have_text(re.compile("^Finished"))
    page.select_option("#stops-of", "0")
    expect(page.locator("#stops button.stop", has_text="b")).to_be_visible()


def test_a_stop_is_dragged_to_a_place_and_to_a_vehicle(planned):
    page = planned()
    page.select_option("#stops-of", "0")
    stops = page.locator("#stops button.stop")
    rows = page.locator("#stops tr[data-task]")
    rows.nth(1).drag_to(rows.nth(0))
    expect(stops).to_have_text(["b", "a"])
    page.locator("#stops tr[data-task]", has_text="b").drag_to(
        page.locator("#table tbody tr").nth(1)
    )
    expect(page.locator("#stops-of")).to_have_value("1")
    expect(stops).to_have_count(3)
    expect(page.locator("#stops-of option").nth(1)).to_have_text("red (1)")


def test_a_stop_is_changed_in_place(planned):
    page = planned()
    page.select_option("#stops-of", "0")
    page.locator("#stops button.stop", has_text="b").click()
    page.get_by_label("Not after").fill("1")
    page.get_by_role("button", name="Change the stop").click()
    expect(page.locator("#complaint-title")).to_have_text("This plan breaks 1 rule")
    expect(page.locator("#complaint li")).to_contain_text("late")
    page.get_by_label("Not after").fill("")
    page.get_by_label("Takes").fill("3")
    page.get_by_role("button", name="Change the stop").click()
    expect(page.locator("#complaint")).to_be_hidden()
    expect(page.locator("#headline-value")).to_have_attribute("title", "8")
    page.get_by_label("Takes").fill("5")
    page.get_by_role("button", name="Change the stop").click()
    expect(page.locator("#headline-value")).to_have_attribute("title", "9")
    page.get_by_label("Amount").fill("-1")
    page.get_by_role("button", name="Change the stop").click()
    expect(page.locator("#headline-value")).to_have_attribute("title", "9")


def test_windows_of_a_stop_are_added_and_taken_away(planned):
    page = planned()
    page.select_option("#stops-of", "0")
    page.locator("#stops button.stop", has_text="b").click()
    change = page.get_by_role("button", name="Change the stop")
    page.get_by_label("Not before").fill("5")
    page.get_by_label("Not after").fill("6")
    page.get_by_role("button", name="Another window").click()
    expect(page.get_by_label("Not before (2)")).to_be_focused()
    page.get_by_label("Not before (2)").fill("20")
    page.get_by_role("button", name="Another window").click()
    page.get_by_label("Not before (3)").fill("30")
    change.click()
    # There at 2, it waits 3 for the first.
    expect(page.locator("#stops tr[data-task]").nth(1).locator("td").nth(2)).to_have_text("3.00")
    expect(page.get_by_label("Not before (3)")).to_have_value("30")
    expect(page.get_by_label("Not after (3)")).to_have_value("")
    page.get_by_role("button", name="Take window 1 away").click()
    expect(page.get_by_label("Not before (1)")).to_have_value("20")
    expect(page.get_by_label("Not before (3)")).to_have_count(0)
    change.click()
    expect(page.locator("#headline-value")).to_have_attribute("title", "22")
    expect(page.get_by_label("Not before (2)")).to_have_value("30")
    # One that is empty is none; the last one that stays has no number.
    page.get_by_role("button", name="Take window 1 away").click()
    page.get_by_role("button", name="Another window").click()
    change.click()
    expect(page.locator("#headline-value")).to_have_attribute("title", "32")
    expect(page.get_by_label("Not before (1)")).to_have_count(0)
    page.click("#undo")
    expect(page.locator("#headline-value")).to_have_attribute("title", "22")
    page.click("#undo")
    expect(page.get_by_label("Not before (3)")).to_have_value("30")
    page.click("#undo")
    expect(page.get_by_label("Not before (3)")).to_have_count(0)
    expect(page.get_by_label("Not before")).to_have_value("")
    expect(page.locator("#undo")).to_be_hidden()


def test_every_kind_of_load_is_shown_and_changed(open_page):
    customers = [{**row, "demand": [1, 10 * i]} for i, row in enumerate(LINE["customers"], 1)]
    vehicles = [{**row, "capacity": [4, 80]} for row in LINE["vehicles"]]
    page = open_page()
    several = {"loads": ["Parcels", "kg"], "customers": customers, "vehicles": vehicles}
    driving.drop_problem(page, LINE | several)
    driving.drop(page, {"monday.json": json.dumps(PLAN).encode()})
    page.select_option("#stops-of", "0")
    aboard = page.locator("#stops td.load")
    expect(aboard).to_have_text(["Parcels 1 kg 20", "Parcels 0 kg 0"])
    page.locator("#stops button.stop", has_text="b").click()
    page.get_by_label("kg").fill("75")
    page.get_by_role("button", name="Change the stop").click()
    expect(page.locator("#complaint-title")).to_have_text("This plan breaks 1 rule")
    page.get_by_label("kg").fill("30")
    page.get_by_role("button", name="Change the stop").click()
    expect(page.locator("#complaint")).to_be_hidden()
    expect(aboard.first).to_have_text("Parcels 1 kg 30")


def test_a_van_breaks_down(open_page):
    page = open_page()
    page.click("#example-day")
    expect(page.locator("#start")).to_be_enabled()
    driving.solve(page, "refine", 1)
    page.select_option("#stops-of", "1")
    driving.unfold(page, "#shift-fold")
    page.fill("#shift-until", "10:00")
    page.click("#shift button")
    expect(page.locator("#complaint-title")).to_have_text(re.compile("^This plan breaks"))
    expect(page.locator("#complaint")).to_contain_text("van 2")
    page.click("#again")
    expect(page.locator("#progress-words")).to_have_text(re.compile("^Finished"))
    expect(page.locator("#complaint")).to_be_hidden()
    home = page.locator("#table tbody tr", has_text="van 2").locator("td").first.inner_text()
    assert home == "–" or home <= "10:00"


def colours(page):
    """Of each vehicle in the table."""
    rows = page.locator("#table tbody tr")
    expect(rows.first).to_be_visible()
    return {
        row.locator(".text").inner_text(): row.locator(".swatch").get_attribute("style")
        for row in rows.all()
    }


def test_the_rest_of_the_day_is_planned_from_now(open_page):
    page = open_page()
    page.click("#example-day")
    expect(page.locator("#start")).to_be_enabled()
    expect(page.locator("#replan-fold")).to_be_hidden()
    driving.solve(page, "refine", 1)
    morning, before = page.url, colours(page)
    driving.unfold(page, "#replan-fold")
    page.fill("#replan-now", "10:30")
    page.locator("#replan-out").get_by_label("van 2").click()
    page.fill("#limit", "1")
    page.get_by_role("button", name="Plan the rest of the day").click()
    expect(page.locator("#title")).to_contain_text("from 10:30")
    expect(page.locator("#progress-words")).to_have_text(re.compile("^Finished"))
    expect(page.locator("#remarks li").first).to_contain_text("At 10:30")
    expect(page.locator("#remarks li", has_text="van 2:")).to_contain_text("gives")
    expect(page.locator("#table tbody tr", has_text="van 2")).to_have_count(0)
    assert page.url != morning
    later = colours(page)
    assert later.items() < before.items()
    sheets = popup_of(page, "#sheet")
    expect(sheets.locator("section", has_text="Out of service from 10:30")).to_contain_text("van 2")
    colleague = open_page()
    colleague.goto(page.url)
    expect(colleague.locator("#title")).to_contain_text("from 10:30")
    assert driving.objective(colleague) == driving.objective(page)
    told = page.locator("#remarks li").all_inner_texts()
    expect(colleague.locator("#remarks li")).to_have_text(told)
    assert colours(colleague) == later
    # Who plans the rest once more is still in that day.
    colleague.fill("#limit", "0.5")
    colleague.click("#again")
    expect(colleague.locator("#progress-words")).to_have_text(re.compile("^Finished"))
    colleague.reload()
    expect(colleague.locator("#remarks li", has_text="van 2:")).to_contain_text("gives")
    assert colours(colleague) == later
    page.reload()
    expect(page.locator("#remarks li")).to_have_text(told)
    page.go_back()
    expect(page.locator("#remarks")).to_be_hidden()
    expect(page.locator("#title")).not_to_contain_text("from 10:30")
    expect(page.locator("#table tbody tr", has_text="van 2")).to_have_count(1)


def test_a_rest_that_cannot_be_planned_says_why(open_page):
    page = open_page()
    page.click("#example-day")
    expect(page.locator("#start")).to_be_enabled()
    driving.solve(page, "refine", 1)
    driving.unfold(page, "#replan-fold")
    page.fill("#replan-now", "10:30")
    for box in page.locator("#replan-out input").all():
        box.click()
    page.get_by_role("button", name="Plan the rest of the day").click()
    expect(page.locator("#complaint-title")).to_have_text("The rest of the day cannot be planned")
    assert driving.objective(page) > 0  # the plan of the morning is still there


def test_sheets_of_a_run_are_preliminary_until_it_ends(open_page, tmp_path):
    page = open_page()
    page.click("#example-deliveries")
    expect(page.locator("#start")).to_be_enabled()
    driving.start(page, "refine", 60)
    expect(page.locator("#sheet")).to_be_enabled()
    sheets = popup_of(page, "#sheet")
    expect(sheets.locator(".preliminary").first).to_contain_text("may still change")
    saved = driving.save(page, "#sheet-csv", tmp_path)
    assert saved.name == "A-day-of-deliveries-preliminary.csv"
    page.click("#stop")
    expect(page.locator("#progress-words")).to_have_text(re.compile("^Stopped"))
    final = popup_of(page, "#sheet")
    expect(final.locator("h1").first).to_be_visible()
    expect(final.locator(".preliminary")).to_have_count(0)


def test_the_map_has_a_legend(open_page):
    page = open_page()
    expect(page.locator("#legend")).to_be_hidden()
    page.click("#example-deliveries")
    expect(page.locator("#start")).to_be_enabled()
    page.click("#legend summary")
    expect(page.locator("#legend-list")).to_contain_text("depot")
    expect(page.locator("#legend-list li")).to_have_count(2)
    driving.solve(page, "dispatch")
    expect(page.locator("#legend-list li")).to_have_count(3 + 5)
    expect(page.locator("#legend-list")).to_contain_text("van 1")
    page.click("#example-couriers")
    expect(page.locator("#legend-list")).to_contain_text("pickup")


def test_moments_are_told_by_the_clock_and_lengths_in_words(open_page):
    page = open_page()
    page.click("#example-day")
    expect(page.locator("#start")).to_be_enabled()
    driving.solve(page, "refine", 0.5)
    text = page.locator("#figures").inner_text() + page.locator("#schedules").inner_text()
    assert re.search(r"\d\d:\d\d", text)
    assert not re.search(r"\d:\d\d h\b", text)
    page.click("#example-deliveries")
    driving.solve(page, "refine", 0.5)
    expect(page.locator("#headline-value")).to_have_text(re.compile(r"^(\d+ h )?\d+ min$"))


def test_a_stop_that_may_not_go_there_is_told_and_taken_back(planned):
    page = planned()
    page.select_option("#stops-of", "0")
    page.locator("#stops button.stop", has_text="a").click()
    page.locator("#stops .edit .check input").click()
    expect(page.locator("#stops .lock")).to_have_count(1)
    page.locator("#stops .edit select").select_option("blue")
    expect(page.locator("#complaint-title")).to_have_text("This plan breaks 1 rule")
    page.click("#undo")
    expect(page.locator("#complaint")).to_be_hidden()
    expect(page.locator("#stops button.stop")).to_have_text(["a", "b"])


def test_on_a_phone_the_result_comes_into_view(open_page):
    page = open_page(width=390, height=740, has_touch=True, is_mobile=True)
    page.tap("#example-deliveries")
    expect(page.locator("#start")).to_be_enabled()
    page.fill("#limit", "0.5")
    page.tap("#start")
    expect(page.locator("#headline-value")).to_be_in_viewport()
    expect(page.locator("#map")).to_be_in_viewport(ratio=0.5)
    expect(page.locator("#progress-words")).to_have_text(re.compile("^Finished"))
    colleague = open_page(width=390, height=740, has_touch=True, is_mobile=True)
    colleague.goto(page.url)
    expect(colleague.locator("#headline-value")).to_be_in_viewport()
    expect(colleague.locator("#map")).to_be_in_viewport(ratio=0.5)


def test_one_pass_has_no_course_of_improvements(open_page):
    page = open_page()
    page.click("#example-couriers")
    expect(page.locator("#start")).to_be_enabled()
    driving.solve(page, "pointer")
    expect(page.locator("#chart-panel")).to_be_hidden()
