"""Measures a solver on a set: objective and steps, batch-1 times and amortised ones.

With one thread, times are processor seconds, so that other work on the machine does not count; with
more they are the clock's.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import islice
from statistics import mean, stdev
from typing import Any

from geopar.problems import Problem
from geopar.problems.frozen import frozen
from geopar.problems.kinds import PROBLEM_KINDS
from geopar.problems.random import generate
from geopar.problems.setting import Setting
from geopar.reproduce.store import Measured
from geopar.result import Result
from geopar.solver import Solver
from geopar.solving import judge, run, stop_on_interrupt
from geopar.spread import Executor
from geopar.stop import Budget, MaxRuntime, Progress, StopRule

TOO_LONG = "longer than"
MOST_NOTES = 3
# A plan that a warm-up makes has so many tasks.
WARM_TASKS = 20


def clock(threads: int) -> float:
    """Seconds since some moment: of the processor where one thread works, else of the clock."""
    return time.process_time() if threads == 1 else time.perf_counter()


class Patience(StopRule):
    """Gives up after so many seconds of :func:`clock`, from when it was made."""

    def __init__(self, limit: float, threads: int) -> None:
        self.limit, self._threads, self._began = limit, threads, clock(threads)

    def fraction(self, progress: Progress) -> float:
        """Of the patience."""
        return (clock(self._threads) - self._began) / self.limit


@dataclass(frozen=True)
class Pass:
    """How often a solver is asked.

    Parameters
    ----------
    count, single
        Instances, and how many of them one by one.
    rule
        When one has ended; for networks seconds after which it is given up.
    seed, threads
        As for :func:`geopar.solve`.
    """

    count: int
    single: int
    rule: StopRule | float
    seed: int = 0
    threads: int = 1


def measure_network(solver: tuple[str, Any], name: str, plan: Pass) -> Measured:
    """A network: some instances one by one, the others together."""
    from geopar.neural.one_pass import TOO_SHORT_NOTE

    problems, results, seconds = iter(frozen(name, plan.count)), [], []
    kind, vehicles = Setting.parse(name).kind, Setting.parse(name).num_vehicles
    # What is done once, such as reading weights, is not timed.
    _solve(generate(f"{kind}/{WARM_TASKS}/{vehicles}"), solver, plan)
    for problem in islice(problems, plan.single):
        began = clock(plan.threads)
        result = _solve(problem, solver, plan)
        if TOO_SHORT_NOTE in result.notes:
            return Measured(note=f"{TOO_LONG} {plan.rule:g} s for one instance, so it was given up")
        results.append(result)
        seconds.append(clock(plan.threads) - began)
    values = {"seconds": mean(seconds)}
    rest = list(problems)
    if rest:
        began, budget = clock(plan.threads), Budget(MaxRuntime(1e9))
        with stop_on_interrupt(budget):
            outcomes = solver[1].solve_many(rest, budget, plan.seed, threads=plan.threads)
        if budget.interrupted:
            raise KeyboardInterrupt
        values["amortised"] = (clock(plan.threads) - began) / len(rest)
        pairs = zip(rest, outcomes, strict=True)
        results += [judge(problem, outcome, solver[0], plan.seed) for problem, outcome in pairs]
    return Measured(values | _means(results), _notes(results))


def measure_search(
    solver: tuple[str, Solver], name: str, plan: Pass, executor: Executor
) -> Measured:
    """A search, each instance a task."""
    tasks = (_Task(problem, solver, plan) for problem in frozen(name, plan.count))
    done = sorted(executor.run(_timed, tasks), key=lambda one: one.number)
    results, seconds = zip(*(one.result() for one in done), strict=True)
    return Measured({"seconds": mean(seconds)} | _means(list(results)), _notes(list(results)))


@dataclass(frozen=True)
class _Task:
    problem: Problem
    solver: tuple[str, Solver]
    plan: Pass


def _timed(task: _Task) -> tuple[Result, float]:
    """The task itself: what one instance gives, and how long it took."""
    began = clock(task.plan.threads)
    result = _solve(task.problem, task.solver, task.plan)
    return result, clock(task.plan.threads) - began


def _solve(problem: Any, solver: tuple[str, Solver], plan: Pass) -> Result:
    rule = plan.rule
    if not isinstance(rule, StopRule):
        rule = Patience(rule, plan.threads)
    result = run(problem, rule, plan.seed, solver=solver, threads=plan.threads)
    if result.interrupted:  # cut short, so it says nothing
        raise KeyboardInterrupt
    return result


def _means(results: list[Result]) -> dict[str, float]:
    objectives = [result.objective for result in results if result.feasible]
    found: dict[str, float] = {"instances": float(len(results))}
    if objectives:
        found["objective"] = mean(objectives)
    if len(objectives) > 1:
        found["error"] = stdev(objectives) / math.sqrt(len(objectives))
    bound = mean_bound(result.problem for result in results if result.feasible)
    if bound is not None:
        found["bound"] = bound
    steps = [result.steps for result in results if result.steps is not None]
    if steps:
        found["steps"] = mean(steps)
    return found


def _notes(results: list[Result]) -> str:
    broken = sum(not result.feasible for result in results)
    said = dict.fromkeys(note for result in results for note in result.notes)
    kept = list(said)[:MOST_NOTES] + ([f"{broken} plans broke a rule"] if broken else [])
    return "; ".join(kept)


def mean_bound(problems: Iterable[Any]) -> float | None:
    """The mean lower bound of some instances; none where there is no bound."""
    found = []
    for problem in problems:
        bound_of = PROBLEM_KINDS[problem.kind].bound
        if bound_of is None:
            return None
        found.append(bound_of.load()(problem))
    return mean(found) if found else None


@cache
def set_bound(name: str) -> float | None:
    """The mean lower bound of a whole frozen set."""
    if PROBLEM_KINDS[Setting.parse(name).kind].bound is None:
        return None
    return mean_bound(frozen(name))
