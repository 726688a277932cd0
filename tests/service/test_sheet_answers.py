"""Driver sheets over HTTP."""

import csv
import io
import json
import time

import httpx
import pytest

from geopar.files import plan_to_json, problem_to_json
from geopar.service.responses import RefusedError
from geopar.service.sheet_answers import MEDIA, job_plan, sheet_response
from geopar.sheets.html import CONTENT_POLICY
from instances import plan_of, square, town

PLAN = plan_of({"red": [["east", "north"]], "blue": [["south", "west"]]})
ASKED = {"problem": problem_to_json(square()), "plan": plan_to_json(PLAN)}


@pytest.mark.parametrize("format", sorted(set(MEDIA) - {"gpx"}))
def test_sheets_of_a_plan(client: httpx.Client, format) -> None:
    answer = client.post("/sheet", json=ASKED | {"format": format})
    assert answer.status_code == 200
    assert answer.headers["content-type"].partition(";")[0] == MEDIA[format]
    assert len(answer.content) > 100


def test_a_page_may_have_its_own_style_and_nothing_else(client: httpx.Client) -> None:
    answer = client.post("/sheet", json=ASKED)
    assert answer.headers["content-security-policy"] == CONTENT_POLICY
    assert "content-disposition" not in answer.headers
    assert "<h1>red</h1>" in answer.text


def test_some_vehicles(client: httpx.Client) -> None:
    answer = client.post("/sheet", json=ASKED | {"format": "csv", "vehicles": ["blue"]})
    assert {row["vehicle"] for row in csv.DictReader(io.StringIO(answer.text))} == {"blue"}
    assert "sheets.csv" in answer.headers["content-disposition"]


def test_the_date_to_print(client: httpx.Client) -> None:
    page = client.post("/sheet", json={**ASKED, "date": "2026-11-19"}).text
    assert "Thursday, 19 November 2026" in page
    answer = client.post("/sheet", json={**ASKED, "date": "soon"})
    assert [fault["field"] for fault in answer.json()["error"]["faults"]] == ["date"]


def test_every_fault_at_once(client: httpx.Client) -> None:
    body = ASKED | {"format": 3, "vehicles": "blue", "plan": []}
    answer = client.post("/sheet", json=body)
    assert answer.status_code == 422
    fields = {fault["field"] for fault in answer.json()["error"]["faults"]}
    assert {"format", "vehicles"} < fields


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"format": "pdf"}, "unknown-format"),
        ({"vehicles": ["green"]}, "unknown-vehicle"),
        ({"format": "gpx"}, "not-on-earth"),
    ],
)
def test_what_cannot_be_written_is_refused(client: httpx.Client, more, code) -> None:
    answer = client.post("/sheet", json=ASKED | more)
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == code


def test_sheets_of_a_job(served, client: httpx.Client) -> None:
    body = {"problem": problem_to_json(town()), "time_limit": 0.1}
    id = client.post("/jobs", json=body).json()["id"]
    served.wait(id, "finished")
    page = client.get(f"/jobs/{id}/sheet")
    assert page.status_code == 200
    assert "Home by" in page.text
    first, *_ = town().vehicle_ids
    answer = client.get(f"/jobs/{id}/sheet", params={"format": "gpx", "vehicle": first})
    assert answer.headers["content-type"].startswith("application/gpx+xml")


def test_sheets_of_no_job(client: httpx.Client) -> None:
    answer = client.get("/jobs/none/sheet")
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "no-such-job"


def test_a_job_without_a_plan_has_no_sheets() -> None:
    job = json.dumps({"id": "x", "status": "queued", "result": None})
    with pytest.raises(RefusedError, match="no plan yet; it is queued"):
        job_plan(json.dumps(problem_to_json(square())), job)


def test_gpx_is_saved_under_a_name() -> None:
    plan = plan_of({town().vehicle_ids[0]: [[town().customer_ids[0]]]})
    answer = sheet_response(town(), plan, "gpx", None)
    assert answer.headers["content-disposition"] == 'attachment; filename="sheets.gpx"'


@pytest.mark.parametrize(("status", "preliminary"), [("running", True), ("finished", False)])
def test_the_plan_of_a_job_that_runs_is_preliminary(status: str, preliminary: bool) -> None:
    job = json.dumps({"id": "x", "status": status, "result": {"plan": plan_to_json(PLAN)}})
    found = job_plan(json.dumps(problem_to_json(square())), job)
    assert found.preliminary is preliminary


def test_preliminary_sheets_say_so() -> None:
    page = sheet_response(square(), PLAN, "html", None, preliminary=True)
    assert b"Preliminary" in page.body
    file = sheet_response(square(), PLAN, "csv", None, preliminary=True)
    assert "sheets-preliminary.csv" in file.headers["content-disposition"]


def test_the_sheet_of_a_running_job_is_preliminary(served, client: httpx.Client) -> None:
    id = client.post("/jobs", json={"problem": problem_to_json(town()), "time_limit": 30}).json()[
        "id"
    ]
    served.wait(id, "running")
    deadline = time.monotonic() + 60
    while (page := client.get(f"/jobs/{id}/sheet")).status_code == 404:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert "Preliminary" in page.text
    client.delete(f"/jobs/{id}")
    assert "Preliminary" not in client.get(f"/jobs/{id}/sheet").text
