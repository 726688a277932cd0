"""The rest of a day, asked for over HTTP, and planned."""

import time

import httpx
import pytest

FIRST = 300.0  # the first day may have to be compiled

DAY = {
    "problem": "hcvrp",
    "name": "a day",
    "time_unit": "minutes",
    "depot": {"x": 0, "y": 0},
    "customers": [
        {"id": "east", "x": 60, "y": 0, "service": 10},
        {"id": "far east", "x": 120, "y": 0, "service": 10},
        {"id": "west", "x": -60, "y": 0, "service": 10},
    ],
    "vehicles": [
        {"id": "red", "speed": 1, "available": ["08:00", "18:00"]},
        {"id": "blue", "speed": 1, "available": ["08:00", "18:00"]},
    ],
}
PLAN = {
    "problem": "hcvrp",
    "routes": [
        {"vehicle": "red", "trips": [["east", "far east"]]},
        {"vehicle": "blue", "trips": [["west"]]},
    ],
}


def asked(**changes):
    return {"problem": DAY, "plan": PLAN, "now": "09:20", **changes}


def test_the_rest_is_told_and_can_be_planned(client: httpx.Client) -> None:
    answer = client.post("/replan", json=asked(out_of_service=["red"])).json()
    assert answer["now"] == 560
    assert answer["done"] == ["east", "west"]
    assert [c["id"] for c in answer["problem"]["customers"]] == ["far east"]
    red, blue = answer["vehicles"]
    assert red["doing"] == "out of service"
    assert red["on_board"] == ["far east"]
    # It was on its way out there, from where the way back is 120 minutes.
    assert red["goods_back"] == 560 + 120
    assert (blue["doing"], blue["at"], blue["free"]) == ("driving", "the depot", 610)
    assert answer["changes"] == []
    job = {"problem": answer["problem"], "start": answer["start"], "time_limit": 0.1}
    result = client.post("/solve", json=job, timeout=FIRST).json()["result"]
    [day] = result["schedule"]
    assert day["departure"] == 680
    again = client.post("/replan", json=asked(out_of_service=["red"], new_plan=result["plan"]))
    [lost, gained] = again.json()["changes"]
    assert lost["lost"] == [{"request": "far east", "to": "blue"}]
    assert gained["gained"] == [{"request": "far east", "from": "red"}]


def test_a_day_that_is_over_leaves_nothing(client: httpx.Client) -> None:
    answer = client.post("/replan", json=asked(now=1200)).json()
    assert answer["problem"] is None
    assert answer["start"] is None
    assert "everything is done" in answer["said"][0]


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"now": "noon", "out_of_service": ["rad"]}, ["now", "out_of_service"]),
        ({"now": True}, ["now"]),
        ({"out_of_service": "red"}, ["out_of_service"]),
        ({"goods_back": "10:00"}, ["goods_back"]),
        ({"plan": {"problem": "omdcpdp", "routes": []}}, ["problem"]),
        ({"new_plan": PLAN}, ["routes[0].trips[0][0]", "routes[1].trips[0][0]"]),
        ({"cancelled": ["norht"]}, ["cancelled"]),
    ],
)
def test_what_makes_no_sense_is_refused(client: httpx.Client, changes, fields) -> None:
    answer = client.post("/replan", json=asked(**changes))
    assert answer.status_code == 422
    assert [fault["field"] for fault in answer.json()["error"]["faults"]] == fields


def test_a_job_keeps_of_which_day_it_is_the_rest(client: httpx.Client) -> None:
    rest = client.post("/replan", json=asked(out_of_service=["red"])).json()
    order = {"problem": rest["problem"], "solver": "dispatch", "start": rest["start"]}
    day = {"job": "1f", "now": "09:20", "out_of_service": ["red"], "vehicles": ["red", "blue"]}
    made = client.post("/jobs", json={**order, "rest_of": {**day, "goods_back": None}}).json()
    assert client.get(f"/jobs/{made['id']}").json()["options"]["rest_of"] == day
    changes = ({"now": True}, {"cancelled": [1]}, {"vehicles": "red"}, {"x": 1})
    for wrong in ({"job": "1f"}, *({**day, **change} for change in changes)):
        refused = client.post("/jobs", json={**order, "rest_of": wrong})
        (fault,) = refused.json()["error"]["faults"]
        assert (fault["code"], fault["field"]) == ("wrong-type", "rest_of")


def test_who_is_out_of_service_has_a_sheet(client: httpx.Client) -> None:
    rest = client.post("/replan", json=asked(out_of_service=["red"])).json()
    day = client.post("/jobs", json={"problem": DAY, "solver": "insert"}).json()["id"]
    assert wait(client, day)
    rest_of = {"job": day, "now": "17:59", "out_of_service": ["red"]}
    order = {"problem": rest["problem"], "solver": "insert", "rest_of": rest_of}
    job = client.post("/jobs", json=order).json()["id"]
    plan = wait(client, job)["plan"]
    page = client.get(f"/jobs/{job}/sheet").text
    assert "<h1>blue</h1>" in page
    assert "Out of service from 17:59: " in page
    own = client.get(f"/jobs/{job}/sheet?vehicle=red").text
    assert "<h1>red</h1>" in own
    assert "<h1>blue</h1>" not in own
    body = {"problem": rest["problem"], "plan": plan, "rest_of": rest_of}
    assert "Out of service from 17:59: " in client.post("/sheet", json=body).text
    # What is not here, or makes no sense, is told as far as it is known.
    for odd in ({"job": "gone"}, {"now": "noon"}):
        page = client.post("/sheet", json={**body, "rest_of": {**rest_of, **odd}}).text
        assert "Out of service." in page
    refused = client.post("/sheet", json={**body, "rest_of": []})
    assert [fault["field"] for fault in refused.json()["error"]["faults"]] == ["rest_of"]


def wait(client: httpx.Client, id: str):
    """The result of a job, once it has one."""
    end = time.monotonic() + FIRST
    while (job := client.get(f"/jobs/{id}").json())["status"] in ("queued", "running"):
        assert time.monotonic() < end
        time.sleep(0.05)
    return job["result"]
