"""``python -m geopar.testing.shared_service``: two servers, one PostgreSQL, one of them killed.

Jobs are posted to both, clients of the one follow jobs of the other, and at a random moment one is
killed (``kill -9``). Whatever was acknowledged must end at the one that is left: finished, or
interrupted with a plan that a second checker accepts; asked for again it must be the same job; and
whoever follows it must hear of its end.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import secrets
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from geopar.problems import HCVRP, Problem
from geopar.testing.asked import LOST, Asked, until_well, wrong_result
from geopar.testing.http_client import Client
from geopar.testing.postgresql import Postgres, why_not
from geopar.testing.served import Served

CUSTOMERS, VEHICLES = 20, 2
LEASE = 3.0
# Nobody waits longer: for a server that compiles, and for all jobs to end.
START, PATIENCE = 1200.0, 600.0
# One in so many jobs of the server that is killed is followed at the other one.
FOLLOWED = 10
ENDED = ("finished", "stopped", "failed", "interrupted")


@dataclass
class Round:
    """One time: what was asked for, what came of it, and what was wrong."""

    jobs: int
    seconds: float
    counts: Counter[str] = field(default_factory=Counter)
    found: list[str] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    # Keys of jobs that were acknowledged by the server that is killed.
    to_victim: set[str] = field(default_factory=set)

    async def run(self, rng: np.random.Generator, victim: Served, other: Served) -> None:
        """Post, kill, and look at everything."""
        there, here = (Client("127.0.0.1", served.port) for served in (victim, other))
        for client in (there, here):
            await until_well(client, START)
        posting = asyncio.create_task(self._post(rng, there, here))
        following = asyncio.create_task(self._follow(other.port))
        # Any moment from the first to when all would be solved by the two of them.
        await asyncio.sleep(rng.random() * self.jobs * self.seconds * 0.6)
        self.counts["acknowledged when it was killed"] = sum(a.id is not None for a in self.asked)
        await asyncio.to_thread(victim.kill)
        await posting
        await self._all_ended(here)
        await self._ask_again(here)
        try:
            await asyncio.wait_for(following, PATIENCE)
        except TimeoutError:
            self.found.append("somebody still waits for the end of a job")
        for client in (there, here):
            client.close()

    async def _post(self, rng: np.random.Generator, there: Client, here: Client) -> None:
        for number in range(self.jobs):
            asked = Asked.drawn(rng, _drawn(rng), self.seconds)
            self.asked.append(asked)
            if number % 2 == 0:
                with suppress(*LOST):
                    await self._ask(there, asked)
                    self.to_victim.add(asked.key)
            if asked.id is None:  # as any client would: the same key, at the other one
                await self._ask(here, asked)
                self.to_victim.discard(asked.key)
            # So that it may be killed between any two of them.
            await asyncio.sleep(rng.random() * self.seconds / 2)

    async def _ask(self, client: Client, asked: Asked) -> None:
        status, body, id = await asked.post(client)
        if id is None:
            self.found.append(f"a job was answered with {status}: {body[:300]!r}")
            return
        if asked.id not in (None, id):
            self.found.append(f"job {asked.id} is {id} when it is asked for again")
        asked.id = id

    async def _ask_again(self, here: Client) -> None:
        for asked in self.asked:
            await self._ask(here, asked)
        status, body = await here.call("GET", "/jobs?limit=500")
        listed = {job["id"] for job in json.loads(body)["jobs"]} if status == 200 else set()
        if missing := {asked.id for asked in self.asked} - listed:
            self.found.append(f"{len(missing)} jobs are not listed: {status}")

    async def _follow(self, port: int) -> None:
        """Listen at the one that is left to jobs of the other, as soon as there are any."""
        ends: list[asyncio.Task[None]] = []
        while len(ends) < max(1, self.jobs // 2 // FOLLOWED):
            theirs = [asked for asked in self.asked if asked.key in self.to_victim]
            new = theirs[len(ends) * FOLLOWED :: FOLLOWED]
            ends += [asyncio.create_task(self._hear_end(port, asked)) for asked in new]
            if len(self.asked) == self.jobs:
                break
            await asyncio.sleep(0.02)
        await asyncio.gather(*ends)

    async def _hear_end(self, port: int, asked: Asked) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
        writer.write(f"GET /jobs/{asked.id}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        names = set()
        while line := await reader.readline():
            if line.startswith(b"event: "):
                names.add(line[7:].strip().decode())
            if "end" in names:
                break
        writer.close()
        self.counts["followed elsewhere to the end"] += 1
        if "end" not in names:
            self.found.append(f"who follows job {asked.id} hears no end, only {sorted(names)}")

    async def _all_ended(self, here: Client) -> None:
        end = time.monotonic() + PATIENCE
        for asked in self.asked:
            if asked.id is None:
                self.found.append("a job was acknowledged by nobody")
                continue
            while True:
                status, body = await here.call("GET", f"/jobs/{asked.id}")
                if status != 200:
                    self.found.append(f"job {asked.id} is lost: {status} {body[:300]!r}")
                    break
                job = json.loads(body)
                if job["status"] in ENDED:
                    self.counts[job["status"]] += 1
                    self.found += _wrong(job, asked.problem)
                    break
                if time.monotonic() > end:
                    self.found.append(f"job {asked.id} is still {job['status']}")
                    break
                await asyncio.sleep(0.05)


def _wrong(job: Any, problem: Problem) -> list[str]:
    """What is wrong with a job that has ended."""
    if job["status"] not in ("finished", "interrupted") or job["result"] is None:
        return [f"job {job['id']} is {job['status']}: {job['error']}, {job['result']}"]
    return wrong_result(job, problem)


def _drawn(rng: np.random.Generator) -> HCVRP:
    places = rng.random((CUSTOMERS + 1, 2))
    return HCVRP(places[0], places[1:], rng.integers(1, 10, CUSTOMERS), [40] * VEHICLES, [1, 0.5])


def kill_one_of_two(url: str, jobs: int, seconds: float, seed: int) -> Round:
    """One round in a database, which may hold jobs of earlier ones."""
    options = ("--store", url, "--lease", str(LEASE), "--workers", "1", "--queue", str(jobs + 1))
    keep = ("--keep-jobs", str(100 * jobs))
    victim, other = Served(), Served()
    done = Round(jobs, seconds)
    victim.start_with(*options, *keep)
    try:
        other.start_with(*options, *keep)
        try:
            asyncio.run(done.run(np.random.default_rng(seed), victim, other))
        finally:
            code = other.end()
    finally:
        with suppress(Exception):
            victim.kill()
    if code != 0 or any("Traceback" in line for line in other.told):
        done.found.append(f"the one that was left ended with {code}: {''.join(other.told)[-2000:]}")
    return done


def main() -> int:
    """Some rounds; 1 if anything was lost."""
    parser = argparse.ArgumentParser(
        prog="python -m geopar.testing.shared_service", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=200, help="of a round")
    parser.add_argument("--seconds", type=float, default=0.3, help="of a job")
    parser.add_argument("--seed", type=int, help="of the first round")
    options = parser.parse_args()
    reason = why_not()
    if reason is not None:
        print(f"This needs a PostgreSQL of its own, and {reason}.")
        return 2
    first = secrets.randbelow(1 << 40) if options.seed is None else options.seed
    postgres, failed, total = Postgres(), 0, Counter[str]()
    try:
        for seed in range(first, first + options.rounds):
            began = time.monotonic()
            done = kill_one_of_two(postgres.url, options.jobs, options.seconds, seed)
            counts = ", ".join(f"{count} {name}" for name, count in sorted(done.counts.items()))
            took = time.monotonic() - began
            print(f"seed {seed}: {counts}; {len(done.found)} wrong; {took:.0f} s", flush=True)
            for what in done.found[:20]:
                print(f"  {what}", flush=True)
            failed += bool(done.found)
            total += done.counts
    finally:
        postgres.close()
    print(f"{options.rounds} rounds, {failed} failed; {dict(total)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
