"""``hybrid``: our pointer or an insertion makes the first plan, search refines it.

Importing this loads neither torch nor numba; without torch or weights it is search alone, and says
so.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from geopar.errors import InputError
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.solver import Outcome, Request
from geopar.stop import Budget, MaxIterations, MaxRuntime, OutOfTimeError

# Of a time limit the network may use at most this share; search makes more of the rest.
FIRST_PLAN_SHARE = 0.05
# About how long it takes on one core, so that what would not be finished is not begun: at least,
# for each task, and for each pair of tasks.
SECONDS = {"hcvrp": (0.01, 7e-5, 0.0), "omdcpdp": (0.01, 5e-5, 3e-8)}


class _First(NamedTuple):
    """A first plan if there is one, what it costs, and what to tell."""

    plan: Plan | None = None
    cost: float = math.inf
    steps: int | None = None
    notes: tuple[str, ...] = ()
    trace: Any = None


@dataclass(frozen=True)
class Hybrid:
    """A first plan, then refine, as a :class:`geopar.solver.Solver`; with a start, refine that.

    Parameters
    ----------
    tracing
        Whether the outcome carries a trace of the construction.
    """

    tracing: bool = False

    def traced(self) -> Hybrid:
        """The same, with a trace in the outcome."""
        return replace(self, tracing=True)

    def __call__(self, request: Request) -> Outcome:
        """Solve."""
        from geopar.search.refine import refine

        first = _First(request.start)
        if request.start is None:
            first = self._construct(request)
            if first.plan is not None:
                first = _or_insertion(first, request.problem)
        outcome = refine(replace(request, start=first.plan))
        notes = (*first.notes, *outcome.notes)
        return replace(outcome, steps=first.steps, notes=notes, trace=first.trace)

    def _construct(self, request: Request) -> _First:
        problem = request.problem
        if not problem.has_straight_lines:
            return _First(notes=("search alone: the network sees straight lines only",))
        if problem.day is not None:
            return _First(notes=("search alone: the network knows nothing of a working day",))
        try:
            from geopar.pointer.solver import PointerSolver

            solver = PointerSolver(tracing=self.tracing)
            network, notes = solver.network(problem)
        except ModuleNotFoundError as error:
            if error.name and error.name.startswith("geopar"):
                raise
            return _First(notes=("search alone: the network needs geopar[neural]",))
        except InputError as error:
            if error.faults[0].code != "no-weights":
                raise
            return _First(notes=(f"search alone: no weights are installed for {problem.kind}",))
        # Who wants to see the construction wants it at any price.
        share = max(0.0, request.budget.seconds_left) * (1.0 if self.tracing else FIRST_PLAN_SHARE)
        too_short = _First(notes=(*notes, "search alone: the time is too short for the network"))
        if _expected(problem) > share and not self.tracing:
            return too_short
        limit = None if math.isinf(share) else Budget(MaxRuntime(share))
        try:
            built = solver.build(network, problem, limit, request.seed, request.threads)
        except OutOfTimeError:
            return too_short
        cost, steps = float(built.objective[0]), int(built.steps[0])
        return _First(built.plans[0], cost, steps, notes, built.trace)


def _expected(problem: Problem) -> float:
    """About how many seconds a construction takes."""
    least, single, double = SECONDS[problem.kind]
    return least + problem.num_tasks * (single + double * problem.num_tasks)


def _or_insertion(first: _First, problem: Problem) -> _First:
    """What search would begin with by itself, where that is better than the network's plan."""
    from geopar.search.insert import insert

    inserted = insert(Request(problem, Budget(MaxIterations(1)))).plan
    if inserted.objective is None or inserted.objective >= first.cost:
        return first
    note = "search began with an insertion, which was better than the network's plan"
    return first._replace(plan=inserted, notes=(*first.notes, note))


hybrid = Hybrid()


def warm_up_day(problem: Problem, announce: Callable[[str], None]) -> None:
    """The same for a problem with a day, which search solves alone."""
    from geopar.search import refine

    refine.warm_up_day(problem, announce)


def warm_up(kind: str, announce: Callable[[str], None]) -> None:
    """Compile both parts, so that no time limit pays for it."""
    from geopar.search import refine

    refine.warm_up(kind, announce)
    try:
        from geopar.pointer import solver

        solver.warm_up(kind, announce)
    except (ModuleNotFoundError, InputError):
        return  # search alone, which says so
