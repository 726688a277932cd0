"""Plain problems of every shape through every solver: plans, repeats, starts, more against less."""

from __future__ import annotations

import math
from collections.abc import Iterator
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np

from geopar.plan import Plan
from geopar.problems import Problem
from geopar.result import Result
from geopar.solving import solve
from geopar.stop import MaxIterations
from geopar.testing.plain_checker import objective_of
from geopar.testing.shapes import drawn, shape_of

# Most runs are of the search; the others are there to be seen through, too.
SEARCH = "refine"
OTHERS = ("insert", "dispatch", "hybrid")
HCVRP_PEERS = ("sisr", "ga", "sa")
NETWORKS = ("pointer", "geopar")
SHARE_OF_OTHERS, SHARE_OF_NETWORKS = 0.1, 0.01
BUDGETS = (0, 1, 10, 30, 100, 300, 1000)
# A run of this many iterations is held against one of a tenth, now and then.
LONG, SHARE_OF_LONG = 2000, 0.02
CLOSE = 1e-9


class Tried(NamedTuple):
    """What came of a seed: solves, what went wrong, and how a long run compares with a short."""

    solves: int
    failures: list[str]
    shape: str
    long_over_short: float | None


def tried(seed: int) -> Tried:
    """Solve the problem of a seed in several ways."""
    problem, rng = drawn(seed), np.random.default_rng((seed, 1))
    solver, failures = _solver(problem, rng), []
    stop = MaxIterations(int(rng.choice(BUDGETS)))
    first = solve(problem, stop, seed, solver=solver)
    solves, ratio = 1, None
    failures += [f"{solver}: {what}" for what in wrong(problem, first)]
    if rng.random() < 0.1:
        solves += 1
        again = solve(problem, stop, seed, solver=solver)
        if again.plan != first.plan:
            failures.append(f"{solver}: not repeated")
    if rng.random() < 0.1:
        solves += 1
        failures += from_its_end(problem, first, seed)
    if rng.random() < SHARE_OF_LONG:
        solves += 2
        short, long = (
            solve(problem, MaxIterations(n), seed, solver=SEARCH) for n in (LONG // 10, LONG)
        )
        failures += [f"long: {what}" for what in wrong(problem, long)]
        ratio = long.objective / short.objective if short.objective > 0.0 else 1.0
    return Tried(solves, failures, shape_of(seed), ratio)


def from_its_end(
    problem: Problem, first: Result, seed: int, threads: int | None = None
) -> list[str]:
    """What is wrong with a search that goes on from where another run ended."""
    warm = solve(
        problem, MaxIterations(100), seed + 1, solver=SEARCH, threads=threads, start=first.plan
    )
    failures = [f"from a start: {what}" for what in wrong(problem, warm)]
    if warm.objective > first.objective * (1.0 + CLOSE):
        failures.append(f"worse than its start: {warm.objective!r}, {first.objective!r}")
    return failures


def _solver(problem: Problem, rng: np.random.Generator) -> str:
    chance = rng.random()
    if chance < SHARE_OF_NETWORKS and find_spec("torch") is not None:
        return str(rng.choice(NETWORKS))
    if chance < SHARE_OF_OTHERS:
        return str(rng.choice(OTHERS + (HCVRP_PEERS if problem.kind == "hcvrp" else ())))
    return SEARCH


def wrong(problem: Problem, result: Result) -> Iterator[str]:
    """What is wrong with a result, by a checker of its own."""
    if result.is_fallback:
        yield f"a broken plan: {result.notes[-1]}"
    try:
        true = objective_of(problem, Plan(result.plan.kind, result.plan.routes))
    except AssertionError as error:
        yield str(error)
        return
    if not math.isclose(true, result.objective, rel_tol=CLOSE, abs_tol=1e-300):
        yield f"objective {result.objective!r} is {true!r}"
    if result.history and result.history[-1][1] != result.objective:
        yield f"history ends with {result.history[-1][1]!r}, not {result.objective!r}"
