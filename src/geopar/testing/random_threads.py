"""Plain problems through searches of two and three threads, side by side and in teams.

Small problems are searched side by side, so some are divided by hand; large fleets share a plan by
themselves.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from geopar.plan import Plan
from geopar.problems import HCVRP, OMDCPDP, Problem
from geopar.search.engines import operations_of, whole_of
from geopar.search.teams import Teams
from geopar.solver import Outcome, Snapshot
from geopar.solving import judge, solve
from geopar.stop import MaxIterations
from geopar.testing import shapes
from geopar.testing.random_solves import CLOSE, from_its_end, wrong

Random = np.random.Generator

THREADS = (2, 3)
BUDGETS = (0, 1, 10, 100, 300, 1000)
SHARE_LARGE, SHARE_DIVIDED = 0.25, 0.25
# Ended runs must not leave theirs behind.
MOST_THREADS = 64


class Tried(NamedTuple):
    """What came of a seed."""

    solves: int
    failures: list[str]


def tried(seed: int) -> Tried:
    """Solve the problem of a seed with several threads."""
    rng = np.random.default_rng((seed, 2))
    problem, threads, iterations = drawn(seed), int(rng.choice(THREADS)), int(rng.choice(BUDGETS))
    how = f"{threads} threads, {iterations} iterations"
    if _way(seed) == "divided":
        failures = [f"in parts, {how}: {what}" for what in _divided(problem, seed, threads, rng)]
        solves = 2
    else:
        failures, solves = _solved(problem, seed, threads, iterations, rng)
        failures = [f"{how}: {what}" for what in failures]
    if threading.active_count() > MOST_THREADS:
        failures.append(f"{threading.active_count()} threads are left")
    return Tried(solves, failures)


def drawn(seed: int) -> Problem:
    """The problem of a seed: of any shape, or large enough to be shared."""
    if _way(seed) != "large":
        return shapes.drawn(seed)
    rng = np.random.default_rng((seed, 3))
    return (_fleet if rng.random() < 0.5 else _couriers)(rng)


def _way(seed: int) -> str:
    chance = np.random.default_rng((seed, 4)).random()
    if chance < SHARE_LARGE:
        return "large"
    return "divided" if chance < SHARE_LARGE + SHARE_DIVIDED else "side by side"


def _fleet(rng: Random) -> Problem:
    """Enough vehicles for three teams, some large, many idle, customers in towns."""
    customers, vehicles = int(rng.integers(200, 400)), int(rng.integers(40, 90))
    towns = rng.random((int(rng.integers(1, 8)), 2))
    places = towns[rng.integers(len(towns), size=customers)]
    capacity = rng.integers(9, 30, vehicles).astype(float)
    capacity[rng.random(vehicles) < 0.1] *= 10.0
    return HCVRP(
        rng.random(2), places + rng.choice([0.0, 0.01, 0.3]) * rng.standard_normal(places.shape),
        rng.integers(0, 10, customers).astype(float), capacity, rng.uniform(0.2, 1.0, vehicles),
    )  # fmt: skip


def _couriers(rng: Random) -> Problem:
    """Enough couriers for three teams, some of them where nothing is."""
    orders, vehicles = int(rng.integers(100, 200)), int(rng.integers(10, 40))
    starts = rng.random((vehicles, 2)) * np.where(rng.random((vehicles, 1)) < 0.2, 10.0, 1.0)
    return OMDCPDP(
        rng.random((orders, 2)), rng.random((orders, 2)), starts, rng.integers(1, 5, vehicles)
    )


def _solved(
    problem: Problem, seed: int, threads: int, iterations: int, rng: Random
) -> tuple[list[str], int]:
    """By the public call: a run, often the same again, from its end on, or stopped."""
    stop = MaxIterations(iterations)
    first = solve(problem, stop, seed, solver="refine", threads=threads)
    failures, solves = list(wrong(problem, first)), 1
    if rng.random() < 0.5:
        solves += 1
        if solve(problem, stop, seed, solver="refine", threads=threads).plan != first.plan:
            failures.append("not repeated")
    if rng.random() < 0.2:
        solves += 1
        failures += from_its_end(problem, first, seed, threads)
    if rng.random() < 0.2:
        solves += 1
        looks = iter(range(int(rng.integers(4))))

        def enough(now: Snapshot) -> bool:
            return next(looks, None) is None

        ended = solve(problem, 60.0, seed, solver="refine", threads=threads, observe=enough)
        failures += [f"stopped: {what}" for what in wrong(problem, ended)]
    return failures, solves


def _divided(problem: Problem, seed: int, threads: int, rng: Random) -> Iterator[str]:
    """In teams, however small it is; twice."""
    pieces = [int(count) for count in rng.integers(1, 300, int(rng.integers(1, 6)))]
    parts = threads * int(rng.integers(1, 3))
    found = []
    for _ in range(2):
        operations = operations_of(problem)
        data = operations.prepare(problem)
        division = operations.divide(data, operations.settings(data, float(sum(pieces))))
        assert division is not None
        whole = whole_of(problem, data, operations.initial(data, seed))
        teams = Teams(division, whole, seed, parts, threads, float(sum(pieces)))
        costs = [teams.advance(0, 0.0, 0.0)]
        for i, count in enumerate(pieces):
            costs.append(teams.advance(count, i / len(pieces), (i + 1) / len(pieces)))
            if i == 1:
                teams.rebase(teams.best_routes())
        if costs != sorted(costs, reverse=True):
            yield f"costs grow: {costs}"
        plan = Plan.from_indices(problem, teams.best_routes())
        result = judge(problem, Outcome(plan), "teams", seed)
        yield from map(str, result.violations) if result.violations else wrong(problem, result)
        if abs(costs[-1] - result.objective) > CLOSE * max(1.0, abs(result.objective)):
            yield f"the cost {costs[-1]!r} is {result.objective!r}"
        found.append(plan)
    if found[0] != found[1]:
        yield "not repeated"
