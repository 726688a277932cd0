"""The service under load: workers and server killed, rude clients, a day's requests.

A seed is a round; what it does is drawn from the seed, when exactly it happens is not. Whatever was
acknowledged must be there afterwards, with a plan that a second checker accepts or a reason.
"""

from __future__ import annotations

import asyncio
import json
import random
import resource
import sys
import tempfile
import time
from collections import Counter, defaultdict, deque
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from geopar.files import problem_to_json
from geopar.problems import Problem
from geopar.testing.asked import LOST, Asked, until_well, wrong_result
from geopar.testing.http_client import Client
from geopar.testing.rude_requests import HALVES, INCOMPLETE, KINDS
from geopar.testing.served import Look, Served
from geopar.testing.shapes import drawn

ROUNDS = ("worker", "server", "rude", "day")
# Connections that are held open, and hostile requests, of a rude round.
HELD, HOSTILE, AT_ONCE = 2000, 20, 20
JOBS, JOB_SECONDS = 6, 0.3
WORKERS_KILLED = 3
# A day has a request every six seconds: so many rounds of so many are one.
DAY, ROUNDS_OF_A_DAY = 14_400, 48
# Nobody waits longer than that for anything: a machine may be busy, but not that busy.
PATIENCE = 120.0
# What a server waits for a body, and what a busy machine adds to anything.
BODY_SECONDS, BUSY = 65.0, 20.0
# But for workers that compile, once.
COMPILING = 1200.0
# What a server may grow by, between its first and its last day, or while it is treated rudely.
MEGABYTES, FILES, THREADS = 150.0, 40, 20


class ServiceRounds:
    """A server, who uses it, and what was seen.

    Parameters
    ----------
    rate
        Honest solves a second, besides all that a round does.
    only
        One of the rounds alone; all in turn when left out.
    """

    def __init__(self, rate: float = 20.0, only: str | None = None) -> None:
        self.rate, self.only = rate, only
        self.done: Counter[str] = Counter()
        self.answers: dict[str, list[float]] = defaultdict(list)
        self.reproduce: dict[str, Any] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._served = Served()
        self._first: Look | None = None
        self._bodies: list[tuple[str, bytes]] = []
        self._jobs: deque[tuple[str, Problem]] = deque(maxlen=200)
        self._ended: dict[str, Any] = {}
        # Jobs as they were asked for, with the id that was acknowledged, if any was.
        self._asked: deque[Asked] = deque(maxlen=3 * JOBS)

    @staticmethod
    def _allow_files() -> None:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft < 2 * HELD:
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4 * HELD), hard))

    def tried(self, seed: int) -> list[str]:
        """One round."""
        name = self.only or ROUNDS[seed % len(ROUNDS)]
        rng = np.random.default_rng((seed, 3))
        self.reproduce = {"campaign": "service", "seed": seed, "round": name}
        found = asyncio.run(self._round(name, rng))
        if any("Traceback" in line for line in self._served.told):
            found.append("the server told of an exception: " + "".join(self._served.told)[-2000:])
            self._served.told.clear()
        self.reproduce |= {"found": found, "server": [*self._served.told]}
        self.done[f"rounds ({name})"] += 1
        return found

    def close(self) -> list[str]:
        """End the server, in order."""
        if self._folder is None:
            return []
        code = self._served.end()
        self._folder.cleanup()
        return [] if code == 0 else [f"the server ended with exit code {code}"]

    def __str__(self) -> str:
        counts = ", ".join(f"{count:,} {name}" for name, count in self.done.items())
        took = sorted(self.answers["rude"])
        if not took:
            return counts
        p50, p99 = (took[int(q * (len(took) - 1))] for q in (0.5, 0.99))
        return f"{counts}; honest beside rude: half within {p50:.3f} s, 99 % within {p99:.3f} s"

    async def _round(self, name: str, rng: np.random.Generator) -> list[str]:
        is_new, found = self._folder is None, list[str]()
        if self._folder is None:
            self._allow_files()
            self._folder = tempfile.TemporaryDirectory(prefix="geopar-service-")
            self._served.start(Path(self._folder.name))
        client = Client("127.0.0.1", self._served.port)
        await until_well(client, COMPILING if is_new else PATIENCE)
        # Before anybody is timed: to pack a bomb takes longer than an honest answer.
        self._bodies = _hostile_bodies(rng) if name == "rude" else []
        honest = asyncio.create_task(self._honest(client, found, name))
        try:
            await getattr(self, f"_{name}")(client, rng, found)
        finally:
            honest.cancel()
            with suppress(asyncio.CancelledError):
                await honest
            client.close()
        return found

    async def _honest(self, client: Client, found: list[str], name: str) -> None:
        """Solves at a rate, each at its own moment, whether or not earlier ones were answered."""
        may_lose = name in ("worker", "server")
        solver = "pointer" if find_spec("torch") else "dispatch"
        bodies = [
            json.dumps({"problem": problem_to_json(_twenty(i)), "solver": solver}).encode()
            for i in range(16)
        ]

        async def ask(body: bytes) -> None:
            began = time.perf_counter()
            try:
                status, content = await asyncio.wait_for(
                    client.call("POST", "/solve", body), PATIENCE
                )
            except LOST as error:
                # A server that is killed cannot answer; nor does it have to close politely.
                if not may_lose:
                    found.append(f"an honest client got {type(error).__name__}")
                return
            except TimeoutError:
                found.append(f"an honest client got no answer in {PATIENCE:g} s")
                return
            self.done["honest solves"] += 1
            if status == 200:
                self.answers[name].append(time.perf_counter() - began)
            elif not (may_lose and status == 503):
                found.append(f"an honest client got {status}: {content[:300]!r}")

        asking: set[asyncio.Task[None]] = set()
        began, number = time.perf_counter(), 0
        try:
            while True:
                number += 1
                await asyncio.sleep(max(0.0, began + number / self.rate - time.perf_counter()))
                task = asyncio.create_task(ask(bodies[number % len(bodies)]))
                asking.add(task)
                task.add_done_callback(asking.discard)
        finally:
            await asyncio.gather(*asking, return_exceptions=True)

    # Jobs.

    async def _post_jobs(self, client: Client, rng: np.random.Generator, found: list[str]) -> None:
        """Post some jobs; what is acknowledged is remembered."""
        for _ in range(JOBS):
            asked = Asked.drawn(rng, drawn(int(rng.integers(1 << 40))), JOB_SECONDS)
            try:
                status, body, asked.id = await asked.post(client)
            except LOST:
                self._asked.append(asked)
                return  # killed before it acknowledged
            if asked.id is not None:
                self._jobs.append((asked.id, asked.problem))
                self._asked.append(asked)
                self.done["jobs acknowledged"] += 1
            elif status != 429:
                found.append(f"a job was answered with {status}: {body[:300]!r}")
            await asyncio.sleep(rng.random() * 0.1)

    async def _ask_again(self, client: Client, found: list[str]) -> None:
        """The same requests once more: what was made is not made twice, what was not is made."""
        for asked in [*self._asked]:
            status, body, id = await asked.post(client)
            if status == 429:
                continue
            if id is None or (asked.id is not None and id != asked.id):
                found.append(f"job {asked.id} was asked for again: {status}, {body[:300]!r}")
            elif asked.id is None:
                self._jobs.append((id, asked.problem))
            self.done["jobs asked for again"] += 1
        self._asked.clear()

    async def _all_there(self, client: Client, found: list[str], may_fail: set[str]) -> None:
        """Every job of the last ones is there and ended, and what ended once did not change."""
        end = time.monotonic() + PATIENCE
        for id, problem in [*self._jobs]:
            while True:
                status, body = await client.call("GET", f"/jobs/{id}")
                if status != 200:
                    found.append(f"job {id} was acknowledged and is lost: {status}")
                    break
                job = json.loads(body)
                if job["status"] not in ("queued", "running"):
                    found += self._wrong(id, job, problem, may_fail)
                    break
                if time.monotonic() > end:
                    found.append(f"job {id} is still {job['status']}")
                    return
                await asyncio.sleep(0.05)

    def _wrong(self, id: str, job: Any, problem: Problem, may_fail: set[str]) -> list[str]:
        if id in self._ended:
            return [] if self._ended[id] == job else [f"job {id} ended and changed"]
        self._ended[id] = job
        if len(self._ended) > 1000:
            del self._ended[next(iter(self._ended))]
        self.done[f"jobs {job['status']}"] += 1
        code = (job["error"] or {}).get("code")
        if job["status"] != "finished" and code not in may_fail:
            return [f"job {id} is {job['status']}: {job['error']}"]
        if job["result"] is None:
            return [] if job["status"] != "finished" else [f"job {id} has no result"]
        return wrong_result(job, problem)

    # The rounds.

    async def _worker(self, client: Client, rng: np.random.Generator, found: list[str]) -> None:
        """Workers are killed while jobs run."""
        for _ in range(WORKERS_KILLED):
            posting = asyncio.create_task(self._post_jobs(client, rng, found))
            await asyncio.sleep(rng.random())
            workers = self._served.workers()
            if workers:
                with suppress(ProcessLookupError):
                    self._served.kill_worker(workers[int(rng.integers(len(workers)))])
                    self.done["workers killed"] += 1
            await posting
        await self._all_there(client, found, {"worker-lost"})
        await until_well(client, PATIENCE)

    async def _server(self, client: Client, rng: np.random.Generator, found: list[str]) -> None:
        """The server is killed while jobs wait, run and are being posted, and started again."""
        posting = asyncio.create_task(self._post_jobs(client, rng, found))
        await asyncio.sleep(rng.random())
        await asyncio.to_thread(self._served.kill)
        self.done["servers killed"] += 1
        await posting
        client.close()
        assert self._folder is not None
        await asyncio.to_thread(self._served.start, Path(self._folder.name))
        client.port = self._served.port
        self._first = None  # its memory is another one's now
        await until_well(client, PATIENCE)
        await self._ask_again(client, found)
        await self._all_there(client, found, {"interrupted"})

    async def _rude(self, client: Client, rng: np.random.Generator, found: list[str]) -> None:
        """Connections that are held open, and hostile requests, beside the honest ones."""
        before = self._served.look()
        held: list[asyncio.StreamWriter | None] = []
        # A few at a time: who has connected and waits here to send is no honest client to the
        # server, which closes the connection that has said nothing for longest.
        while len(held) < HELD:
            held += await asyncio.gather(*(self._hold(i) for i in range(AT_ONCE)))
        for kind, data in self._bodies:
            wrong = await self._hostile(data, ends=kind in INCOMPLETE)
            self.done["hostile requests"] += 1
            if wrong:
                found.append(f"{kind}: {wrong}")
                self.reproduce["request"] = data[:1_000_000].decode("latin-1")
            # Slowly, so that some of a header comes now and then.
            for writer in held[:: HELD // 50]:
                if writer is not None and not writer.is_closing():
                    writer.write(b"a")
        for writer in held:
            if writer is not None:
                writer.close()
        await until_well(client, PATIENCE)
        found += await self._settled(before)

    async def _hold(self, number: int) -> asyncio.StreamWriter | None:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", self._served.port)
            writer.write(HALVES[number % len(HALVES)])
        except OSError:
            return None  # closed in favour of a newer one
        self.done["connections held"] += 1
        return writer

    async def _hostile(self, data: bytes, ends: bool) -> str:
        """Send it, and ``ends`` or wait; what is wrong with the answer, if anything."""
        began = time.perf_counter()
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self._served.port)
            writer.write(data)
            # Who ends is gone for the server, which then does not even begin with what it was sent.
            if ends:
                writer.write_eof()
            answer = await asyncio.wait_for(reader.read(12), PATIENCE)
            writer.close()
        except TimeoutError:
            return f"no answer in {PATIENCE:g} s"
        except OSError:
            return ""  # closed: that is an answer, too
        took = time.perf_counter() - began
        self.done["hostile requests answered"] += bool(answer)
        if answer and answer[9:10] not in (b"2", b"4"):
            return f"answered with {answer!r}"
        # Half a body is waited for until its time is up; a whole one costs a second a megabyte.
        most = BODY_SECONDS + BUSY + 1e-6 * len(data)
        return f"took {took:.1f} s for {len(data)} bytes" if took > most else ""

    async def _day(self, client: Client, rng: np.random.Generator, found: list[str]) -> None:
        """A part of what a day brings; afterwards the server is as it was after the first part."""
        asks = random.Random(int(rng.integers(1 << 40)))
        for _ in range(DAY // ROUNDS_OF_A_DAY):
            found += await self._ask_something(client, asks)
            self.done["requests of a day"] += 1
        await self._all_there(client, found, set())
        if self._first is None:
            self._first = self._served.look()
        found += await self._settled(self._first)
        self.reproduce["look"] = [self._first, self._served.look()]

    async def _settled(self, before: Look) -> list[str]:
        """What has grown, and does not shrink again."""
        end = time.monotonic() + PATIENCE
        while (grown := _grown(before, self._served.look())) and time.monotonic() < end:
            await asyncio.sleep(0.2)
        return grown

    async def _ask_something(self, client: Client, asks: random.Random) -> list[str]:
        problem = _twenty(asks.randrange(1000))
        document = problem_to_json(problem)
        ids = [id for id, _ in self._jobs] or ["none"]
        method, path, body = asks.choice([
            ("GET", "/", None), ("GET", "/health", None), ("GET", "/metrics", None),
            ("GET", "/solvers", None), ("GET", "/jobs", None), ("GET", "/openapi.json", None),
            ("GET", f"/jobs/{asks.choice(ids)}", None),
            ("POST", "/generate", {"setting": "hcvrp/50/3", "seed": asks.randrange(1000)}),
            ("POST", "/validate", {"problem": document}),
            ("POST", "/validate", {"problem": {**document, "depot": None}}),
            ("POST", "/solve", {"problem": document, "solver": "dispatch"}),
            ("POST", "/solve", {"problem": document, "time_limit": 0}),
            ("POST", "/jobs", {"problem": document, "time_limit": 0}),
        ])  # fmt: skip
        text = b"" if body is None else json.dumps(body).encode()
        status, answer = await asyncio.wait_for(client.call(method, path, text), PATIENCE)
        if path == "/jobs" and status == 202:
            self._jobs.append((json.loads(answer)["id"], problem))
            self.done["jobs acknowledged"] += 1
        expected = (404, 429) if "none" in path else (429,)
        if status >= 500 or (status >= 400 and status not in expected and path != "/validate"):
            return [f"{method} {path} was answered with {status}: {answer[:300]!r}"]
        return []


def _hostile_bodies(rng: np.random.Generator) -> list[tuple[str, bytes]]:
    """Of as many kinds as there is room for, each with its name."""
    kinds = rng.permutation(len(KINDS)).tolist()
    return [(KINDS[i].__name__, KINDS[i](rng)) for i in kinds[:HOSTILE]]


def _twenty(seed: int) -> Problem:
    from geopar.problems.random import generate

    return generate("hcvrp/20/2", seed)


def _grown(before: Look, now: Look) -> list[str]:
    """What has grown beyond what comes and goes."""
    most = (MEGABYTES, FILES, THREADS)
    return [
        f"{name} grew from {one:g} to {other:g}"
        for name, one, other, room in zip(Look._fields, before, now, most, strict=True)
        if other > one + room
    ]


def can_run() -> bool:
    """Whether this system lets a server be looked at, and the service is installed."""
    return sys.platform == "linux" and find_spec("uvicorn") is not None
