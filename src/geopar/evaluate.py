"""How good a solver is over a set of instances."""

from __future__ import annotations

import csv
import math
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import islice
from pathlib import Path
from statistics import mean, median, stdev
from typing import Any, Protocol, TextIO

from geopar.errors import Faults
from geopar.many import How
from geopar.problems import Problem
from geopar.problems.frozen import frozen
from geopar.problems.kinds import PROBLEM_KINDS, Kind
from geopar.problems.setting import Setting
from geopar.result import Result
from geopar.solver import Options, Solver
from geopar.solving import Announce, as_rule, judge, run, stop_on_interrupt
from geopar.spread import Executor, opened
from geopar.stop import Budget, StopRule

# For each instance, unless told otherwise.
SECONDS_EACH = 1.0
# Instances handed at once to a solver that takes many: enough to fill a machine, few enough
# that progress is seen.
BATCH = 64

Tell = Callable[["Row"], None]


@dataclass(frozen=True, slots=True)
class Row:
    """What came out for one instance; numbers that do not exist are ``None``."""

    instance: str
    objective: float | None
    feasible: bool
    bound_ratio: float | None
    steps: int | None
    iterations: int | None
    seconds: float

    @classmethod
    def of(cls, result: Result, instance: str) -> Row:
        """From a checked result."""
        objective = result.objective if result.feasible else None
        ratio = None
        bound_of = PROBLEM_KINDS[result.problem.kind].bound
        if objective is not None and bound_of is not None:
            bound = bound_of.load()(result.problem)
            ratio = objective / bound if bound > 0 else None
        return cls(
            instance, objective, result.feasible, ratio,
            result.steps, result.iterations, result.seconds,
        )  # fmt: skip


@dataclass(frozen=True)
class Evaluation:
    """The rows of one solver over one set, and their means.

    Means are over the instances with a feasible plan; how many have none is told as well.
    """

    set: str
    solver: str
    rows: tuple[Row, ...]

    def to_json(self) -> dict[str, Any]:
        """The summary; numbers that do not exist are ``None``."""
        objectives = _known(row.objective for row in self.rows)
        seconds = [row.seconds for row in self.rows]
        return {
            "set": self.set,
            "solver": self.solver,
            "count": len(self.rows),
            "objective": _mean(objectives),
            "objective_stderr": (
                stdev(objectives) / math.sqrt(len(objectives)) if len(objectives) > 1 else None
            ),
            "bound_ratio": _mean(_known(row.bound_ratio for row in self.rows)),
            "steps": _mean(_known(row.steps for row in self.rows)),
            "seconds": _mean(seconds),
            "median_seconds": median(seconds) if seconds else None,
            "infeasible": sum(not row.feasible for row in self.rows),
        }

    def write_rows(self, file: TextIO, header: bool = True) -> None:
        """One line of CSV per instance, after a line of names."""
        names = ["set", "solver", *(field.name for field in fields(Row))]
        writer = csv.DictWriter(file, names, lineterminator="\n")
        if header:
            writer.writeheader()
        about = {"set": self.set, "solver": self.solver}
        writer.writerows(about | asdict(row) for row in self.rows)


def evaluate(
    instances: str | Path | ProblemSet | Iterable[Problem],
    solver: str | Solver | tuple[str, Solver] | None = None,
    count: int | None = None,
    stop: StopRule | float | None = None,
    seed: int = 0,
    *,
    threads: int = 1,
    device: str | None = None,
    options: Options | None = None,
    cluster: str | Executor | None = None,
    tell: Tell | None = None,
    announce: Announce | None = None,
) -> Evaluation:
    """Solve every instance of a set; row ``k`` is what ``geopar solve SET#k`` gives.

    A solver that has ``solve_many(problems, budget, seed, threads=...)`` returning one outcome
    each gets many instances at once; their time is then shared out evenly. One that has
    ``to(device)`` is asked for itself on that device.

    Ctrl-C ends it with the instances finished so far.

    Parameters
    ----------
    instances
        A frozen name such as ``hcvrp/60/3``, an npz file, or problems of one kind.
    solver
        A name from :func:`geopar.solvers`, or a solver of your own; see :func:`geopar.solve`.
    count
        Only so many, the first ones.
    stop
        For each instance: a rule, or seconds; one second when left out.
    seed, threads
        As for :func:`geopar.solve`, the same for each instance.
    device
        Such as ``cpu`` or ``cuda``, for solvers that have a choice.
    options
        Of a network.
    cluster
        What solves them, see :func:`geopar.solve_many`. Times are those of the workers.
    tell
        Called with every row as it comes.
    announce
        As for :func:`geopar.solve`.
    """
    rule = as_rule(SECONDS_EACH if stop is None else stop)
    chosen = open_set(instances, count)
    how = How(rule, seed, solver, options or Options(), threads, device)
    name, call = how.ready(chosen.kind, announce)
    size = 1 if getattr(call, "solve_many", None) is None else BATCH
    rows: dict[int, Row] = {}
    with opened(cluster, threads) as executor:
        try:
            for done in executor.run(_evaluate_piece, _pieces(chosen, how, size)):
                for place, row in enumerate(done.result()):
                    rows[done.number * size + place] = row
                    if tell is not None:
                        tell(row)
        except KeyboardInterrupt:
            if not rows:
                raise
    return Evaluation(chosen.name, name, tuple(rows[number] for number in sorted(rows)))


@dataclass(frozen=True)
class _Piece:
    """A task: some instances of a set, from the first of these numbers on."""

    set: str
    first: int
    problems: tuple[Problem, ...]
    how: How


def _pieces(chosen: ProblemSet, how: How, size: int) -> Iterator[_Piece]:
    waiting, first = iter(chosen.problems), 0
    while problems := tuple(islice(waiting, size)):
        yield _Piece(chosen.name, first, problems, how)
        first += size


def _evaluate_piece(piece: _Piece) -> list[Row]:
    """The task itself: what each of them gives."""
    _, call = piece.how.ready(piece.problems[0].kind)
    work = _alone if getattr(call, "solve_many", None) is None else _at_once
    return [
        Row.of(result, f"{piece.set}#{number}")
        for number, result in enumerate(work(piece), piece.first)
    ]


def _alone(piece: _Piece) -> list[Result]:
    how, (problem,) = piece.how, piece.problems
    solver = how.ready(problem.kind)
    result = run(problem, how.rule, how.seed, solver=solver, threads=how.threads)
    if result.interrupted:  # cut short, so it says nothing about the solver
        raise KeyboardInterrupt
    return [result]


def _at_once(piece: _Piece) -> list[Result]:
    how, problems = piece.how, piece.problems
    name, call = how.ready(problems[0].kind)
    began, budget = time.perf_counter(), Budget(how.rule)
    with stop_on_interrupt(budget):
        outcomes = call.solve_many(  # type: ignore[attr-defined]
            list(problems), budget, how.seed, threads=how.threads
        )
    if budget.interrupted:
        raise KeyboardInterrupt
    seconds = (time.perf_counter() - began) / len(problems)
    return [
        replace(judge(problem, outcome, name, how.seed), seconds=seconds)
        for problem, outcome in zip(problems, outcomes, strict=True)
    ]


class Problems(Protocol):
    """Some problems, perhaps made one at a time."""

    def __len__(self) -> int:
        """How many."""

    def __iter__(self) -> Iterator[Problem]:
        """One after the other."""


@dataclass(frozen=True)
class ProblemSet:
    """Problems of one kind under one name."""

    name: str
    kind: Kind
    problems: Problems

    def __len__(self) -> int:
        return len(self.problems)


def open_set(
    instances: str | Path | ProblemSet | Iterable[Problem], count: int | None = None
) -> ProblemSet:
    """A set by its name, from its file or from its problems; all of it, or the first ``count``.

    Raises
    ------
    geopar.errors.InputError
        For a name or file that is none, or a count that the set does not have.
    """
    if isinstance(instances, ProblemSet):
        return instances
    if isinstance(instances, str) and not _is_file(instances):
        setting = Setting.parse(instances)
        return ProblemSet(instances, setting.kind, frozen(instances, count))
    if isinstance(instances, (str, Path)):
        from geopar.files import read_batch

        name, problems = Path(instances).name, list(read_batch(instances))
    else:
        name, problems = "problems", list(instances)
    faults = Faults()
    if not problems:
        faults.add("empty", name, ..., "holds no problem.", "Add one.")
    elif count is not None and not 1 <= count <= len(problems):
        faults.add(
            "bad-count", "count", count, f"is not in 1..{len(problems)}, the size of {name}.",
            f"Maybe {len(problems)}.",
        )  # fmt: skip
    kinds = sorted({problem.kind for problem in problems})
    if len(kinds) > 1:
        faults.add("mixed-kinds", name, kinds, "are two problems.", "Evaluate one at a time.")
    faults.raise_if_any()
    return ProblemSet(name, kinds[0], problems[:count])


def _is_file(name: str) -> bool:
    return Path(name).suffix.lower() == ".npz" or os.path.isfile(name)


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _mean(values: Sequence[float]) -> float | None:
    return mean(values) if values else None
