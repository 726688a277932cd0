"""Files with anything wrong in them through every reader: understood, or refused with a reason."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from geopar.errors import InputError
from geopar.files import (
    parse_json,
    plan_from_json,
    plan_to_json,
    problem_from_json,
    problem_to_json,
)
from geopar.files.plan_sol import plan_from_sol, plan_to_sol
from geopar.files.problem_csv import problem_from_csv, problem_to_csv
from geopar.files.problem_npz import batch_from_npz, batch_to_npz
from geopar.files.problem_vrplib import Fleet, problem_from_vrplib, problem_to_vrplib
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.problems.random_day import PARTS, random_day
from geopar.testing.shapes import drawn

# What a reader may take: a second for each megabyte, and a little to begin with.
SECONDS, SECONDS_PER_BYTE = 0.5, 1e-6
WORDS = [
    b"", b"0", b"-1", b"1e400", b"NaN", b"null", b"[]", b"{}", b'"', b",", b":", b"\n", b"\r\n",
    b"\0",
    b"\xff\xfe", b"\xef\xbb\xbf", b"9" * 40, b"id", b"demand", b"windows", b"08:30",
    b"DIMENSION : 99999999\n",
    b"EOF\n", b"Route #1: 0", b"[[[[[[[[", b"\xed\xa0\x80", b"\t", b" ", b"lat", b"true",
    b"99999999999999999999",
]  # fmt: skip
Reader = Callable[[bytes, Problem], Any]


def _json_problem(data: bytes, problem: Problem) -> Any:
    return problem_from_json(parse_json(data))


def _json_plan(data: bytes, problem: Problem) -> Any:
    return plan_from_json(parse_json(data))


def _csv(data: bytes, problem: Problem) -> Any:
    stops, _, vehicles = data.partition(b"\x1d")
    return problem_from_csv(stops, vehicles, "", "stops", "vehicles")


def _npz(data: bytes, problem: Problem) -> Any:
    return list(batch_from_npz(data, "file", "file"))


def _vrplib(data: bytes, problem: Problem) -> Any:
    return problem_from_vrplib(data, "file", Fleet(2))


def _sol(data: bytes, problem: Problem) -> Any:
    return plan_from_sol(data, "file", problem)


READERS: dict[str, Reader] = {
    "json": _json_problem, "plan": _json_plan, "csv": _csv, "npz": _npz, "vrp": _vrplib,
    "sol": _sol,
}  # fmt: skip


def written(problem: Problem, form: str, rng: np.random.Generator) -> bytes:
    """A whole file of a form, for a reader of that form."""
    requests = len(problem.request_ids)
    first = [[*range(requests)] if problem.comes_home else [*range(problem.num_tasks)]]
    plan = Plan.from_indices(problem, [first, *[[] for _ in range(problem.num_vehicles - 1)]])
    if form == "npz":
        return batch_to_npz([problem])
    if form == "plan":
        return json.dumps(plan_to_json(plan)).encode()
    if form == "sol":
        return plan_to_sol(plan, problem).encode()
    if form == "vrp":
        # The format has one kind of vehicle.
        alike = np.full(problem.num_vehicles, problem.capacity.max())
        changes = {"capacity": alike, "speed": np.ones_like(alike)}
        return problem_to_vrplib(problem.replace(**changes)).encode()
    if form == "csv":
        return b"\x1d".join(text.encode() for text in problem_to_csv(problem))
    if rng.random() < 0.5:
        parts = [part for part in PARTS if rng.random() < 0.3]
        problem = random_day(problem, rng, ("service", *parts), tightness=1.0)
    return json.dumps(problem_to_json(problem)).encode()


def spoilt(data: bytes, rng: np.random.Generator) -> bytes:
    """The file with a few places changed, cut, repeated or exchanged."""
    found = bytearray(data)
    for _ in range(int(rng.integers(1, 4))):
        size = len(found)
        a, b = sorted(int(at) for at in rng.integers(0, size + 1, 2))
        b = min(b, a + int(rng.choice([1, 4, 40])))
        match int(rng.integers(6)):
            case 0:
                found[a:b] = bytes(rng.integers(0, 256, b - a, dtype=np.uint8))
            case 1:
                del found[a:b]
            case 2:
                found[a:a] = WORDS[int(rng.integers(len(WORDS)))]
            case 3:
                found[a:b] = WORDS[int(rng.integers(len(WORDS)))]
            case 4:
                found[a:a] = found[a:b] * int(rng.choice([1, 2, 50]))
            case 5:
                del found[a:]
    return bytes(found)


def fuzzed(seed: int) -> tuple[str, bytes, Problem]:
    """The form and the bytes of a seed, and the problem that they were of."""
    rng = np.random.default_rng((seed, 2))
    problem = drawn(int(rng.integers(1 << 20)))
    form = list(READERS)[seed % len(READERS)]
    if form == "vrp" and problem.kind != "hcvrp":
        form = "json"
    data = spoilt(written(problem, form, rng), rng)
    return form, data, problem


def tried(seed: int) -> list[str]:
    """What went wrong with the file of a seed, if anything."""
    form, data, problem = fuzzed(seed)
    began = time.process_time()
    try:
        READERS[form](data, problem)
    except InputError as error:
        if not all(fault.code and fault.field and fault.message for fault in error.faults):
            return [f"{form}: refused without a reason"]
    except Exception as error:
        return [f"{form}: {type(error).__name__}: {error}"]
    took = time.process_time() - began
    if took > SECONDS + SECONDS_PER_BYTE * len(data):
        return [f"{form}: {took:.2f} s for {len(data)} bytes"]
    return []
