"""Compile ahead of time: for images, and for whoever does not want to wait at the first plan.

Compiled code is kept on disk, so this is done once for each installation.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from geopar.bounding import compile_bound
from geopar.errors import GeoparError
from geopar.problems import Problem
from geopar.problems.day import Day
from geopar.problems.kinds import KINDS
from geopar.problems.random import generate
from geopar.solver import solvers
from geopar.solving import load

# Solvers with compiled parts of their own, in the order in which a newcomer meets them.
SOLVERS = ("refine", "insert", "dispatch", "pointer", "geopar")


class Warmed(NamedTuple):
    """What was made ready.

    Parameters
    ----------
    what
        Which code.
    seconds
        How long that took: a moment where it was there already.
    missing
        Why it could not be; empty where it could.
    """

    what: str
    seconds: float
    missing: str = ""


def warm_up(announce: Callable[[str], None] = lambda text: None) -> Iterator[Warmed]:
    """Compile all that is there to be compiled, piece by piece."""
    for name in SOLVERS:
        for kind in KINDS:
            if kind in solvers()[name].kinds:
                yield _timed(f"{name}, {kind}", lambda n=name, k=kind: load(n, k, announce))  # type: ignore[misc]
    for what, problem in sample_days().items():
        yield _timed(
            f"refine, {what}", lambda p=problem: load("refine", p.kind, announce, p)  # type: ignore[misc]
        )  # fmt: skip
    yield _timed("bound, hcvrp", lambda: compile_bound(announce))


def _timed(what: str, work: Callable[[], object]) -> Warmed:
    began = time.perf_counter()
    try:
        work()
    except GeoparError as error:
        return Warmed(what, time.perf_counter() - began, str(error))
    return Warmed(what, time.perf_counter() - began)


def sample_days() -> dict[str, Problem]:
    """A tiny working day for each kind of code that days have."""
    plain, orders = generate("hcvrp/6/2"), generate("omdcpdp/8/2")
    places = len(plain.places)
    matrix = np.ones((places, places)) - np.eye(places)
    roads = Day(matrices={"road": (matrix, matrix)})
    return {
        "hcvrp with service": plain.replace(day=Day(service=np.ones(6))),
        "hcvrp by road": plain.replace(day=roads),
        "hcvrp, who may": plain.replace(day=Day(allowed=np.ones((6, 2), dtype=bool))),
        "hcvrp with windows": plain.replace(day=Day(windows=[[(0.0, 9.0)]] * 6)),
        "omdcpdp with service": orders.replace(day=Day(service=np.ones(8))),
    }
