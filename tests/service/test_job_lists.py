"""Jobs in pages, forgotten, and made once however often they are asked for."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from geopar.files import problem_to_json
from geopar.service.jobs import Jobs
from geopar.service.requests import Key, SolveRequest
from geopar.service.responses import RefusedError
from geopar.service.store import FullStoreError, Listing, Row
from instances import square
from service_running import jobs_without_workers


def order(title: str = "", **more: object) -> dict:
    return {"problem": {**problem_to_json(square()), "name": title}, "solver": "dispatch", **more}


def made(client: httpx.Client, served, name: str) -> str:
    id = client.post("/jobs", json=order(name)).json()["id"]
    served.wait(id, "finished")
    return id


def pages(client: httpx.Client, **query: str | int) -> list[list[str]]:
    found: list[list[str]] = []
    cursor: dict[str, str] = {}
    while True:
        page = client.get("/jobs", params={**query, **cursor}).json()
        found.append([job["id"] for job in page["jobs"]])
        if page["next"] is None:
            return found
        cursor = {"cursor": page["next"]}


def test_pages_tell_every_job_once_while_others_come_and_go(client: httpx.Client, served) -> None:
    ids = [made(client, served, f"paged {number}") for number in range(5)][::-1]
    first = client.get("/jobs", params={"limit": 2, "name": "paged"}).json()
    assert [job["id"] for job in first["jobs"]] == ids[:2]
    assert client.delete(f"/jobs/{ids[1]}?forget").status_code == 204  # the one that it ended with
    made(client, served, "paged later")
    rest = pages(client, limit=2, name="PAGED", cursor=first["next"])
    assert rest == [ids[2:4], ids[4:]]
    named = pages(client, limit=2, name="paged", status="finished")
    assert [len(page) for page in named] == [2, 2, 1]
    assert pages(client, name="paged", status="queued,running") == [[]]


def test_a_job_has_a_name_of_its_own_or_that_of_its_problem(client: httpx.Client, served) -> None:
    id = client.post("/jobs", json=order("square", name="  Plan of Ann ")).json()["id"]
    assert client.get(f"/jobs/{id}").json()["name"] == "Plan of Ann"
    served.wait(id, "finished")
    assert pages(client, name="plan of ann") == [[id]]
    named = client.patch(f"/jobs/{id}", json={"name": "Plan of Bo"}).json()
    assert (named["name"], named["status"]) == ("Plan of Bo", "finished")
    assert pages(client, name="plan of ann") == [[]]
    assert pages(client, name="plan of bo") == [[id]]
    for none in (None, " "):
        assert client.patch(f"/jobs/{id}", json={"name": none}).json()["name"] is None


def test_a_job_is_renamed_while_it_runs(client: httpx.Client, served) -> None:
    body = order("square", solver="refine", time_limit=30)
    id = client.post("/jobs", json=body).json()["id"]
    assert client.patch(f"/jobs/{id}", json={"name": "urgent"}).json()["name"] == "urgent"
    assert client.get(f"/jobs/{id}").json()["name"] == "urgent"
    assert client.delete(f"/jobs/{id}").json()["name"] == "urgent"
    served.wait(id, "stopped")
    assert client.get(f"/jobs/{id}").json()["name"] == "urgent"


@pytest.mark.parametrize(
    ("name", "code"), [(3, "wrong-type"), ("x" * 201, "over-limit"), ("\ud800", "bad-text")]
)
def test_names_that_are_none(client: httpx.Client, name: object, code: str) -> None:
    text = json.dumps({"name": name})
    headers = {"Content-Type": "application/json"}
    for answer in (
        client.patch("/jobs/none", content=text, headers=headers),
        client.post("/jobs", content=json.dumps(order(name=name)), headers=headers),
    ):
        assert answer.status_code == 422
        assert [fault["code"] for fault in answer.json()["error"]["faults"]] == [code]


def test_renaming_a_job_that_is_none(client: httpx.Client) -> None:
    answer = client.patch("/jobs/none", json={"name": "x"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "no-such-job")


def test_what_is_asked_of_a_list_is_checked_all_at_once(client: httpx.Client) -> None:
    answer = client.get("/jobs?limit=0&cursor=x&status=done&status=queued")
    assert answer.status_code == 422
    fields = [fault["field"] for fault in answer.json()["error"]["faults"]]
    assert fields == ["limit", "cursor", "status"]


def test_a_list_goes_by_the_status_in_memory(tmp_path: Path) -> None:
    async def ask() -> list[dict]:
        async with jobs_without_workers(tmp_path) as jobs:
            for _ in range(3):
                await jobs.create(SolveRequest(square(), "refine", 1.0, 0), "refine")
            # Written down as waiting, and running by now.
            next(iter(jobs._live.values())).row.status = "running"
            found = [
                json.loads(await jobs.listed(Listing(most, None, (status,))))
                for most, status in ((9, "running"), (9, "queued"), (1, "queued"))
            ]
            for job in jobs._live.values():
                job.run.done.cancel()
            return found

    running, queued, one = asyncio.run(ask())
    assert [job["status"] for job in running["jobs"]] == ["running"]
    assert [job["position"] for job in queued["jobs"]] == [3, 2]
    assert running["next"] is queued["next"] is None
    assert len(one["jobs"]) == 1
    assert one["next"] is not None


def test_a_job_that_has_ended_is_forgotten_with_its_problem(client: httpx.Client, served) -> None:
    id = made(client, served, "forgotten")
    assert client.delete(f"/jobs/{id}").json()["status"] == "finished"  # stays, as it always did
    gone = client.delete(f"/jobs/{id}", params={"forget": "true"})
    assert (gone.status_code, gone.content) == (204, b"")
    for method, path in (
        ("GET", ""), ("GET", "/problem"), ("GET", "/events"), ("DELETE", "?forget=true"),
    ):  # fmt: skip
        answer = client.request(method, f"/jobs/{id}{path}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "no-such-job")
    assert client.delete("/jobs/none?forget=maybe").status_code == 422


def test_a_job_that_has_not_ended_is_not_forgotten(client: httpx.Client, served) -> None:
    body = order(solver="refine", time_limit=30)
    first, second = (client.post("/jobs", json=body).json()["id"] for _ in range(2))
    served.wait(first, "running")
    for id, status in ((first, "running"), (second, "queued")):
        answer = client.delete(f"/jobs/{id}?forget=true")
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "not-ended")
        assert status in answer.json()["error"]["message"]
    for id in (second, first):
        assert client.delete(f"/jobs/{id}").json()["status"] == "stopped"
        assert client.delete(f"/jobs/{id}?forget=true").status_code == 204


def test_one_that_is_in_the_store_alone_and_waits_is_not_forgotten(tmp_path: Path) -> None:
    """As while it is being made: it would be solved all the same."""

    async def forget() -> None:
        async with jobs_without_workers(tmp_path) as jobs:
            moment = "2026-01-01T00:00:00.000Z"
            await jobs.store.add(Row("a", "queued", "refine", 2, 1, "hcvrp", 4, 2, moment), "{}")
            await jobs.forget("a")

    with pytest.raises(RefusedError, match="queued"):
        asyncio.run(forget())


def test_a_disk_too_full_to_rename_on_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def rename() -> None:
        async with jobs_without_workers(tmp_path) as jobs:

            async def refuse(id: str, name: str | None) -> bool:
                raise FullStoreError("disk full")

            monkeypatch.setattr(jobs.store, "rename", refuse)
            await jobs.rename("a", "b")

    with pytest.raises(RefusedError, match="Make room") as refused:
        asyncio.run(rename())
    assert (refused.value.status, refused.value.code) == (503, "store-full")


def test_a_disk_too_full_to_forget_on_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def forget() -> None:
        async with jobs_without_workers(tmp_path) as jobs:

            async def remove(id: str, ended_only: bool = True) -> bool:
                raise FullStoreError("disk full")

            monkeypatch.setattr(jobs.store, "remove", remove)
            await jobs.forget("a")

    with pytest.raises(RefusedError, match="Make room") as refused:
        asyncio.run(forget())
    assert (refused.value.status, refused.value.code) == (503, "store-full")


def test_the_same_key_and_body_make_one_job(client: httpx.Client, served) -> None:
    def post(body: dict, key: str = "monday-1") -> httpx.Response:
        return client.post("/jobs", json=body, headers={"Idempotency-Key": key})

    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda _: post(order("keyed")), range(8)))
    assert {answer.status_code for answer in answers} == {202}
    (id,) = {answer.json()["id"] for answer in answers}
    assert {answer.headers["location"] for answer in answers} == {f"/jobs/{id}"}
    served.wait(id, "finished")
    later = post(order("keyed")).json()
    assert later == {"id": id, "status": "finished", "position": None}

    other = post(order("keyed", seed=2))
    assert (other.status_code, other.json()["error"]["code"]) == (422, "key-reused")
    assert id in other.json()["error"]["message"]
    assert post(order("keyed"), "monday-2").json()["id"] != id

    client.delete(f"/jobs/{id}?forget=true")
    assert post(order("keyed", seed=2)).status_code == 202  # a key ends with its job


@pytest.mark.parametrize("body", [b"{}", b"{", b'{"problem": 7}', b""])
def test_a_known_key_decides_before_the_body_does(client: httpx.Client, body: bytes) -> None:
    headers = {"Idempotency-Key": f"known {len(body)}", "Content-Type": "application/json"}
    assert client.post("/jobs", json=order(), headers=headers).status_code == 202
    answer = client.post("/jobs", content=body, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "key-reused")


def test_a_body_that_was_refused_takes_no_key(client: httpx.Client) -> None:
    headers = {"Idempotency-Key": "mended"}
    refused = client.post("/jobs", json={}, headers=headers)
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "missing-field")
    assert client.post("/jobs", json=order(), headers=headers).status_code == 202


@pytest.mark.parametrize("key", ["", "x" * 256, "tab\tin it", "schön".encode().decode("latin-1")])
def test_keys_that_are_none(client: httpx.Client, key: str) -> None:
    headers = [(b"Idempotency-Key", key.encode("latin-1"))]
    answer = client.post("/jobs", json=order(), headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad-key")


def test_who_asks_once_more_is_answered_though_the_queue_is_full(
    client: httpx.Client, served, monkeypatch: pytest.MonkeyPatch
) -> None:
    headers = {"Idempotency-Key": "again"}
    id = client.post("/jobs", json=order(), headers=headers).json()["id"]
    monkeypatch.setattr(type(served.service), "_check_queue", lambda *_: pytest.fail("was asked"))
    assert client.post("/jobs", json=order(), headers=headers).json()["id"] == id


def test_a_key_outlives_a_restart_also_of_a_job_that_waits(tmp_path: Path) -> None:
    key = Key("k", "digest")

    async def make(jobs: Jobs) -> str:
        job = await jobs.create(SolveRequest(square(), "refine", 1.0, 0), "refine", key)
        return job.row.id

    async def run() -> None:
        async with jobs_without_workers(tmp_path) as jobs:
            id = await make(jobs)
        async with jobs_without_workers(tmp_path) as jobs:
            await jobs.recover()
            found = await jobs.made_before(key)
            assert found is not None
            assert found == (id, "queued", 1)
            with pytest.raises(RefusedError, match="another body"):
                await jobs.made_before(Key("k", "other"))
            assert await jobs.made_before(Key("other", "digest")) is None

    asyncio.run(run())
