"""The page at /docs: operations are found, tried and described, with nothing from elsewhere."""

import json
import re

import pytest
from playwright.sync_api import expect

from browser.serving import serving
from browser.test_accessibility import AXE, findings


def send(page, operation):
    """Press the button; the answer's status."""
    page.click(f"#{operation} .try button.primary")
    expect(page.locator(f"#{operation} .status")).to_have_text(re.compile(r"^\d"))
    return page.locator(f"#{operation} .status").inner_text()


def answer(page, operation):
    """What came back as JSON; it comes after the status."""
    shown = page.locator(f"#{operation} .answer")
    expect(shown).to_have_text(re.compile(r"\S"))
    return json.loads(shown.inner_text())


def test_operations_are_tried_from_a_problem_to_the_end_of_a_job(open_page, service):
    page = open_page()
    page.goto(service + "docs")
    page.click("#contents a[href='#generate']")
    page.locator("#generate textarea").fill('{"setting": "hcvrp/10/2", "seed": 1}')
    assert send(page, "generate").startswith("200")
    problem = answer(page, "generate")["problem"]

    page.click("#contents a[href='#create_job']")
    order = {"problem": problem, "solver": "dispatch"}
    page.locator("#create_job textarea").fill(json.dumps(order))
    page.locator("#create_job [name=Idempotency-Key]").fill("from the docs")
    expect(page.locator("#create_job .curl")).to_contain_text("Idempotency-Key: from the docs")
    assert send(page, "create_job").startswith("202")
    id = answer(page, "create_job")["id"]

    page.click("#contents a[href='#get_job_events']")
    page.locator("#get_job_events [name=id]").fill(id)
    assert send(page, "get_job_events").startswith("200")
    expect(page.locator("#get_job_events .answer")).to_contain_text("event: end")

    page.click("#contents a[href='#stop_job']")
    page.locator("#stop_job [name=id]").fill(id)
    page.locator("#stop_job [name=forget]").select_option("true")
    assert send(page, "stop_job").startswith("204")
    assert send(page, "stop_job").startswith("404")
    expect(page.locator("#stop_job .answer")).to_contain_text("no-such-job")


def test_what_is_wrong_is_shown_as_the_service_says_it(open_page, service):
    page = open_page()
    page.goto(service + "docs#validate")
    area = page.locator("#validate textarea")
    area.fill("{")
    area.press("Control+Enter")
    expect(page.locator("#validate .status")).to_have_text(re.compile("^400"))
    expect(page.locator("#validate .answer")).to_contain_text("bad-json")


def test_operations_are_found_by_words_and_without_a_mouse(open_page, service):
    page = open_page(theme="dark")
    page.goto(service + "docs")
    expect(page.locator("#list > details")).not_to_have_count(0)
    page.keyboard.press("/")
    page.keyboard.type("driver sheets")
    expect(page.locator("#list > details:visible")).to_have_count(2)
    expect(page.locator("#contents li:visible")).to_have_count(2)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#sheet[open]")).to_have_count(1)
    expect(page.locator("#sheet summary").first).to_be_focused()


def test_schemas_unfold(open_page, service):
    page = open_page()
    page.goto(service + "docs#create_job")
    fold = page.locator("#create_job .try .schema").first
    fold.locator("summary").first.click()
    expect(fold).to_contain_text("callback")
    fold.get_by_text("More about problem").click()
    expect(fold).to_contain_text("HCVRP")


def test_a_token_is_asked_for_and_kept_out_of_commands(open_page):
    with serving("--token", "open-sesame") as address:
        page = open_page(address=address + "docs")
        page.fill("#token-value", "open-sesame")
        page.click("#token-ok")
        expect(page.locator("#list > details")).not_to_have_count(0)
        page.click("#contents a[href='#list_jobs']")
        assert send(page, "list_jobs").startswith("200")
        expect(page.locator("#list_jobs .curl")).to_contain_text("$GEOPAR_TOKEN")
        expect(page.locator("#list_jobs .curl")).not_to_contain_text("open-sesame")
        page.close()


@pytest.mark.skipif(not AXE.is_file(), reason="no axe-core: `make test-browser`")
@pytest.mark.parametrize(("theme", "width"), [("light", 1360), ("dark", 1360), ("light", 390)])
def test_axe_finds_nothing(open_page, service, theme, width):
    page = open_page(theme=theme, width=width, bypass_csp=True)
    page.goto(service + "docs#list_jobs")
    assert send(page, "list_jobs").startswith("200")
    page.locator("#create_job > summary").click()
    page.locator("#create_job .try .schema summary").first.click()
    assert findings(page) == []
