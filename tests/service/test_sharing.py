"""Servers that share a PostgreSQL: each is asked about jobs of the other."""

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import httpx
import pytest

import geopar
from geopar.checking import check
from geopar.files import plan_from_json, problem_to_json
from geopar.service.limits import Limits
from geopar.service.service import Settings
from geopar.service.sharing import Watch
from geopar.service.webhooks import Allowed
from geopar.testing.postgresql import Postgres
from service_running import Running, running

TWENTY = geopar.generate("hcvrp/20/2", 1)
ENDED = ("finished", "stopped", "failed", "interrupted")


def settings(url: str, **more: Any) -> Settings:
    limits = more.pop("limits", Limits(concurrent=1))
    return Settings(limits, 1, kinds=("hcvrp",), store=url, lease=3.0, **more)


@contextlib.contextmanager
def two(url: str, **more: Any) -> Iterator[tuple[Running, Running]]:
    with running(settings(url, **more)) as one, running(settings(url, **more)) as other:
        yield one, other


def post(client: httpx.Client, seconds: float, **more: object) -> str:
    body = {"problem": problem_to_json(TWENTY), "time_limit": seconds, **more}
    answer = client.post("/jobs", json=body)
    assert answer.status_code == 202, answer.text
    return answer.json()["id"]


def until(is_so: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


def answers(client: httpx.Client, id: str) -> None:
    """Wait until a server has found out that the database is back."""
    until(lambda: client.get(f"/jobs/{id}").status_code == 200)


def events(client: httpx.Client, id: str) -> list[tuple[int, str, dict]]:
    found = []
    for block in client.get(f"/jobs/{id}/events").text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if line[:1] != ":")
        if fields:
            found.append((int(fields["id"]), fields["event"], json.loads(fields["data"])))
    return found


def test_any_server_answers_for_any_job(database: str) -> None:
    with two(database) as (one, other):
        # Events: status, progress, improvements and the end reach a client of the other server.
        id = post(one.client, 2.5)
        seen = events(other.client, id)
        numbers, names = [number for number, _, _ in seen], [name for _, name, _ in seen]
        assert numbers == sorted(set(numbers))
        assert {"status", "improvement", "progress"} <= set(names)
        assert names[-1] == "end"
        job = other.client.get(f"/jobs/{id}").json()
        # Whose job it is keeps the end first and believes it then.
        assert seen[-1][2] == job == one.wait(id, "finished")
        assert job["status"] == "finished"
        assert check(TWENTY, plan_from_json(job["result"]["plan"])).feasible
        again = other.client.get(f"/jobs/{id}/events", headers={"Last-Event-ID": str(numbers[-1])})
        assert again.status_code == 204

        # Renamed from the other side, while it runs and after.
        named = post(one.client, 60.0)
        one.wait(named, "running")
        assert other.client.patch(f"/jobs/{named}", json={"name": "b"}).json()["name"] == "b"
        until(lambda: one.client.get(f"/jobs/{named}").json()["name"] == "b")
        assert one.client.delete(f"/jobs/{named}").json()["name"] == "b"
        assert one.client.patch(f"/jobs/{named}", json={"name": "c"}).status_code == 200
        assert other.client.get(f"/jobs/{named}").json()["name"] == "c"
        assert other.client.delete(f"/jobs/{named}?forget=true").status_code == 204

        # Stopped from the other side: one that runs, and one that waits.
        runs, waits = post(one.client, 60.0), post(one.client, 60.0)
        one.wait(runs, "running")
        until(lambda: other.client.get(f"/jobs/{runs}").json()["result"] is not None)
        assert other.client.delete(f"/jobs/{runs}?forget=true").status_code == 409
        stopped = other.client.delete(f"/jobs/{waits}").json()
        assert (stopped["status"], stopped["result"]) == ("stopped", None)
        stopped = other.client.delete(f"/jobs/{runs}").json()
        assert stopped["status"] == "stopped"
        assert check(TWENTY, plan_from_json(stopped["result"]["plan"])).feasible
        assert one.client.get(f"/jobs/{runs}").json() == stopped
        assert other.client.get(f"/jobs/{runs}/problem").json() == problem_to_json(TWENTY)

        # Lists, keys and forgetting are the same everywhere.
        listed = [job["id"] for job in other.client.get("/jobs").json()["jobs"]]
        assert listed == [waits, runs, id]
        body = {"problem": problem_to_json(TWENTY), "solver": "dispatch"}
        made = [
            server.client.post("/jobs", json=body, headers={"Idempotency-Key": "k"}).json()["id"]
            for server in (one, other)
        ]
        assert made[0] == made[1]
        other.wait(made[0], "finished")
        assert other.client.delete(f"/jobs/{made[0]}?forget=true").status_code == 204
        assert one.client.get(f"/jobs/{made[0]}").status_code == 404
        assert one.client.delete("/jobs/none").status_code == 404


def test_what_waits_goes_to_others_when_its_server_ends_if_their_limits_allow(
    database: str,
) -> None:
    with running(settings(database, limits=Limits(concurrent=1, time_limit=1.0))) as small:
        with running(settings(database)) as large:
            runs = post(large.client, 60.0)
            waits, too_long = post(large.client, 0.2), post(large.client, 2.0)
            until(lambda: small.client.get(f"/jobs/{runs}").json()["result"] is not None)
        job = small.wait(runs, *ENDED)
        assert job["status"] == "interrupted"
        assert check(TWENTY, plan_from_json(job["result"]["plan"])).feasible
        assert small.wait(waits, *ENDED)["status"] == "finished"
        assert small.client.get(f"/jobs/{too_long}").json()["status"] == "queued"
        with running(settings(database)):
            assert small.wait(too_long, *ENDED)["status"] == "finished"


def test_a_server_without_work_takes_what_waits_elsewhere_if_its_limits_allow(
    database: str,
) -> None:
    limits = Limits(concurrent=1, time_limit=1.0)
    with running(settings(database)) as busy, running(settings(database, limits=limits)) as idle:
        runs = post(busy.client, 60.0)
        busy.wait(runs, "running")
        waits = [post(busy.client, 0.2) for _ in range(3)]
        too_long, last = post(busy.client, 2.0), post(busy.client, 0.2)
        heard: list[tuple[int, str, dict]] = []
        listener = threading.Thread(target=lambda: heard.extend(events(idle.client, waits[0])))
        listener.start()
        for id in (*waits, last):
            job = busy.wait(id, *ENDED)
            assert job["status"] == "finished"
            assert check(TWENTY, plan_from_json(job["result"]["plan"])).feasible
            assert idle.client.get(f"/jobs/{id}").json() == job
        listener.join(30)
        numbers = [number for number, _, _ in heard]
        assert numbers == sorted(set(numbers))
        assert heard[-1][1] == "end"
        # The first one runs on where it was, and so waits what the other may not run.
        assert busy.client.get(f"/jobs/{runs}").json()["status"] == "running"
        assert busy.client.get(f"/jobs/{too_long}").json()["position"] == 1
        assert busy.client.delete(f"/jobs/{runs}").json()["status"] == "stopped"
        assert busy.wait(too_long, *ENDED)["status"] == "finished"


def test_a_database_that_goes_away_and_comes_back(
    postgres: Postgres, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("geopar.service.jobs.RETRY_EVERY", 0.2)
    with two(database) as (one, other):
        before = post(one.client, 0.2)
        one.wait(before, "finished")
        runs, long = post(one.client, 2.0), post(other.client, 8.0)
        until(lambda: other.client.get(f"/jobs/{long}").json()["result"] is not None)
        postgres.stop()
        try:
            for answer in (
                other.client.get(f"/jobs/{runs}"), one.client.get("/jobs"),
                one.client.post("/jobs", json={"problem": problem_to_json(TWENTY)}),
                other.client.get(f"/jobs/{runs}/events"), other.client.delete(f"/jobs/{runs}"),
            ):  # fmt: skip
                assert answer.status_code == 503
                assert answer.json()["error"]["code"] == "store-away"
                assert int(answer.headers["retry-after"]) > 0
            # The one that has it knows it all the same.
            assert one.wait(runs, "finished")["result"]["feasible"]
        finally:
            postgres.start()
        for id in (before, runs, long):
            for server in (one, other):
                answers(server.client, id)
            assert other.wait(id, *ENDED)["status"] == "finished"
            assert one.wait(id, *ENDED)["result"]["feasible"]
        assert one.wait(post(other.client, 0.1), "finished")


def test_one_server_tells_of_an_end_and_once(database: str) -> None:
    told: list[str] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            told.append(json.loads(body)["job"]["id"])
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    receiver = HTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{receiver.server_port}/"
    try:
        with two(database, webhooks=Allowed(("127.0.0.1",))) as (one, other):
            ids = [post(server.client, 0.1, callback=address) for server in (one, other, one)]
            for id in ids:
                one.wait(id, "finished")
            until(
                lambda: (
                    {other.client.get(f"/jobs/{id}").json()["callback"]["state"] for id in ids}
                    == {"sent"}
                )
            )
            time.sleep(2.5)  # two looks of each server at what is still to be told
        assert sorted(told) == sorted(ids)
    finally:
        receiver.shutdown()
        receiver.server_close()


def test_a_server_is_given_up_only_by_who_could_see_it_all_the_time() -> None:
    watch = Watch(10.0)
    assert watch.look({"a": 1, "b": 1}, 0.0) == []
    for clock in (4.0, 8.0):
        assert watch.look({"a": 1, "b": int(clock)}, clock) == []
    assert watch.look({"a": 1, "b": 9}, 11.0) == [("a", 1)]
    # Away for a while: what was seen before says nothing.
    assert watch.look({"a": 1, "b": 9}, 30.0) == []
    assert watch.look({"a": 1, "b": 9}, 34.0) == []
    watch.forget()
    assert watch.look({"a": 1, "b": 9}, 39.0) == []
    assert watch.look({"b": 10}, 43.0) == []
