"""What the paper's classical solvers have in common on their Python side."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from geopar.compiled.warming import announced
from geopar.errors import Faults, refuse
from geopar.peers.classical.decode import makespan_of
from geopar.plan import Indices, Plan
from geopar.problems import HCVRP, Problem
from geopar.problems.travel import require_straight_lines
from geopar.search.pace import run_paced, share_note
from geopar.solver import Outcome, Request, Solver
from geopar.stop import Budget, MaxIterations

ABOVE_ZERO = 1e-300


def check_parameters(parameters: Any, **ranges: tuple[float, float]) -> None:
    """Every parameter a number of its kind and in its range, ends included."""
    faults = Faults()
    for field in dataclasses.fields(parameters):
        value = getattr(parameters, field.name)
        low, high = ranges.get(field.name, (0.0, math.inf))
        kinds = (int,) if field.type in (int, "int") else (int, float)
        if not isinstance(value, kinds) or isinstance(value, bool):
            kind = "a whole number" if kinds == (int,) else "a number"
            faults.add("bad-parameter", field.name, value, f"must be {kind}.")
        elif not low <= value <= high or math.isinf(value):
            least = "more than 0" if low == ABOVE_ZERO else f"{low:g} or more"
            most = "" if math.isinf(high) else f" and at most {high:g}"
            faults.add("bad-parameter", field.name, value, f"must be {least}{most}.")
    faults.raise_if_any()


def require_hcvrp(problem: Problem, solver: str) -> HCVRP:
    """The problem, if it is one that the solver can do."""
    if not isinstance(problem, HCVRP):
        refuse("wrong-problem", "solver", solver, f"does not solve {problem.kind}.")
    require_straight_lines(problem, solver)
    return problem


class Parameters(Protocol):
    """What the parameters of all classical solvers have."""

    @property
    def factor(self) -> float:
        """What part of the full budget to run."""

    def full(self, num_tasks: int) -> int:
        """The published number of iterations."""


class Work(NamedTuple):
    """A classical solver at work.

    ``advance(count, begin, end)`` runs iterations while the fraction of the run goes from one to
    the other, and returns how many it ran. ``cost`` is what the best ``routes`` cost, in the
    user's units.
    """

    advance: Callable[[int, float, float], int]
    cost: Callable[[], float]
    routes: Callable[[], list[list[Indices]]]


def run(
    request: Request, work: Work, parameters: Parameters, piece: int, name: str, unit: str
) -> Outcome:
    """Let a solver work until its budget is spent; what it returns is never worse than the start.

    Parameters
    ----------
    piece
        Iterations between two looks at the budget: a few hundredths of a second.
    name, unit
        Of the solver and of its iterations, for what is told of the budget.
    """
    problem, start = require_hcvrp(request.problem, name), request.start
    least = math.inf if start is None else makespan_of(problem, start.to_indices(problem))

    def cost() -> float:
        return min(least, work.cost())

    def advance(count: int, begin: float, end: float) -> tuple[int, float]:
        return work.advance(count, begin, end), cost()

    def plan() -> Plan:
        return better_plan(problem, work.routes(), start)

    full = parameters.full(problem.num_tasks)
    most = max(1, round(full * parameters.factor))
    done = run_paced(advance, request, most, piece, cost(), plan)
    return Outcome(plan(), done, notes=(share_note(name, unit, done, full),))


def better_plan(problem: HCVRP, routes: list[list[Indices]], start: Plan | None) -> Plan:
    """What was found, or the start if that is as good."""
    cost = makespan_of(problem, routes)
    if start is not None:
        start_cost = makespan_of(problem, start.to_indices(problem))
        if start_cost <= cost:
            return start.with_objective(start_cost)
    return Plan.from_indices(problem, routes, cost)


def compile_by_running(solver: Solver, text: str, announce: Callable[[str], None]) -> None:
    """Run a solver on five customers, with and without a start: nothing is left to compile."""
    problem = HCVRP((0, 0), [(i, 1) for i in range(5)], [1] * 5, [2, 3], [1, 2])
    with announced(text, announce):
        plan = solver(Request(problem, Budget(MaxIterations(1)))).plan
        solver(Request(problem, Budget(MaxIterations(1)), start=plan))
