"""``insert``: the best of a few insertions, each task where it costs least.

What ``refine`` begins with, on its own. The insertions after the first one take the tasks a little
out of turn, and the cheapest plan of all counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from geopar.compiled.warming import announced
from geopar.plan import Indices, Plan
from geopar.problems import HCVRP, Problem
from geopar.search import hcvrp, omdcpdp
from geopar.solvers import Observer, Outcome, Snapshot
from geopar.stop import Budget, MaxIterations

# As many as one pass of a network takes time for, about.
TRIES = 16


class Inserted(NamedTuple):
    """A plan by task indices and what it costs, in the user's units."""

    routes: list[list[Indices]]
    cost: float


class Insertions(NamedTuple):
    """Insertions of one problem: the usual one, and the best of so many."""

    usual: Callable[[], Inserted]
    best_of: Callable[[int], Inserted]


def insert(
    problem: Problem,
    budget: Budget,
    seed: int,
    *,
    start: Plan | None = None,
    observe: Observer | None = None,
    threads: int = 1,
) -> Outcome:
    """Insert all tasks, then see whether other sequences do better while there is time for them.

    An insertion counts as an iteration, also one that is left out because there are very many
    orders. The first is made whatever the budget says; the others are always the same, so ``seed``,
    ``start`` and ``threads`` change nothing.
    """
    began = budget.seconds
    insertions = _of_problem(problem)
    best = insertions.usual()
    _tell(problem, best, 1, budget, observe)
    tries = _tries(budget, budget.seconds - began)
    if tries > 1:
        best = min(best, insertions.best_of(tries), key=lambda found: found.cost)
        _tell(problem, best, tries, budget, observe)
    return Outcome(Plan.from_indices(problem, *best), iterations=tries)


def _tries(budget: Budget, seconds: float) -> int:
    """How many insertions there is time for, the first included, which took so many seconds."""
    if budget.done:
        return 1
    # Those that follow are made in one go, and the first once more.
    in_time = budget.seconds_left / max(seconds, 1e-9)
    return int(max(1, min(TRIES, in_time, 1 + budget.iterations_left)))


def _tell(
    problem: Problem, found: Inserted, tries: int, budget: Budget, observe: Observer | None
) -> None:
    improved = budget.note(tries, found.cost)
    if observe is not None:
        snapshot = Snapshot(
            budget.seconds, tries, found.cost, improved, lambda: Plan.from_indices(problem, *found)
        )
        observe(snapshot)


def _of_problem(problem: Problem) -> Insertions:
    if isinstance(problem, HCVRP):
        data = hcvrp.prepare(problem)

        def of_trips(state: hcvrp.State) -> Inserted:
            return Inserted(hcvrp.best_routes(data, state), hcvrp.best_cost(data, state))

        return Insertions(
            lambda: of_trips(hcvrp.initial(data, 0)),
            lambda tries: of_trips(hcvrp.best_initial(data, tries)),
        )
    orders = omdcpdp.prepare(problem)

    def of_routes(state: omdcpdp.State) -> Inserted:
        routes = [[route] for route in omdcpdp.best_routes(state)]
        return Inserted(routes, omdcpdp.best_cost(state))

    return Insertions(
        lambda: of_routes(omdcpdp.initial(orders, 0)),
        lambda tries: of_routes(omdcpdp.best_initial(orders, tries)),
    )


def warm_up(kind: str, announce: Callable[[str], None]) -> None:
    """Compile, so that no time limit pays for it."""
    from geopar.problems.random import generate

    with announced("compiling the insertion, once, about 10 s", announce):
        insert(generate(f"{kind}/4/2"), Budget(MaxIterations(1)), 0)
