"""Messages between the server and its workers: commands and reports.

They are pickled from one process to another, so they are small and made of plain values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from geopar.errors import Fault, GeoparError, InputError, MissingExtraError
from geopar.plan import Plan
from geopar.problems import Problem


class RunOptions(NamedTuple):
    """When a run ends besides its time limit, and on how many cores it runs.

    Parameters
    ----------
    iterations
        So many, so that a run repeats exactly.
    target
        As soon as a plan is as good as this.
    no_improvement
        After so many seconds without a better plan.
    threads
        How many cores.
    """

    iterations: int | None = None
    target: float | None = None
    no_improvement: float | None = None
    threads: int = 1


NO_OPTIONS = RunOptions()


@dataclass(frozen=True, slots=True)
class SolveCommand:
    """Run a solver; with ``watched`` report improvements on the way."""

    problem: Problem
    solver: str | None
    time_limit: float
    seed: int
    watched: bool = False
    start: Plan | None = None
    options: RunOptions = NO_OPTIONS


@dataclass(frozen=True, slots=True)
class ConstructCommand:
    """One pass of the network over problems of one size."""

    problems: tuple[Problem, ...]
    seeds: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TraceCommand:
    """One pass of the network over one problem, step by step."""

    problem: Problem
    seed: int


Command = SolveCommand | ConstructCommand | TraceCommand


@dataclass(frozen=True, slots=True)
class Ready:
    """The worker is warm. ``missing`` says why solvers are not there, by name."""

    missing: dict[str, str]


@dataclass(frozen=True, slots=True)
class Compiling:
    """The run, or the worker before it is ready, waits for code to be compiled, once.

    The clock of a run does not run yet.
    """


@dataclass(frozen=True, slots=True)
class ProgressReport:
    """How far a run has come."""

    time: float
    iterations: int


@dataclass(frozen=True, slots=True)
class Improvement:
    """A better plan, checked. ``plan`` and ``schedule`` are JSON text."""

    time: float
    iterations: int
    objective: float
    plan: str
    schedule: str
    solver: str
    history: list[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Done:
    """The command is done: JSON text, one for each problem."""

    texts: tuple[str, ...]
    objective: float | None = None
    iterations: int | None = None


FailureCode = Literal["bad-input", "missing-extra", "out-of-memory", "internal"]


class WorkError(GeoparError):
    """What went wrong in a worker, where only its code and message matter to clients."""

    def __init__(self, code: FailureCode, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Failed:
    """The command could not be done; all of this may be shown to clients.

    Text and nothing else, not the error itself: an exception need not survive the way from one
    process to another, and would break the thread that reads it.

    Parameters
    ----------
    code, message
        What went wrong.
    faults, left_out
        As for :class:`geopar.errors.InputError`, each fault by its fields.
    """

    code: FailureCode
    message: str
    faults: tuple[tuple[str, ...], ...] = ()
    left_out: int = 0

    @classmethod
    def of(cls, error: BaseException) -> Failed:
        """A report of whatever was raised."""
        if isinstance(error, InputError):
            faults = tuple(tuple(fault.texts().values()) for fault in error.faults)
            return cls("bad-input", str(error), faults, int(error.left_out))
        if isinstance(error, MissingExtraError):
            return cls("missing-extra", str(error))
        if isinstance(error, MemoryError):
            return cls("out-of-memory", "There is not enough memory for this.")
        if isinstance(error, GeoparError):
            return cls("internal", str(error))
        return cls("internal", f"the solver broke: {_described(error)}")

    def to_error(self) -> InputError | WorkError:
        """The error to raise on the server's side."""
        if self.code == "bad-input":
            return InputError([Fault(*fault) for fault in self.faults], self.left_out)
        return WorkError(self.code, self.message)


def _described(error: BaseException) -> str:
    name = type(error).__name__
    try:
        return f"{name}: {error}"
    except Exception:  # its own __str__ is broken
        return name


Report = Ready | Compiling | ProgressReport | Improvement | Done | Failed

# Control messages: stop the run and keep its best plan; end the process.
STOP, EXIT = "stop", "exit"


class LostWorkerError(Exception):
    """A worker died while it worked.

    Parameters
    ----------
    ending
        How.
    may_try_again
        Whether another one may well succeed: a machine of a cluster was lost, for example.
    """

    def __init__(self, ending: str, may_try_again: bool = False) -> None:
        super().__init__(ending)
        self.may_try_again = may_try_again
