"""When a solver's plan breaks a rule: the best plan that passed the check takes its place.

No solver should ever make such a plan. Should one do so all the same, it is our fault, and whoever
waits for a plan gets one, with a note of what to report.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from geopar.__about__ import __version__
from geopar.checking import as_checked, check
from geopar.errors import GeoparError
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.result import Result
from geopar.solver import Observer, Request, Snapshot
from geopar.stop import Budget, MaxRuntime
from geopar.violations import Report, Violation

# What putting a plan together and checking it takes for each task (benchmarks/check_speed.py), with
# room.
SECONDS_PER_TASK = 5e-7
# A run spends at most one part in so many on plans that are hardly ever needed.
SPARED = 500.0
MOST_SHOWN = 10


class BrokenPlanError(GeoparError):
    """A solver made a plan that breaks the rules, and nothing could take its place."""

    def __init__(self, solver: str, seed: int, violations: tuple[Violation, ...]) -> None:
        listed = "\n".join(f"  {violation}" for violation in violations[:MOST_SHOWN])
        super().__init__(
            f"solver {solver!r} made a plan that breaks the rules:\n{listed}\n"
            f"{what_to_report(solver, seed)} Maybe another --solver or --seed helps."
        )
        self.solver, self.seed, self.violations = solver, seed, violations

    def __reduce__(self) -> tuple[type, tuple[str, int, tuple[Violation, ...]]]:
        # By default only its text would survive the way to another process.
        return type(self), (self.solver, self.seed, self.violations)


def what_to_report(solver: str, seed: int) -> str:
    """How to tell us of a broken plan."""
    return (
        "This is a fault in geopar, not in your input. Please report it with the problem, "
        f"solver {solver}, seed {seed}, version {__version__} and what `geopar info` prints."
    )


@dataclass(frozen=True, slots=True)
class Substitute:
    """A plan that passed the check; ``origin`` says what it is, ``seconds`` when it was found."""

    plan: Plan
    report: Report
    origin: str
    seconds: float = 0.0


class LastChecked:
    """An observer that now and then checks the best plan so far, and keeps it if it is good.

    Parameters
    ----------
    problem
        What is being solved.
    observe
        Another observer to pass every look on to.
    """

    def __init__(self, problem: Problem, observe: Observer | None = None) -> None:
        self.problem, self.observe = problem, observe
        self.kept: Substitute | None = None
        self._is_new = False
        self._next = SPARED * SECONDS_PER_TASK * problem.num_tasks

    def __call__(self, now: Snapshot) -> bool | None:
        """Look at a run; True, from the other observer, ends it."""
        self._is_new |= now.improved
        if self._is_new and now.seconds >= self._next:
            self._keep(now)
        return None if self.observe is None else self.observe(now)

    def _keep(self, now: Snapshot) -> None:
        began = time.perf_counter()
        plan = now.plan().with_objective(None)
        report = check(self.problem, plan)
        if report.feasible and (self.kept is None or report.rank < self.kept.report.rank):
            origin = "the best plan of this run that passed the check"
            self.kept = Substitute(plan, report, origin, now.seconds)
        self._is_new = False
        self._next = now.seconds + SPARED * (time.perf_counter() - began)


def from_start(start: Plan, report: Report) -> Substitute:
    """The plan that a run began with."""
    return Substitute(start, report, "the plan that was given to begin with")


def first_plan(problem: Problem, seed: int) -> Substitute | None:
    """A plan that is quickly made and feasible by the way it is made; None should it not be."""
    from geopar.search.dispatch import dispatch
    from geopar.search.insert import insert

    # The rule of dispatch knows nothing of a day.
    name, call = ("dispatch", dispatch) if problem.day is None else ("insert", insert)
    plan = call(Request(problem, Budget(MaxRuntime(0.0)), seed)).plan
    report = check(problem, plan.with_objective(None))
    return Substitute(plan, report, f"what {name} gives") if report.feasible else None


def put_in_place(result: Result, substitute: Substitute) -> Result:
    """The result with another plan, and a note that says so and why."""
    broken = "; ".join(str(violation) for violation in result.violations[:MOST_SHOWN])
    note = (
        f"solver {result.solver!r} made a plan that breaks the rules ({broken}), so this is "
        f"{substitute.origin}. {what_to_report(result.solver, result.seed)}"
    )
    report = substitute.report
    return replace(
        result,
        plan=as_checked(result.problem, substitute.plan, report),
        objective=report.objective,
        feasible=True,
        violations=(),
        completion=report.completion,
        left_out=report.left_out,
        left_out_priority=report.left_out_priority,
        steps=None,
        trace=None,
        notes=(*result.notes, note),
        # What a search claimed after that may be as wrong as its plan.
        history=tuple(point for point in result.history if point[0] <= substitute.seconds),
        is_fallback=True,
    )
