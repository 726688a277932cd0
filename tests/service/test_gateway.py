"""A server whose workers are on a real Ray cluster."""

import time
from typing import Any

import geopar
from geopar.checking import check
from geopar.files import plan_from_json, problem_to_json
from geopar.service.cluster import Cluster, try_out
from geopar.service.limits import Limits
from geopar.service.service import Settings
from service_running import Running, running

TWENTY = geopar.generate("hcvrp/20/2", 1)


def post(served: Running, seconds: float, **more: object) -> str:
    body = {"problem": problem_to_json(TWENTY), "time_limit": seconds, **more}
    answer = served.client.post("/jobs", json=body)
    assert answer.status_code == 202, answer.text
    return answer.json()["id"]


def is_right(job: dict) -> bool:
    assert job["result"] is not None, job
    return check(TWENTY, plan_from_json(job["result"]["plan"])).feasible


def until_told(served: Running, id: str, *events: str) -> None:
    """Follow a job until each of these events came."""
    missing = {f"event: {event}" for event in events}
    with served.client.stream("GET", f"/jobs/{id}/events") as answer:
        for line in answer.iter_lines():
            missing.discard(line)
            if not missing:
                return
    raise AssertionError(f"never told: {missing}")


def until_idle(served: Running, count: int) -> None:
    """Wait for so many warm workers; where nothing is compiled yet that takes long."""
    for _ in range(3000):
        if served.service.pool.idle == count:
            return
        time.sleep(0.1)
    raise TimeoutError(served.service.pool.last_ending)


def until_nodes(served: Running, count: int) -> None:
    """Wait until the cluster is known to have so many: a dead one is missed after a while only."""
    told = served.service.cluster
    assert told is not None
    for _ in range(600):
        if told.to_json()["nodes"] == count:
            return
        time.sleep(0.1)
    raise TimeoutError(told.to_json())


def test_jobs_run_on_the_cluster(ray_cluster: Any) -> None:
    cluster = Cluster(ray_cluster.address)
    assert try_out(cluster) == 2
    with running(Settings(Limits(concurrent=2), 1, kinds=("hcvrp",), cluster=cluster)) as served:
        until_idle(served, 2)

        # The time limit and the end, as with workers here.
        id = post(served, 1.0)
        until_told(served, id, "status", "end")
        assert is_right(served.wait(id, "finished"))
        asked = {"problem": problem_to_json(TWENTY), "time_limit": 20, "iterations": 500}
        there = served.client.post("/solve", json=asked)
        assert there.status_code == 200, there.text
        here = geopar.solve(TWENTY, geopar.MaxIterations(500), threads=1)
        assert there.json()["result"]["objective"] == here.objective

        # Followed for a while and stopped, with the best plan so far.
        id = post(served, 300.0)
        until_told(served, id, "improvement", "progress")
        job = served.client.delete(f"/jobs/{id}").json()
        assert job["status"] == "stopped"
        assert is_right(job)

        # Two run, and one of their nodes dies: both end finished, on what is left.
        ids = [post(served, 4.0), post(served, 4.0)]
        for id in ids:
            served.wait(id, "running")
        ray_cluster.remove_node(next(iter(ray_cluster.worker_nodes)), allow_graceful=False)
        try:
            for id in ids:
                assert is_right(served.wait(id, "finished", "failed", seconds=180.0))
            assert [served.wait(id, "finished", "failed")["status"] for id in ids] == (
                ["finished"] * 2
            )
        finally:
            ray_cluster.add_node(num_cpus=1)
        until_idle(served, 2)
        until_nodes(served, 2)
