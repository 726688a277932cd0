"""A server process that is killed, and one that is asked to end."""

import contextlib
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

import geopar
from geopar.checking import check
from geopar.files import plan_from_json, problem_to_json

TWENTY = geopar.generate("hcvrp/20/2", 1)


def start(folder: Path) -> tuple[subprocess.Popen, httpx.Client]:
    command = [sys.executable, "-c", "from geopar.cli import main; main()", "serve", "--port", "0"]
    command += ["--data", str(folder), "--workers", "1", "--network-workers", "1"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    line = server.stderr.readline()
    port = re.search(r":(\d+) ", line)
    assert port, line + server.stderr.read()
    return server, httpx.Client(base_url=f"http://127.0.0.1:{port[1]}", timeout=120)


def until(client: httpx.Client, id: str, *wanted: str) -> dict:
    for _ in range(3000):
        job = client.get(f"/jobs/{id}").json()
        if job["status"] in wanted and (job["status"] != "running" or job["result"]):
            return job
        time.sleep(0.05)
    raise TimeoutError(job["status"])


def children(pid: int) -> set[int]:
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = stat.read_text().rpartition(")")
        except OSError:
            continue
        if int(rest.split()[1]) == pid and rest.split()[0] != "Z":
            found.add(int(name.split()[0]))
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_killed_and_started_again_nothing_is_lost(tmp_path: Path) -> None:
    def body(seconds: float) -> dict:
        return {"problem": problem_to_json(TWENTY), "time_limit": seconds}

    server, client = start(tmp_path)
    finished = client.post("/jobs", json=body(0.2)).json()["id"]
    before = until(client, finished, "finished")
    ran = client.post("/jobs", json=body(300)).json()["id"]
    waited = client.post("/jobs", json=body(0.2)).json()["id"]
    until(client, ran, "running")
    time.sleep(0.5)  # until the first plan is written down
    workers = children(server.pid)
    os.kill(server.pid, signal.SIGKILL)
    server.wait()
    server.stderr.close()
    client.close()
    for _ in range(500):
        if not any(map(alive, workers)):
            break
        time.sleep(0.02)
    assert not any(map(alive, workers))  # nobody computes for nobody

    server, client = start(tmp_path)
    assert client.get(f"/jobs/{finished}").json() == before
    job = client.get(f"/jobs/{ran}").json()
    assert job["status"] == "interrupted"
    assert job["error"]["code"] == "interrupted"
    assert check(TWENTY, plan_from_json(job["result"]["plan"])).feasible
    assert until(client, waited, "finished")["result"]["feasible"]

    # Asked to end it does so in order: what runs is interrupted with what it has, what waits waits.
    ran = client.post("/jobs", json=body(300)).json()["id"]
    until(client, ran, "running")
    waited = client.post("/jobs", json=body(0.2)).json()["id"]
    with client.stream("GET", f"/jobs/{ran}/events") as stream:
        lines = stream.iter_lines()
        assert next(lines).startswith("id: ")
        server.send_signal(signal.SIGINT)
        for _ in lines:  # ends, because the server lets go
            pass
    client.close()
    rest = server.communicate(timeout=60)[1]
    assert server.returncode == 0
    assert "Traceback" not in rest

    kept = statuses(tmp_path)
    assert (kept[ran], kept[waited]) == ("interrupted", "queued")


def statuses(folder: Path) -> dict[str, str]:
    with contextlib.closing(sqlite3.connect(folder / "jobs.sqlite")) as connection:
        return dict(connection.execute("SELECT id, status FROM jobs").fetchall())
