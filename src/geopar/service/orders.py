"""What the server tells a worker to do, and what the worker tells back.

Everything here crosses from one process to another, so it is small and made of plain values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from geopar.errors import Fault, GeoparError, InputError, MissingExtraError
from geopar.problems import Problem


@dataclass(frozen=True, slots=True)
class SolveOrder:
    """Run a solver; with ``watched`` tell of every improvement."""

    problem: Problem
    solver: str | None
    time_limit: float
    seed: int
    watched: bool = False
    iterations: int | None = None


@dataclass(frozen=True, slots=True)
class ConstructOrder:
    """One pass of the network over problems of one size."""

    problems: tuple[Problem, ...]
    seeds: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TraceOrder:
    """One pass of the network over one problem, step by step."""

    problem: Problem
    seed: int


Order = SolveOrder | ConstructOrder | TraceOrder


@dataclass(frozen=True, slots=True)
class Ready:
    """The worker is warm. ``missing`` says why solvers are not there, by name."""

    missing: dict[str, str]


@dataclass(frozen=True, slots=True)
class Pace:
    """How far a run is."""

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
    """The order is done: JSON text, one for each problem."""

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
    """The order could not be done; all of this may be told to clients.

    Text and nothing else, not the error itself: an exception need not survive the way from one
    process to another, and whoever reads it would break in its place.

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
        """Whatever was raised, in words."""
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
        """An error that says the same."""
        if self.code == "bad-input":
            return InputError([Fault(*fault) for fault in self.faults], self.left_out)
        return WorkError(self.code, self.message)


def _described(error: BaseException) -> str:
    name = type(error).__name__
    try:
        return f"{name}: {error}"
    except Exception:  # it cannot even say what it is
        return name


Report = Ready | Pace | Improvement | Done | Failed

# From the server, besides orders: end the run and keep what there is; end the process.
STOP, EXIT = "stop", "exit"


class LostWorkerError(Exception):
    """A worker process died while it worked."""
