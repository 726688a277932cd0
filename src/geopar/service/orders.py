"""What the server tells a worker to do, and what the worker tells back.

Everything here crosses from one process to another, so it is small and made of plain values.
"""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Failed:
    """The order could not be done; ``error`` may be told to clients."""

    error: Exception


Report = Ready | Pace | Improvement | Done | Failed

# From the server, besides orders: end the run and keep what there is; end the process.
STOP, EXIT = "stop", "exit"


class LostWorkerError(Exception):
    """A worker process died while it worked."""
