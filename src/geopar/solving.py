"""The public call: run a solver, check what it made, never return worse than the start."""

from __future__ import annotations

import importlib
import logging
import math
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from numbers import Real
from types import FrameType
from typing import Any

from geopar.checking import as_checked, check
from geopar.cores import usual_threads
from geopar.errors import Faults, MissingExtraError, refuse
from geopar.fallback import (
    SECONDS_PER_TASK,
    BrokenPlanError,
    LastChecked,
    first_plan,
    from_start,
    put_in_place,
)
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.problems.geography import require_map
from geopar.replanning.mending import repaired
from geopar.result import Result
from geopar.solver import (
    Observer,
    Options,
    Outcome,
    Request,
    Snapshot,
    Solver,
    SolverInfo,
    find_solver,
    solvers,
)
from geopar.stop import DEFAULT_SECONDS, Budget, MaxRuntime, StopRule
from geopar.violations import Report, Violation

# The best that is there. The network's first plan is not yet better than the insertion that search
# begins with, and takes longer (docs/understand/search.md), so search alone comes first.
PREFERENCE = ("refine", "hybrid", "dispatch")

# Each has a plan of its own to work on; no machine has more cores.
MOST_THREADS = 1024

_log = logging.getLogger(__name__)

Announce = Callable[[str], None]


def solve(
    problem: Problem,
    stop: StopRule | float | None = None,
    seed: int = 0,
    *,
    solver: str | Solver | tuple[str, Solver] | None = None,
    start: Plan | None = None,
    observe: Observer | None = None,
    threads: int | None = None,
    announce: Announce | None = None,
    trace: bool = False,
    progress: bool = False,
) -> Result:
    """Solve a problem.

    Ctrl-C ends the run and returns the best plan so far; pressed twice it raises.

    Parameters
    ----------
    problem
        What to solve.
    stop
        When to stop: a rule, or seconds; ten seconds when left out.
    seed
        Zero or more. The same seed, iteration budget and threads give the same plan.
    solver
        A name from :func:`geopar.solvers`, or a solver of your own: a function that takes a
        :class:`geopar.solver.Request` and returns an :class:`geopar.solver.Outcome`, perhaps
        with its name before it. The best there is when left out.
    start
        A plan to begin with; what comes back is never worse. One that does not fit the problem
        (stops are new, a vehicle is gone) is mended first, and a note says so.
    observe
        Called with a look at the run now and then, and at every improvement; one that returns True
        ends the run, with the best plan so far.
    threads
        How many cores to use. When left out all, where the clock ends the run; else one, so that
        it repeats on every machine.
    announce
        Told what takes long before the clock starts, such as compiling; the log when left out.
    trace
        Record the construction step by step, for solvers that construct.
    progress
        Show a line on stderr, once a second, of runs that take longer than two seconds.

    Returns
    -------
    Result
        Checked: a plan that breaks a rule is never returned. Should a solver make one, the best
        plan that passed the check takes its place, and a note says so.

    Raises
    ------
    geopar.errors.InputError
        For a start of another problem, an unknown solver or a number that makes no sense.
    geopar.fallback.BrokenPlanError
        When the solver's plan breaks a rule and no other plan could be made either.
    """
    with _shown(problem, observe) if progress else nullcontext(observe) as look:
        result = run(
            problem, stop, seed,
            solver=solver, start=start, observe=LastChecked(problem, look), threads=threads,
            announce=announce, trace=trace,
        )  # fmt: skip
    return never_broken(result)


@contextmanager
def _shown(problem: Problem, observe: Observer | None) -> Iterator[Observer]:
    """An observer that shows how the run goes as well."""
    # Not before somebody asks for it: importing geopar is instant.
    from rich.console import Console

    from geopar.progress import ProgressLine

    with ProgressLine(problem, Console(stderr=True)) as line:

        def look(snapshot: Snapshot) -> bool | None:
            line(snapshot)
            return None if observe is None else observe(snapshot)

        yield look


def run(
    problem: Problem,
    stop: StopRule | float | None = None,
    seed: int = 0,
    *,
    solver: str | Solver | tuple[str, Solver] | None = None,
    start: Plan | None = None,
    observe: Observer | None = None,
    threads: int | None = None,
    announce: Announce | None = None,
    trace: bool = False,
) -> Result:
    """As :func:`solve`, but a plan that breaks rules comes back too, and says so.

    Only where a plan that passed the check is at hand anyway, the start or one that ``observe``
    has kept, does that take its place. ``solver`` may also be a name and a solver that is already
    loaded.
    """
    rule = as_rule(stop)
    threads = min(usual_threads(rule), MOST_THREADS) if threads is None else threads
    _check_numbers(seed, threads)
    require_map(problem)
    before = time.perf_counter()
    start_report, repair = None, ""
    if start is not None:
        start, start_report, repair = _checked_start(problem, start)
    checking = time.perf_counter() - before
    # The clock does not run while a solver is imported and compiled.
    name, call = load(solver, problem.kind, announce, problem)
    if trace:
        call = _traced(name, call)

    budget = Budget(rule)
    # What comes after the run is set aside, so that a time limit includes it.
    budget.restart(checking, SECONDS_PER_TASK * problem.num_tasks)
    began = time.perf_counter() - checking
    history: list[tuple[float, float]] = []

    def look(snapshot: Snapshot) -> bool | None:
        if snapshot.improved:
            history.append((snapshot.seconds, snapshot.objective))
        return None if observe is None else observe(snapshot)

    with stop_on_interrupt(budget):
        outcome = call(Request(problem, budget, seed, start, look, threads))
    _check_outcome(name, outcome)
    result = judge(problem, outcome, name, seed)
    result = replace(result, interrupted=budget.interrupted)
    if repair:
        result = replace(result, notes=(*result.notes, repair))
    substitutes = []
    if isinstance(observe, LastChecked) and observe.kept is not None:
        substitutes.append(observe.kept)
    if start is not None and start_report is not None:
        result = _never_worse(result, start, start_report)
        substitutes.append(from_start(start, start_report))
    result = replace(result, history=_as_checked(history, result))
    if not result.feasible and substitutes:
        best = min(substitutes, key=lambda substitute: substitute.report.rank)
        result = put_in_place(result, best)
    return replace(result, seconds=time.perf_counter() - began)


def never_broken(result: Result) -> Result:
    """The result, or a first plan in its place if it breaks a rule.

    Raises
    ------
    geopar.fallback.BrokenPlanError
        When there is none either.
    """
    if result.feasible:
        return result
    substitute = first_plan(result.problem, result.seed)
    if substitute is None:
        raise BrokenPlanError(result.solver, result.seed, result.violations)
    return put_in_place(result, substitute)


def judge(
    problem: Problem, outcome: Outcome, solver: str, seed: int, seconds: float = 0.0
) -> Result:
    """What the checker says of a solver's plan."""
    plan = outcome.plan.with_objective(None)
    report = check(problem, plan)
    return Result(
        problem=problem,
        plan=as_checked(problem, plan, report),
        objective=report.objective if report.feasible else math.inf,
        feasible=report.feasible,
        violations=tuple(report.violations),
        completion=report.completion,
        solver=solver,
        seconds=seconds,
        seed=seed,
        iterations=outcome.iterations,
        steps=outcome.steps,
        notes=outcome.notes,
        trace=outcome.trace,
        left_out=report.left_out,
        left_out_priority=report.left_out_priority,
    )


def load(
    solver: str | Solver | tuple[str, Solver] | None,
    kind: str,
    announce: Announce | None = None,
    problem: Problem | None = None,
) -> tuple[str, Solver]:
    """A solver and its name, ready to run: by name, the user's own, or the best for that problem.

    A solver's module may have a ``warm_up(kind, announce)`` that compiles what it needs, and a
    ``warm_up_day(problem, announce)`` for a problem with a day.
    """
    if isinstance(solver, tuple):
        # Whoever loaded it may not have known the problem.
        module = sys.modules.get(getattr(solver[1], "__module__", ""))
        if problem is not None and problem.day is not None and hasattr(module, "warm_up_day"):
            module.warm_up_day(problem, announce or _log.warning)  # type: ignore[union-attr]
        return solver
    if solver is not None and not isinstance(solver, str):
        return getattr(solver, "__name__", type(solver).__name__), solver
    info, call = _best(kind) if solver is None else _load(find_solver(solver, kind))
    module = importlib.import_module(info.target.partition(":")[0])
    announce = announce or _log.warning
    if problem is not None and problem.day is not None and hasattr(module, "warm_up_day"):
        module.warm_up_day(problem, announce)
    elif hasattr(module, "warm_up"):
        module.warm_up(kind, announce)
    return info.name, call


def configured(
    solver: str | None, kind: str, options: Options, announce: Announce | None = None
) -> tuple[str, Solver]:
    """A solver by name, ready to run, with what the user has chosen of it.

    Raises
    ------
    geopar.errors.InputError
        When it has no such choice, or not that value.
    """
    name, call = load(solver, kind, announce)
    given = options.given()
    if not given:
        return name, call
    configure = getattr(call, "configured", None)
    if configure is None:
        faults = Faults()
        for option, value in given.items():
            message = f"is for networks, not for solver {name!r}."
            faults.add("unused-option", option, value, message, "Maybe --solver geopar.")
        faults.raise_now()
    made: Solver = configure(kind, options)
    return name, made


def _check_outcome(name: str, outcome: Any) -> None:
    """A user's own solver may return anything."""
    if not isinstance(outcome, Outcome):
        what = f"returned {type(outcome).__name__}, not an Outcome."
        refuse("bad-outcome", "solver", name, what, "Maybe return Outcome(plan).")


def _traced(name: str, solver: Any) -> Solver:
    """The same solver, with a trace in its outcome."""
    if not hasattr(solver, "traced"):
        hint = "Maybe pointer."
        refuse("no-trace", "trace", ..., f"solver {name!r} has no steps to record.", hint)
    traced: Solver = solver.traced()
    return traced


def _load(info: SolverInfo) -> tuple[SolverInfo, Solver]:
    return info, info.load()


def _best(kind: str) -> tuple[SolverInfo, Solver]:
    known = solvers(kind)
    preferred = [known[name] for name in PREFERENCE if name in known]
    for info in preferred[:-1]:
        try:
            return _load(info)
        except MissingExtraError:
            continue
    return _load(preferred[-1])


def as_rule(stop: Any) -> StopRule:
    """A stopping rule from what the user gave."""
    if isinstance(stop, StopRule):
        return stop
    if stop is not None and (isinstance(stop, bool) or not isinstance(stop, Real)):
        refuse("bad-limit", "stop", stop, "is no stopping rule.", "Maybe MaxRuntime(10).")
    return MaxRuntime(DEFAULT_SECONDS if stop is None else float(stop))


def _check_numbers(seed: Any, threads: Any) -> None:
    faults = Faults()
    if not _is_whole(seed) or not 0 <= seed < 2**63:
        faults.add(
            "bad-seed", "seed", seed, "must be a whole number from 0 to 2⁶³ − 1.", "Maybe 0."
        )
    if not _is_whole(threads) or not 1 <= threads <= MOST_THREADS:
        message = f"must be a whole number from 1 to {MOST_THREADS:,}."
        faults.add("bad-threads", "threads", threads, message, "Maybe as many as cores.")
    faults.raise_if_any()


def _is_whole(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool)


def _as_checked(history: list[tuple[float, float]], result: Result) -> tuple[Any, ...]:
    """How costs fell, down to what the checker finds: a search adds up its own with rounding."""
    if not (history and result.feasible):
        return tuple(history)
    last = history.pop()
    fallen = [(seconds, max(cost, result.objective)) for seconds, cost in history]
    return (*fallen, (last[0], result.objective))


def _checked_start(problem: Problem, start: Plan) -> tuple[Plan, Report, str]:
    """A plan to begin with that can be driven, what the checker says of it, and what was mended."""
    # What the start claims to cost is nobody's concern: only whether it can be driven.
    start = start.with_objective(None)
    report = check(problem, start)
    if report.feasible:
        return start, report, ""
    wrong = report.violations
    if start.kind == problem.kind:
        start = repaired(problem, start)
        report = check(problem, start)
    if not report.feasible:
        faults = Faults(most_per_code=20)
        for violation in report.violations:
            faults.add(violation.code, "start", ..., violation.message + ".", violation.hint)
        faults.raise_now()
    return start, report, f"the plan to begin with was mended: {_in_short(wrong)}"


def _in_short(violations: Sequence[Violation]) -> str:
    """The first of each kind, and how many more there are: a note is no list of the day's stops."""
    kinds: dict[str, list[Violation]] = {}
    for violation in violations:
        kinds.setdefault(violation.code, []).append(violation)
    return "; ".join(
        f"{first} (and {len(more):,} more)" if more else str(first)
        for first, *more in kinds.values()
    )


def _never_worse(result: Result, start: Plan, report: Report) -> Result:
    if not result.feasible or result.rank < report.rank:
        return result
    return replace(
        result,
        plan=as_checked(result.problem, start, report),
        objective=report.objective,
        completion=report.completion,
        left_out=report.left_out,
        left_out_priority=report.left_out_priority,
    )


@contextmanager
def stop_on_interrupt(budget: Budget) -> Iterator[None]:
    """Let the first Ctrl-C end the budget and the second one everything.

    Only where Ctrl-C would raise KeyboardInterrupt: whoever handles it otherwise keeps doing so.
    The same holds for SIGTERM, which raises it on the command line.
    """
    usual = signal.default_int_handler
    in_main_thread = threading.current_thread() is threading.main_thread()
    both = (signal.SIGINT, signal.SIGTERM) if in_main_thread else ()
    caught = [one for one in both if signal.getsignal(one) is usual]

    def handle(number: int, frame: FrameType | None) -> None:
        if budget.interrupted:
            usual(number, frame)
        budget.interrupted = True

    for one in caught:
        signal.signal(one, handle)
    try:
        yield
    finally:
        for one in caught:
            signal.signal(one, usual)
