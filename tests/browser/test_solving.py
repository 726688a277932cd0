import json
import re

from playwright.sync_api import expect
from typer.testing import CliRunner

from browser import driving
from browser.serving import serving
from geopar.cli import app
from geopar.files import problem_to_json
from geopar.problems.setting import Setting


def random_problem(setting, seed=5):
    import numpy as np

    return problem_to_json(Setting.parse(setting).generate(np.random.default_rng(seed)))


def geopar(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_drop_solve_watch_stop_download_check(open_page, tmp_path):
    page = open_page()
    driving.drop_problem(page, random_problem("hcvrp/300/6"))
    expect(page.locator("#title")).to_contain_text("300 stops, 6 vehicles")
    driving.start(page, "refine", 60)
    first = driving.objective(page)
    expect(page.locator("#headline-change b")).to_have_text(re.compile(r"^−\d"))
    assert driving.objective(page) < first

    page.click("#stop")
    expect(page.locator("#runs .status").first).to_have_text("stopped")
    expect(page.locator("#live")).to_contain_text("Planning stopped")
    plan = driving.save(page, "#save-plan", tmp_path)
    problem = driving.save(page, "#save-problem", tmp_path)
    checked = geopar("check", problem, plan)
    assert checked.exit_code == 0, checked.output
    told = json.loads(plan.read_text())["objective"]
    assert abs(driving.objective(page) / told - 1) < 1e-4


def test_a_bad_file_shows_the_readers_errors(open_page):
    page = open_page()
    bad = {
        "problem": "hcvrp", "depot": {"x": 0, "y": "north"},
        "customers": [{"id": "baker", "x": 1, "y": 1, "demand": -3}],
        "vehicles": [{"capacity": 10, "speed": 1}], "vehicels": [],
    }  # fmt: skip
    driving.drop(page, {"orders.json": json.dumps(bad).encode()})
    complaint = page.locator("#complaint")
    expect(complaint).to_contain_text("orders.json cannot be read")
    rows = complaint.locator("li")
    for field, code, hint in (
        ("vehicels", "unknown-field", "Known here"),
        ("depot.y", "not-a-number", "Remove the quotes"),
        ("customers[0].demand", "out-of-range", "unit"),
    ):
        row = rows.filter(has_text=field)
        expect(row).to_contain_text(code)
        expect(row.locator(".hint")).to_contain_text(hint)
    expect(rows.filter(has_text="depot.y").locator(".value")).to_have_text("'north'")
    expect(page.locator("#start")).to_be_disabled()
    page.click("#empty-deliveries")
    expect(complaint).to_be_hidden()


def test_text_that_is_no_file_of_ours(open_page):
    page = open_page()
    driving.drop(page, {"notes.json": b"<b>not JSON</b>"})
    expect(page.locator("#complaint")).to_contain_text("notes.json cannot be read")
    assert page.locator("#complaint b").count() == 0  # shown as text, not read as markup


def test_two_csv_files_one_after_the_other(open_page):
    page = open_page()
    stops = b"kind,id,x,y,demand\ndepot,,0,0,\ncustomer,baker,1,2,3\ncustomer,school,2,1,1\n"
    driving.drop(page, {"stops.csv": stops})
    expect(page.locator("#complaint")).to_contain_text("drop the other one now")
    driving.drop(page, {"vehicles.csv": b"id,capacity,speed\nvan,10,1\n"})
    expect(page.locator("#title")).to_contain_text("2 stops, 1 vehicle")
    expect(page.locator("#complaint")).to_be_hidden()


def test_generate_and_solve_pickups_and_deliveries(open_page, tmp_path):
    page = open_page()
    driving.generate(page, 40, 3, "omdcpdp")
    expect(page.locator("#title")).to_contain_text("20 orders, 3 vehicles")
    expect(page.locator("#solver option", has_text="sisr")).to_have_count(0)
    driving.solve(page, "refine")
    expect(page.locator("#table tbody tr")).to_have_count(3)
    stops = page.locator("#table tbody tr td:nth-child(3)").all_inner_texts()
    assert sum(map(int, stops)) == 40
    plan = driving.save(page, "#save-plan", tmp_path)
    problem = driving.save(page, "#save-problem", tmp_path)
    assert geopar("check", problem, plan).exit_code == 0


def test_an_impossible_wish_is_answered_in_words(open_page):
    page = open_page()
    driving.generate(page, 900_000)
    expect(page.locator("#complaint")).to_contain_text("cannot be generated")
    expect(page.locator("#complaint-body")).to_contain_text(re.compile(r"20,?000"))


def test_a_reload_finds_the_runs_again(open_page):
    page = open_page()
    driving.drop_problem(page, random_problem("hcvrp/30/2"))
    driving.solve(page, "dispatch")
    found = driving.objective(page)
    page.reload()
    expect(page.locator("#title")).to_contain_text("30 stops")
    assert driving.objective(page) == found


def test_the_token_is_asked_for(open_page):
    with serving("--token", "open-sesame") as address:
        page = open_page(address=address)
        expect(page.locator("#token")).to_be_visible()
        page.fill("#token-value", "wrong")
        page.click("#token-ok")
        expect(page.locator("#token-refused")).to_be_visible()
        page.fill("#token-value", "open-sesame")
        page.click("#token-ok")
        expect(page.locator("#token")).to_be_hidden()
        page.click("#empty-deliveries")
        expect(page.locator("#title")).to_contain_text("60 stops")
        # Before its service ends, or it would ask in vain and complain.
        page.close()


def test_a_working_day_by_the_clock(open_page):
    page = open_page()
    page.click("#example-day")
    expect(page.locator("#start")).to_be_enabled()
    driving.solve(page, "refine", 2)
    clock = re.compile(r"\d\d:\d\d")
    expect(page.locator("#schedule-unit")).to_have_text("by the clock")
    expect(page.locator("#table tbody td").first).to_have_text(clock)
    page.locator("#table tbody tr button").first.click()
    expect(page.locator("#headline-label")).to_have_text("Home by")
    expect(page.locator("#headline-value")).to_have_text(re.compile(r"^\d\d:\d\d$"))
    expect(page.locator("#stops tbody tr:has(button) td:nth-child(2)").first).to_have_text(clock)
    expect(page.locator("#stops-of option:checked")).to_contain_text("van")


def test_what_is_left_out_is_told_with_its_reason(open_page):
    page = open_page()
    driving.drop_problem(
        page,
        {
            "problem": "hcvrp",
            "customers": [{"id": "near", "x": 1, "y": 0}, {"id": "moon", "x": 900, "y": 0}],
            "vehicles": [{"speed": 1, "start": {"x": 0, "y": 0}, "available": [0, 20]}],
        },
    )
    driving.solve(page, "refine", 1)
    expect(page.locator("#left-out-head")).to_have_text("Left out: 1")
    expect(page.locator("#left-out-list")).to_contain_text("moon no vehicle can serve it in time")
    expect(page.locator("#headline-unit")).to_contain_text("1 left out")
    expect(page.locator("#runs .status").first).to_have_text("1 left out")


def test_a_plan_that_serves_nobody_is_not_the_best(open_page):
    page = open_page()
    far = [{"id": name, "x": x, "y": 0} for name, x in (("moon", 900), ("mars", 950))]
    van = {"speed": 1, "start": {"x": 0, "y": 0}, "available": [0, 20]}
    driving.drop_problem(page, {"problem": "hcvrp", "customers": far, "vehicles": [van]})
    driving.solve(page, "refine", 0.5)
    expect(page.locator("#headline-label")).to_have_text("Nobody can be served")
    expect(page.locator("#headline-value")).to_have_text("–")
    expect(page.locator("#facts")).to_be_empty()
    expect(page.locator("#runs .value").first).to_have_text("–serves nobody")


def test_plans_that_leave_out_different_stops_are_compared_by_how_many(open_page):
    page = open_page()
    problem = {
        "problem": "hcvrp",
        "customers": [{"id": name, "x": x, "y": 0} for name, x in (("near", 1), ("far", 5))],
        "vehicles": [{"id": "van", "speed": 1, "start": {"x": 0, "y": 0}, "available": [0, 20]}],
    }
    driving.drop_problem(page, problem)
    for stops in (["near", "far"], ["near"]):
        plan = {"problem": "hcvrp", "routes": [{"vehicle": "van", "trips": [stops]}]}
        driving.drop(page, {f"{len(stops)}.json": json.dumps(plan).encode()})
        driving.objective(page)
    expect(page.locator("#runs .status").first).to_have_text("1 left out")
    page.locator("#runs .compare").nth(1).click()
    expect(page.locator("#headline-change")).to_have_text("1 left outin A, 0 in B")


def test_a_service_that_is_getting_ready_says_so_and_plans_with_its_usual_solver(open_page):
    page = open_page()
    starting = {"error": {"code": "starting", "message": "The service is warming up."}}
    page.route("**/health", lambda route: route.fulfill(status=503, json=starting))
    lists = []
    page.route(
        "**/solvers", lambda route: lists.append(route)
    )  # no answer: the page does not wait for it
    page.reload()
    driving.drop_problem(page, random_problem("hcvrp/20/2"))
    page.fill("#limit", "0.5")
    page.click("#start")
    expect(page.locator("#progress-words")).to_have_text(re.compile("^Finished"))
    expect(page.locator("#complaint")).to_be_hidden()

    early = {**page.request.get(page.url.partition("?")[0] + "solvers").json(), "ready": False}
    page.unroute("**/solvers")
    page.route("**/solvers", lambda route: route.fulfill(json=early))
    page.goto(page.url.partition("?")[0])
    expect(page.locator("#version")).not_to_be_empty()
    expect(page.locator("#runs li").first).to_be_visible()
    expect(page.locator("#progress-words")).to_contain_text("getting ready")
    page.unroute("**/solvers")
    page.unroute("**/health")
    expect(page.locator("#progress-words")).to_be_empty()
