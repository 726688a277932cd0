"""A problem to solve as a task: what goes to a worker, and what comes back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from geopar.errors import refuse
from geopar.many.cases import Case, Cases, open_cases
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.result import Result
from geopar.solver import Options, Solver
from geopar.solving import Announce, as_rule, configured, load, solve
from geopar.spread import Done, Executor, opened
from geopar.stop import StopRule


@dataclass(frozen=True)
class How:
    """How problems are solved, each of them; see :func:`geopar.solve`."""

    rule: StopRule
    seed: int = 0
    solver: str | Solver | tuple[str, Solver] | None = None
    options: Options = field(default_factory=Options)
    threads: int = 1
    device: str | None = None

    def ready(self, kind: str, announce: Announce | None = None) -> tuple[str, Solver]:
        """The solver and its name; what has a name is made ready once in each process.

        Raises
        ------
        geopar.errors.InputError
            When there is no such solver, or it has no such choice.
        """
        if self.solver is not None and not isinstance(self.solver, str):
            return _on_device(*load(self.solver, kind, announce), self.device)
        wanted = (self.solver, kind, repr(self.options), self.device)
        if wanted not in _made:
            made = configured(self.solver, kind, self.options, announce)
            _made[wanted] = _on_device(*made, self.device)
        return _made[wanted]


_made: dict[tuple[str | None, ...], tuple[str, Solver]] = {}


def _on_device(name: str, solver: Any, device: str | None) -> tuple[str, Solver]:
    if device is None:
        return name, solver
    move = getattr(solver, "to", None)
    if move is not None:
        return name, move(device)
    if device != "cpu":
        message = f"is not for solver {name!r}, which runs on the CPU."
        refuse("bad-device", "device", device, message, "Leave --device out.")
    return name, solver


@dataclass(frozen=True)
class Job:
    """A task: which problem, and how it is solved."""

    case: Case
    how: How


@dataclass(frozen=True)
class Solved:
    """What became of a problem: a checked plan, or an error.

    Parameters
    ----------
    number, name
        Which problem, counted from 0, and what it is called.
    plan, objective
        As :class:`geopar.Result` has them.
    left_out
        How many tasks the plan leaves out.
    solver, seed, seconds, iterations, steps, notes
        How it came about.
    error
        What was wrong instead, mostly a :class:`geopar.InputError`.
    """

    number: int
    name: str
    plan: Plan | None = None
    objective: float | None = None
    left_out: int = 0
    solver: str = ""
    seed: int = 0
    seconds: float = 0.0
    iterations: int | None = None
    steps: int | None = None
    notes: tuple[str, ...] = ()
    error: Exception | None = None


def run_job(job: Job) -> Result:
    """Solve the problem of a task.

    Raises
    ------
    geopar.errors.GeoparError
        When it cannot be read or solved.
    KeyboardInterrupt
        When the user has cut it short: such a plan would not be the one that was asked for.
    """
    problem = job.case.load()
    how = job.how
    result = solve(problem, how.rule, how.seed, solver=how.ready(problem.kind), threads=how.threads)
    if result.interrupted:
        raise KeyboardInterrupt
    return result


def solved(case: Case, result: Result) -> Solved:
    """A result without its problem, which whoever asked has."""
    return Solved(
        case.number, case.name, result.plan, result.objective, len(result.left_out),
        result.solver, result.seed, result.seconds, result.iterations, result.steps, result.notes,
    )  # fmt: skip


def solve_job(job: Job) -> Solved:
    """The task itself, where the worker is; raises as :func:`run_job`."""
    return solved(job.case, run_job(job))


def solve_many(
    problems: str | Path | Iterable[Problem | str | Path],
    stop: StopRule | float | None = None,
    seed: int = 0,
    *,
    solver: str | Solver | None = None,
    options: Options | None = None,
    threads: int = 1,
    cluster: str | Executor | None = None,
) -> Iterator[Solved]:
    """Solve many problems; each comes back as it is done, whatever its number.

    What each gives is what :func:`geopar.solve` gives for it alone, wherever it was solved. One
    that cannot be read or solved comes back with its error, and the others go on.

    Parameters
    ----------
    problems
        Problems, names of files or patterns such as ``"day/*.json"``, a JSON-lines file with a
        problem in each line, or a Parquet file with JSON in its column ``problem``.
    stop, seed, solver, threads
        As for :func:`geopar.solve`, the same for each.
    options
        Of a network.
    cluster
        What solves them: ``serial`` (this process) when left out, ``processes`` or
        ``processes:4``, ``auto`` or an address of a Ray cluster; or an executor that is open.

    Raises
    ------
    geopar.errors.InputError
        For names that are none, or a cluster that is not there.
    """
    cases = open_cases(problems)
    how = How(as_rule(stop), seed, solver, options or Options(), threads)
    return _solve(cases, how, cluster)


def _solve(cases: Cases, how: How, cluster: str | Executor | None) -> Iterator[Solved]:
    with opened(cluster, how.threads) as executor:
        for done in executor.run(solve_job, (Job(case, how) for case in cases)):
            yield _named(done, cases.names)


def _named(done: Done[Solved], names: list[str]) -> Solved:
    if done.error is not None:
        return Solved(done.number, names[done.number], error=done.error)
    return replace(done.result(), number=done.number)
