"""What a server does with a cluster, by a gateway to none; test_gateway.py has a real one."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import fake_gateways
import geopar
from geopar.errors import InputError, MissingExtraError
from geopar.service import cluster as module
from geopar.service.cluster import Cluster, ClusterWorkers, try_out
from geopar.service.jobs import Jobs
from geopar.service.messages import LostWorkerError, RunOptions, SolveCommand
from geopar.service.pool import JobQueue, Pool, Run
from geopar.service.requests import SolveRequest
from geopar.service.sqlite_store import SqliteStore

TWENTY = geopar.generate("hcvrp/20/2", 1)


class Desk:
    """A pool on a cluster, and jobs."""

    def __init__(self, folder: Path, store: SqliteStore) -> None:
        self.folder = folder
        self.workers = ClusterWorkers(Cluster(str(folder)), ("hcvrp",))
        self.queue = JobQueue()
        self.pool = Pool(0, self.queue, self.workers.make_worker)
        self.jobs = Jobs(store, self.queue, self.pool)

    def tell(self, what: str) -> None:
        """What is to happen with the next run."""
        (self.folder / what).touch()

    async def solved(self, **options: Any) -> dict:
        """A job, when it has ended."""
        asked = SolveRequest(TWENTY, "refine", 1.0, 0, None, RunOptions(**options))
        job = await self.jobs.create(asked, "refine")
        await job.has_ended.wait()
        return json.loads(await self.jobs.document(job.row.id))


def with_desk(
    folder: Path, monkeypatch: pytest.MonkeyPatch, use: Callable[[Desk], Awaitable[None]]
) -> None:
    monkeypatch.setattr(module, "_gateway", fake_gateways.gateway)

    async def live() -> None:
        store = SqliteStore(None)
        await store.open()
        desk = Desk(folder, store)
        desk.pool.start()
        desk.workers.start(desk.pool)
        try:
            await asyncio.wait_for(use(desk), 60)
        finally:
            await desk.pool.close(5.0)
            desk.workers.close()
            await desk.jobs.close()
            await store.close()

    asyncio.run(live())


async def until(holds: Callable[[], bool]) -> None:
    while not holds():
        await asyncio.sleep(0.01)


def test_the_pool_is_as_large_as_the_cluster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def use(desk: Desk) -> None:
        await until(lambda: desk.pool.idle == fake_gateways.WORKERS)
        assert desk.workers.to_json() == {
            "address": str(tmp_path), "nodes": 1, "workers": 2, "busy": 0, "connected": True
        }  # fmt: skip
        assert (await desk.solved())["status"] == "finished"
        # A node leaves while all are at work: one may end its run, and is not replaced.
        desk.tell("wait")
        desk.tell("shrink")
        run = Run(SolveCommand(TWENTY, "refine", 1.0, 0))
        desk.queue.add(run)
        desk.pool.hand_out()
        await until(lambda: desk.pool.size == 1)
        assert desk.pool.busy == 1
        desk.pool.stop(run)
        assert (await run.done).texts == ('{"word": "stopped"}',)
        assert (desk.pool.size, desk.pool.idle, desk.pool.restarts) == (1, 1, 0)

    with_desk(tmp_path, monkeypatch, use)


def test_at_most_so_many() -> None:
    assert [Cluster("auto", most).workers(8) for most in (None, 3, 20)] == [8, 3, 8]


def test_a_run_whose_machine_is_lost_is_run_again_from_its_best_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def use(desk: Desk) -> None:
        for options, start in (({}, "hcvrp"), ({"iterations": 9}, None)):
            desk.tell("improve and lose")
            job = await desk.solved(**options)
            assert (job["status"], job["error"]) == ("finished", None)
            assert job["result"] == {"word": f"begun with {start}"}
        assert desk.pool.restarts == 2
        assert desk.pool.size == fake_gateways.WORKERS

    with_desk(tmp_path, monkeypatch, use)


def test_but_not_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def use(desk: Desk) -> None:
        desk.tell("lose")
        job = await desk.solved()
        assert (job["status"], job["error"]["code"]) == ("failed", "worker-lost")
        assert "its machine is gone" in job["error"]["message"]
        assert desk.pool.restarts == 3

    with_desk(tmp_path, monkeypatch, use)


def test_a_gateway_that_ends_is_replaced_and_its_runs_are_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FIRST_PAUSE", 0.01)

    async def use(desk: Desk) -> None:
        desk.tell("crash")
        desk.tell("unusable")  # and the next one finds no cluster at first
        assert (await desk.solved())["status"] == "finished"
        assert desk.pool.size == fake_gateways.WORKERS

    with_desk(tmp_path, monkeypatch, use)


def test_without_a_cluster_it_is_said_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FIRST_PAUSE", 60.0)

    async def use(desk: Desk) -> None:
        await until(lambda: desk.pool.last_ending == "there is no cluster")
        assert desk.pool.size == 0
        assert desk.pool.unready_seconds > 0.0
        assert not desk.workers.to_json()["connected"]

    (tmp_path / "unusable").touch()
    with_desk(tmp_path, monkeypatch, use)


def test_what_is_lost_here_is_not_tried_again() -> None:
    assert not LostWorkerError("by signal 9").may_try_again


def test_nobody_at_the_address() -> None:
    pytest.importorskip("ray", reason="needs the extra cluster")
    with pytest.raises(InputError, match="does not answer"):
        try_out(Cluster("127.0.0.1:9"))


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"geopar\[cluster\]"):
        try_out(Cluster("auto"))
