"""Jobs that a campaign asks a server for, and what is wrong with what comes of them."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from geopar.files import plan_from_json, problem_to_json
from geopar.problems import Problem
from geopar.testing.http_client import Client
from geopar.testing.plain_checker import objective_of

# What a client gets of a server that was killed.
LOST = (OSError, asyncio.IncompleteReadError)


@dataclass
class Asked:
    """A job as it was asked for, with a key that names it, and the id that was acknowledged."""

    key: str
    body: bytes
    problem: Problem
    id: str | None = None

    @classmethod
    def drawn(cls, rng: np.random.Generator, problem: Problem, seconds: float) -> Asked:
        """To solve a problem, with a key of its own."""
        request = {"problem": problem_to_json(problem), "time_limit": seconds}
        return cls(f"{int(rng.integers(1 << 62)):x}", json.dumps(request).encode(), problem)

    async def post(self, client: Client) -> tuple[int, bytes, str | None]:
        """Ask for it: status and body of the answer, and the id in it, if any is."""
        status, body = await client.call("POST", "/jobs", self.body, {"Idempotency-Key": self.key})
        return status, body, json.loads(body)["id"] if status == 202 else None


def wrong_result(job: Any, problem: Problem) -> list[str]:
    """What is wrong with the plan of a job, by a checker that shares nothing with the service."""
    try:
        true = objective_of(problem, plan_from_json(job["result"]["plan"]))
    except AssertionError as error:
        return [f"job {job['id']}: {error}"]
    is_true = np.isclose(true, job["result"]["objective"], rtol=1e-9, atol=1e-300)
    return [] if is_true else [f"job {job['id']}: {job['result']['objective']!r} is {true!r}"]


async def until_well(client: Client, patience: float) -> None:
    """Wait until a server says that it is well."""
    end = time.monotonic() + patience
    status, body = 0, b""
    while True:
        with suppress(*LOST):
            status, body = await client.call("GET", "/health")
            if status == 200:
                return
        if time.monotonic() > end:
            raise RuntimeError(f"the server is not well: {status} {body[:300]!r}")
        await asyncio.sleep(0.1)
