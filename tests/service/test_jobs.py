import asyncio
import gc
import json
import os
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

import geopar
import instances
from geopar.checking import check
from geopar.files import plan_from_json, problem_to_json
from geopar.plan import Plan
from geopar.service.jobs import Jobs
from geopar.service.messages import Compiling, ProgressReport, RunOptions
from geopar.service.pool import JobQueue
from geopar.service.requests import SolveRequest
from geopar.service.sqlite_store import SqliteStore
from geopar.service.store import Listing, Row
from service_running import jobs_without_workers

TWENTY = geopar.generate("hcvrp/20/2", 1)


def post(client: httpx.Client, seconds: float, **more: object) -> str:
    body = {"problem": problem_to_json(TWENTY), "time_limit": seconds, **more}
    answer = client.post("/jobs", json=body)
    assert answer.status_code == 202
    assert answer.headers["location"] == f"/jobs/{answer.json()['id']}"
    return answer.json()["id"]


def events(client: httpx.Client, id: str, **headers: str) -> list[tuple[int, str, dict]]:
    answer = client.get(f"/jobs/{id}/events", headers=headers)
    assert answer.headers["content-type"].startswith("text/event-stream")
    found = []
    for block in answer.text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if line[:1] != ":")
        if fields:
            found.append((int(fields["id"]), fields["event"], json.loads(fields["data"])))
    return found


def test_a_job_from_the_queue_to_its_result(client: httpx.Client, served) -> None:
    id = post(client, 0.5, solver="refine", seed=7)
    seen = events(client, id)
    numbers, names = [event[0] for event in seen], [event[1] for event in seen]
    assert numbers == sorted(numbers)
    assert "improvement" in names
    assert names[-1] == "end"
    improved = [data["objective"] for _, name, data in seen if name == "improvement"]
    # The last one is the checker's, which may round otherwise than the search.
    assert all(b <= a * (1 + 1e-12) for a, b in pairwise(improved))
    best = next(data for _, name, data in seen if name == "improvement")
    assert check(TWENTY, plan_from_json(best["plan"])).objective == best["objective"]

    job = client.get(f"/jobs/{id}").json()
    assert seen[-1][2] == job
    assert (job["status"], job["seed"], job["solver"]) == ("finished", 7, "refine")
    assert job["result"]["objective"] <= improved[-1]
    assert check(TWENTY, plan_from_json(job["result"]["plan"])).feasible
    assert client.get(f"/jobs/{id}/problem").json() == problem_to_json(TWENTY)
    listed = {each["id"]: each for each in client.get("/jobs?limit=3").json()["jobs"]}
    assert listed[id]["name"] is job["name"] is None

    # The end once more for who missed it, and nothing for who did not.
    assert [name for _, name, _ in events(client, id)] == ["end"]
    again = client.get(f"/jobs/{id}/events", headers={"Last-Event-ID": str(seen[-1][0])})
    assert again.status_code == 204


def test_jobs_are_called_after_their_problem(client: httpx.Client) -> None:
    named = {**problem_to_json(TWENTY), "name": "Monday"}
    order = {"problem": named, "solver": "dispatch"}
    id = client.post("/jobs", json=order).json()["id"]
    events(client, id)
    assert client.get(f"/jobs/{id}").json()["name"] == "Monday"
    assert client.get("/jobs?limit=1").json()["jobs"][0]["name"] == "Monday"


def test_two_clients_stop_one_job(client: httpx.Client, served) -> None:
    id = post(client, 30.0)
    served.wait(id, "running")
    time.sleep(0.3)
    with ThreadPoolExecutor(2) as threads:
        answers = list(threads.map(lambda _: client.delete(f"/jobs/{id}"), range(2)))
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()
    job = answers[0].json()
    assert job["status"] == "stopped"
    assert check(TWENTY, plan_from_json(job["result"]["plan"])).feasible
    assert client.delete(f"/jobs/{id}").json() == job


def test_a_job_that_waits_can_be_stopped(client: httpx.Client, served) -> None:
    first, second = post(client, 30.0), post(client, 30.0)
    served.wait(first, "running")
    job = client.delete(f"/jobs/{second}").json()
    assert (job["status"], job["result"]) == ("stopped", None)
    assert client.delete(f"/jobs/{first}").json()["status"] == "stopped"


def test_unknown_jobs(client: httpx.Client) -> None:
    for method, path in (
        ("GET", "/jobs/none"), ("DELETE", "/jobs/none"), ("GET", "/jobs/none/events"),
        ("GET", "/jobs/none/problem"),
    ):  # fmt: skip
        answer = client.request(method, path)
        assert answer.status_code == 404
        assert answer.json()["error"]["code"] == "no-such-job"


def test_a_reader_that_stops_reading_holds_nobody_up(client: httpx.Client, served) -> None:
    id = post(client, 1.0)
    host, port = served.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as silent:
        silent.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        silent.sendall(f"GET /jobs/{id}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        job = served.wait(id, "finished")
    assert job["result"]["feasible"]
    for _ in range(500):
        if served.service.metrics.streams == 0:
            break
        time.sleep(0.01)
    assert served.service.metrics.streams == 0


def test_too_many_streams(client: httpx.Client, served) -> None:
    id = post(client, 30.0)
    served.service.metrics.streams += 3
    try:
        refused = client.get(f"/jobs/{id}/events")
    finally:
        served.service.metrics.streams -= 3
    assert refused.status_code == 429
    assert "limit is 3" in refused.json()["error"]["message"]
    assert client.get(f"/jobs/{id}/events?after=x").status_code == 422
    client.delete(f"/jobs/{id}")


def test_a_solver_that_cannot_do_it_fails_the_job_with_its_reason(
    client: httpx.Client, served, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Past the reader, which would have found it: as if the solver itself had refused.
    monkeypatch.setattr("geopar.service.requests.find_solver", lambda name, kind: None)
    body = {"problem": problem_to_json(instances.corridor()), "solver": "sisr", "time_limit": 1}
    job = served.wait(client.post("/jobs", json=body).json()["id"], "failed")
    assert job["error"]["code"] == "wrong-problem"
    assert job["result"] is None


def test_a_worker_that_dies_is_replaced_and_its_job_fails(client: httpx.Client, served) -> None:
    id = post(client, 30.0)
    served.wait(id, "running")
    results = (client.get(f"/jobs/{id}").json()["result"] for _ in range(3000))
    assert next(filter(None, results))["feasible"]
    (pid,) = served.service.pool.pids()
    os.kill(pid, signal.SIGKILL)
    job = served.wait(id, "failed")
    assert job["error"]["code"] == "worker-lost"
    assert "signal 9" in job["error"]["message"]
    assert served.service.pool.restarts == 1
    assert served.wait(post(client, 0.1), "finished")["result"]["feasible"]
    served.service.pool.restarts = 0


def test_whoever_stops_a_job_that_does_not_end_is_answered_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("geopar.service.jobs.STOP_SECONDS", 0.01)
    queue = JobQueue()
    # Its one worker takes the run, and is not heard of again.
    deaf: Any = SimpleNamespace(hand_out=lambda: None, stop=lambda run: None)

    async def stop() -> dict:
        store = SqliteStore(None)
        await store.open()
        jobs = Jobs(store, queue, deaf)
        job = await jobs.create(SolveRequest(TWENTY, "refine", 1.0, 0), "refine")
        queue.take().started()
        try:
            return json.loads(await asyncio.wait_for(jobs.stop(job.row.id), 60))
        finally:
            job.run.done.cancel()
            await job.has_ended.wait()
            await jobs.close()
            await store.close()

    assert asyncio.run(stop())["status"] == "running"


def test_a_full_disk_is_told_and_nothing_is_lost(
    client: httpx.Client, served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("geopar.service.jobs.RETRY_EVERY", 0.05)
    running = post(client, 30.0)
    served.wait(running, "running")

    def write(statement: str) -> None:
        store = served.service.store
        store._thread.submit(lambda: store._connection.execute(statement)).result()

    write("PRAGMA max_page_count = 1")  # no larger than it is
    try:
        body = {"problem": problem_to_json(geopar.generate("hcvrp/200/3", 1)), "time_limit": 1}
        for _ in range(20):  # until the pages that are there are full
            refused = client.post("/jobs", json=body)
            if refused.status_code != 202:
                break
            client.delete(f"/jobs/{refused.json()['id']}")
        assert refused.status_code == 503
        assert refused.json()["error"]["code"] == "store-full"
        assert "Traceback" not in refused.text
        stopped = client.delete(f"/jobs/{running}").json()
        assert stopped["status"] == "stopped"
        assert client.get(f"/jobs/{running}").json() == stopped
    finally:
        write("PRAGMA max_page_count = 1000000")
    for _ in range(500):
        if served.service.jobs.live(running) is None:
            break
        time.sleep(0.02)
    assert client.get(f"/jobs/{running}").json() == stopped


def test_jobs_that_wait_when_the_service_ends_wait_on_without_complaint(tmp_path: Path) -> None:
    complaints: list = []

    async def end() -> list:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda loop, context: complaints.append(context))
        async with jobs_without_workers(tmp_path) as jobs:
            request = SolveRequest(TWENTY, "refine", 1.0, 0)
            made = [await jobs.create(request, "refine") for _ in range(3)]
        await asyncio.sleep(0)
        return made

    made = asyncio.run(end())
    gc.collect()  # a task that failed complains when it is removed
    assert complaints == []
    assert {job.row.status for job in made} == {"queued"}
    assert not any(job.run.done.cancelled() for job in made)


def test_a_run_that_waits_for_code_says_so(tmp_path: Path) -> None:
    async def run() -> list[dict]:
        async with jobs_without_workers(tmp_path) as jobs:
            job = await jobs.create(SolveRequest(TWENTY, "refine", 1.0, 0), "refine")
            told = []
            for report in (Compiling(), ProgressReport(0.5, 7)):
                job.run.watch(report)
                told.append(json.loads(job.log.since(0)[-1].data))
            return told

    assert asyncio.run(run()) == [
        {"time": 0.0, "iterations": None, "compiling": True},
        {"time": 0.5, "iterations": 7},
    ]


def test_jobs_that_wait_keep_the_plan_they_begin_with_and_when_they_end(tmp_path: Path) -> None:
    square = instances.square()
    plan = Plan.from_indices(square, [[[0, 1]], [[2, 3]]])
    asked = [(plan, RunOptions()), (None, RunOptions(7, 2.5, 0.5, 1))]

    async def run() -> list[Any]:
        async with jobs_without_workers(tmp_path) as jobs:
            for more in asked:
                await jobs.create(SolveRequest(square, "refine", 1.0, 0, *more), "refine")
        async with jobs_without_workers(tmp_path) as jobs:
            await jobs.recover()
            commands = [jobs.queue.take().command for _ in asked]
            return [(command.start, command.options) for command in commands]

    assert asyncio.run(run()) == asked


def test_a_job_of_damaged_text_is_left_out_of_the_list(tmp_path: Path) -> None:
    async def ask() -> list[str]:
        async with jobs_without_workers(tmp_path) as jobs:
            rows = [
                Row(id, "failed", "refine", 2.0, 1, "hcvrp", 4, 2, "2026-01-01T00:00:00.000Z")
                for id in "abcd"
            ]
            rows[1].error = "no JSON {"
            rows[2].objective = b"no number"  # type: ignore[assignment]
            for row in rows:
                await jobs.store.add(row, "{}")
            return [job["id"] for job in json.loads(await jobs.listed(Listing(9)))["jobs"]]

    assert asyncio.run(ask()) == ["d", "a"]
