"""How much the service bears on this machine, client and server together.

Three parts, on loopback, against a server that this starts (``geopar serve``) or a running one:

- one-pass solves of hcvrp/60/3 at a fixed rate, whether or not earlier ones were answered: the
  target is 200 a second for a minute with a 99th percentile under 250 ms and no error;
- 50 jobs of 2 s queued at once: all have to finish, nothing may get lost;
- 1,000 malformed bodies: every answer has to be 4xx.

Usage: python benchmarks/service_load.py --rate 200 --seconds 60 --jobs 50 --job-seconds 2
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import resource
import subprocess
import sys
import time
from collections import Counter, deque
from pathlib import Path
from threading import Thread

import geopar
from geopar.files import problem_to_json
from geopar.testing.http_client import Client

PROBLEMS = 64


def processor_seconds(pid: int | None) -> dict[int, float]:
    """What a server and its workers have used so far (Linux only; else nothing)."""
    used: dict[int, float] = {}
    for stat in Path("/proc").glob("[0-9]*/stat") if pid else ():
        try:
            name, _, rest = stat.read_text().rpartition(")")
        except OSError:
            continue  # it has just ended
        fields, number = rest.split(), int(name.split()[0])
        if pid in (number, int(fields[1])):
            used[number] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return used


async def one_pass(client: Client, rate: float, seconds: float, server: int | None) -> None:
    """Requests at a fixed rate, each at its own moment."""
    bodies = [
        json.dumps(
            {
                "problem": problem_to_json(geopar.generate("hcvrp/60/3", seed)),
                "solver": "pointer",
            }
        ).encode()
        for seed in range(PROBLEMS)
    ]
    await asyncio.gather(*(client.call("POST", "/solve", body) for body in bodies))  # warm
    took: list[float] = []
    statuses: Counter[int | str] = Counter()

    async def ask(body: bytes) -> None:
        began = time.perf_counter()
        try:
            status, _ = await client.call("POST", "/solve", body)
        except (OSError, asyncio.IncompleteReadError) as error:
            statuses[type(error).__name__] += 1
            return
        took.append(time.perf_counter() - began)
        statuses[status] += 1

    before, own = processor_seconds(server), time.process_time()
    began, tasks = time.perf_counter(), []
    for number in range(int(rate * seconds)):
        await asyncio.sleep(max(0.0, began + number / rate - time.perf_counter()))
        tasks.append(asyncio.create_task(ask(bodies[number % PROBLEMS])))
    await asyncio.gather(*tasks)
    whole = time.perf_counter() - began
    after = processor_seconds(server)
    used = {pid: after[pid] - before.get(pid, 0.0) for pid in after}
    took.sort()
    share = [took[min(len(took) - 1, int(q * len(took)))] * 1e3 for q in (0.5, 0.9, 0.99)]
    print(
        f"one pass: {len(took)} answers in {whole:.1f} s ({len(took) / whole:.0f}/s), "
        f"p50 {share[0]:.0f} ms, p90 {share[1]:.0f} ms, p99 {share[2]:.0f} ms, "
        f"worst {took[-1] * 1e3:.0f} ms, statuses {dict(statuses)}"
    )
    metrics = (await client.call("GET", "/metrics"))[1].decode()
    total, count = (
        float(re.search(rf"batch_size_{name} (\S+)", metrics)[1]) for name in ("sum", "count")
    )
    each = 1e3 / max(1, len(took))
    print(
        f"          mean batch {total / count:.1f} problems; processor time for each request: "
        f"server {used.get(server, 0.0) * each:.2f} ms, "
        f"workers {sum(t for pid, t in used.items() if pid != server) * each:.2f} ms, "
        f"this client {(time.process_time() - own) * each:.2f} ms"
    )


async def jobs(client: Client, count: int, seconds: float) -> None:
    """Jobs queued at once, until the last has ended."""
    began = time.perf_counter()
    ids = []
    for seed in range(count):
        problem = problem_to_json(geopar.generate("hcvrp/60/3", seed))
        body = json.dumps({"problem": problem, "solver": "refine", "time_limit": seconds})
        status, content = await client.call("POST", "/jobs", body.encode())
        if status != 202:
            sys.exit(f"job {seed}: {status} {content[:200]!r}")
        ids.append(json.loads(content)["id"])
    queued = time.perf_counter() - began
    waiting, ended = set(ids), Counter()
    while waiting:
        await asyncio.sleep(0.2)
        for id in sorted(waiting):
            job = json.loads((await client.call("GET", f"/jobs/{id}"))[1])
            if job["status"] in ("queued", "running"):
                continue
            waiting.discard(id)
            ended[job["status"]] += 1
            if job["result"] is None:
                ended["lost"] += 1
    print(
        f"jobs: {count} of {seconds:g} s queued in {queued:.2f} s, all ended after "
        f"{time.perf_counter() - began:.1f} s: {dict(ended)}"
    )


async def malformed(client: Client, count: int) -> None:
    """Bodies damaged at random places, each so that nothing could make sense of it."""
    rng = random.Random(1)
    problem = problem_to_json(geopar.generate("hcvrp/8/2", 0))
    good = json.dumps({"problem": problem, "solver": "refine", "time_limit": 0}).encode()
    statuses: Counter[int] = Counter()
    for _ in range(count):
        at = rng.randrange(1, len(good))
        rest = rng.choice((b"", b"\xff" + good[at:], b"\0" + good[at:]))  # cut off, or no text
        path = rng.choice(("/solve", "/jobs", "/validate", "/check"))
        statuses[(await client.call("POST", path, good[:at] + rest))[0]] += 1
    print(f"malformed: {count} bodies, statuses {dict(sorted(statuses.items()))}")


async def ready(client: Client) -> None:
    """Until the server has solved its small case, and has the network."""
    for _ in range(600):
        try:
            if (await client.call("GET", "/health"))[0] == 200:
                break
        except OSError:
            pass
        await asyncio.sleep(0.5)
    else:
        sys.exit("the server is not well")
    await client.call("GET", "/solvers")
    await asyncio.sleep(10)  # for the other workers, which start when the first one is warm


async def run(host: str, port: int, options: argparse.Namespace, server: int | None) -> None:
    client = Client(host, port)
    await ready(client)
    if options.seconds:
        await one_pass(client, options.rate, options.seconds, server)
    if options.malformed:
        await malformed(client, options.malformed)
    if options.jobs:
        await jobs(client, options.jobs, options.job_seconds)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--port", type=int, help="of a server that runs already")
    parser.add_argument("--rate", type=float, default=200.0, help="one-pass requests a second")
    parser.add_argument("--seconds", type=float, default=60.0, help="of one-pass requests; 0: none")
    parser.add_argument("--jobs", type=int, default=50, help="queued at once; 0: none")
    parser.add_argument("--job-seconds", type=float, default=2.0)
    parser.add_argument("--malformed", type=int, default=1000)
    parser.add_argument("--network-workers", type=int, default=2)
    options = parser.parse_args()
    if options.port:
        asyncio.run(run("127.0.0.1", options.port, options, None))
        return
    command = [sys.executable, "-c", "from geopar.cli import main; main()", "serve", "--port", "0"]
    command += ["--network-workers", str(options.network_workers)]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    told: deque[str] = deque(maxlen=20)
    try:
        line = server.stderr.readline()
        # Read on: a server that nobody listens to stands still as soon as the pipe is full.
        Thread(target=lambda: told.extend(server.stderr), daemon=True).start()
        found = re.search(r":(\d+) ", line)
        if found is None:
            sys.exit(f"the server did not start: {line}{''.join(told)}")
        asyncio.run(run("127.0.0.1", int(found[1]), options, server.pid))
    finally:
        server.terminate()
        print(f"the server ended with exit code {server.wait(20)}", *told, sep="\n")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"processor time of server and workers: {used.ru_utime + used.ru_stime:.1f} s")


if __name__ == "__main__":
    main()
