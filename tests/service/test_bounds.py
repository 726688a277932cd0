"""How good a plan could be at best, asked over HTTP."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

import geopar
import instances
from geopar.bounding import Bound
from geopar.files import problem_to_json
from geopar.service.limits import Limits
from geopar.service.service import Settings
from service_running import Running, running

SQUARE = problem_to_json(instances.square())
ORDERS = problem_to_json(geopar.generate("omdcpdp/4/2"))
# Compiled once, which takes a while.
FIRST = 300.0


@pytest.fixture
def long_bound(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """A bound that takes until nobody wants it any more; set once it has begun."""
    begun = threading.Event()

    def look(problem, seconds, stopped) -> Bound:
        begun.set()
        end = time.monotonic() + seconds
        while not stopped() and time.monotonic() < end:
            time.sleep(0.01)
        return Bound(1.0, "work", False, seconds)

    monkeypatch.setattr("geopar.service.bounds.bound", look)
    return begun


def wait_until_none(served: Running) -> None:
    end = time.monotonic() + 10.0
    while len(served.service.bounds) and time.monotonic() < end:
        time.sleep(0.01)
    assert len(served.service.bounds) == 0


def test_no_plan_is_better_than_the_bound(client: httpx.Client) -> None:
    answer = client.post("/bound", json={"problem": SQUARE, "time_limit": 5}, timeout=FIRST)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert found.keys() == set(Bound._fields)
    result = client.post("/solve", json={"problem": SQUARE, "time_limit": 0.2}).json()["result"]
    assert 0.0 < found["value"] <= result["objective"] + 1e-9
    assert (found["method"], found["complete"]) == ("trips", True)


def test_what_was_read_can_be_sent_as_it_is(client: httpx.Client) -> None:
    drawn = client.post("/generate", json={"setting": "hcvrp/5/2"}).json()
    assert client.post("/bound", json=drawn | {"time_limit": 0}).json()["method"] == "work"


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ({"problem": ORDERS}, {"no-bound"}),
        ({"problem": SQUARE | {"minimise": "distance"}}, {"no-bound"}),
        ({"problem": SQUARE, "time_limit": -1}, {"bad-limit"}),
        ({"problem": SQUARE, "time_limit": "5"}, {"not-a-number"}),
        ({"problem": SQUARE, "time_limit": 31}, {"over-limit"}),
        ({"problem": ORDERS, "time_limit": 31}, {"no-bound", "over-limit"}),
        ({"time_limit": 1}, {"missing-field"}),
        ({"problem": SQUARE, "seed": 1}, {"unknown-field"}),
    ],
)
def test_what_has_no_bound_is_refused(client: httpx.Client, body: dict, codes: set[str]) -> None:
    answer = client.post("/bound", json=body)
    assert answer.status_code == 422
    assert {fault["code"] for fault in answer.json()["error"]["faults"]} == codes


def test_a_bound_may_take_no_longer_than_a_run_and_a_minute() -> None:
    told = [(Limits(time_limit=most).bound_limit, Limits(time_limit=most).bound_seconds)
            for most in (4.0, 30.0, 600.0)]  # fmt: skip
    assert told == [(4.0, 4.0), (30.0, 10.0), (60.0, 10.0)]


def test_too_many_at_once_are_refused(
    client: httpx.Client, served: Running, long_bound: threading.Event
) -> None:
    with ThreadPoolExecutor(1) as thread:
        first = thread.submit(client.post, "/bound", json={"problem": SQUARE, "time_limit": 3})
        assert long_bound.wait(10)
        refused = client.post("/bound", json={"problem": SQUARE})
        assert refused.status_code == 429
        assert refused.headers["retry-after"] == "1"
        assert refused.json()["error"]["code"] == "too-busy"
        # All else is answered meanwhile.
        assert client.post("/validate", json={"problem": SQUARE}).status_code == 200
        assert first.result().status_code == 200
    wait_until_none(served)


def test_a_client_that_goes_away_ends_its_bound(
    client: httpx.Client, served: Running, long_bound: threading.Event
) -> None:
    with pytest.raises(httpx.ReadTimeout):
        client.post("/bound", json={"problem": SQUARE, "time_limit": 30}, timeout=0.5)
    assert long_bound.is_set()
    wait_until_none(served)


def test_a_service_that_closes_ends_its_bounds(long_bound: threading.Event) -> None:
    with running(Settings(limits=Limits(concurrent=1), network_workers=1)) as served:
        with ThreadPoolExecutor(1) as thread:
            body = {"problem": SQUARE, "time_limit": 60}
            answer = thread.submit(served.client.post, "/bound", json=body)
            assert long_bound.wait(10)
            served.loop.call_soon_threadsafe(served.service.prepare_to_close)
            assert answer.result(10).json()["error"]["code"] == "closing"
        wait_until_none(served)
