"""OR-Tools as solvers: ``ortools``, and ``ortools-span`` with the paper's objective for OMDCPDP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from geopar.peers.ortools import hcvrp, omdcpdp
from geopar.peers.ortools.model import Objective, Routes, seconds_to_build
from geopar.peers.ortools.search import Found, Search
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.problems.travel import require_straight_lines
from geopar.search import dispatch as floor
from geopar.solver import Observer, Outcome, Request, Snapshot
from geopar.stop import Budget, MaxIterations

# What the problems are in OR-Tools' terms.
_TERMS: dict[str, Any] = {"hcvrp": hcvrp, "omdcpdp": omdcpdp}
NO_PLAN = "OR-Tools found no plan of its own in time, so this is what dispatch gives"
GIVEN_PLAN = "OR-Tools began with what dispatch gives"
SPAN = "OR-Tools minimised the longest route, as the paper says, not the arrivals"


@dataclass(frozen=True)
class ORTools:
    """OR-Tools' guided local search as a :class:`geopar.solver.Solver`.

    It begins with ``start``, else for OMDCPDP with a plan of its own, if it finds one in the first
    fifth of the run, else with that of ``dispatch``. It draws nothing at random and runs on one
    core: ``seed`` and ``threads`` change nothing.

    Parameters
    ----------
    objective
        Of OMDCPDP; HCVRP has only one.
    """

    objective: Objective = "arrival"

    def __call__(self, request: Request) -> Outcome:
        """Search until the budget is spent."""
        problem, budget, start = request.problem, request.budget, request.start
        require_straight_lines(problem, "ortools")
        # Gives the scale of costs as well, so it is made even where it is not the start.
        simple = floor.dispatch(Request(problem, Budget(MaxIterations(0)))).plan
        given = simple if start is None else start
        begin, terms = given.to_indices(problem), _TERMS[problem.kind]
        cost_of: Callable[[Routes], float] = partial(terms.cost, problem)
        cost = cost_of(begin)
        if not simple.objective or not cost:
            # Nothing is far from anything: there is no better plan, and no scale.
            return _done(request, begin, cost)
        if start is not None:
            _tell(request, begin, cost)
        if budget.done or seconds_to_build(problem) > budget.seconds_left:
            notes = () if start is not None else (NO_PLAN,)
            return _done(request, begin, cost, notes)
        by_span = self.objective == "span"
        search = Search(
            terms.make_model(problem, simple.objective, begin, self.objective),
            budget,
            # The paper's; else one that looks at the whole cost, not only at arcs.
            "PATH_CHEAPEST_ARC" if by_span else "LOCAL_CHEAPEST_COST_INSERTION",
            cost_of,
            partial(_report, problem, request.observe),
            faithful=by_span,
        )
        notes = (SPAN,) if by_span else ()
        if start is not None:
            search.run(begin)
        elif terms.FINDS_A_FIRST_PLAN:
            search.run()
        if search.routes is None and start is None and not budget.done:
            notes = (*notes, GIVEN_PLAN)
            search.run(begin)
        if search.routes is None:
            note = () if start is not None else (NO_PLAN,)
            return _done(request, begin, cost, note, search.iterations)
        plan = Plan.from_indices(problem, search.routes, search.cost)
        return Outcome(plan, search.iterations, notes=notes)


def _report(problem: Problem, observe: Observer | None, search: Search, improved: bool) -> None:
    if observe is None or search.routes is None:
        return
    routes, cost = search.routes, search.cost
    observe(
        Snapshot(
            search.budget.seconds, search.iterations, cost, improved,
            lambda: Plan.from_indices(problem, routes, cost),
        )
    )  # fmt: skip


def _tell(request: Request, routes: Found, cost: float) -> None:
    """Of a plan that OR-Tools did not make."""
    plan = Plan.from_indices(request.problem, routes, cost)
    request.tell(request.budget.iterations, cost, lambda: plan)


def _done(
    request: Request, routes: Found, cost: float, notes: tuple[str, ...] = (), iterations: int = 0
) -> Outcome:
    _tell(request, routes, cost)
    return Outcome(Plan.from_indices(request.problem, routes, cost), iterations, notes=notes)


def warm_up(kind: str, announce: Callable[[str], None]) -> None:
    """Compile ``dispatch``."""
    floor.warm_up(kind, announce)


ortools = ORTools()
ortools_span = ORTools("span")
