"""One pass of any network as a solver: weights, devices, batches, time limits.

Which weights: those asked for, else what the environment variable ``GEOPAR_WEIGHTS`` names (a
name, a path, or ``random``), else those that are installed under the network's own name.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import torch
from numpy.typing import NDArray

from geopar.errors import Faults, refuse
from geopar.neural.cards import RANDOM
from geopar.neural.tracer import Tracer
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.problems.batch import group_by_size
from geopar.problems.travel import require_straight_lines
from geopar.settings import maybe_one_of
from geopar.solver import Options, Outcome, Request
from geopar.stop import Budget, OutOfTimeError
from geopar.trace import Trace

WEIGHTS_VARIABLE = "GEOPAR_WEIGHTS"
RANDOM_NOTE = "random weights: the network has learned nothing"
TOO_SHORT_NOTE = "the time was too short for the network, so this is what dispatch gives"
# Agent-task pairs scored at once, over all instances of a batch: some hundred megabytes.
MOST_PAIRS = 2_000_000
MOST_TOGETHER = 256
SYMMETRIES = 8


@dataclass(frozen=True, eq=False)
class Construction:
    """Plans and what they took.

    Parameters
    ----------
    plans
        The best plan of each problem.
    objective
        What each costs, in the user's units, to float32.
    steps
        Parallel steps of the rollouts that made them.
    trace
        Step by step, where asked for: of the first problem.
    """

    plans: tuple[Plan, ...]
    objective: NDArray[np.float64]
    steps: NDArray[np.int64]
    trace: Trace | None = None


class HasRoutes(Protocol):
    """Remembers who did what."""

    def routes(self, instance: int, rollout: int = 0) -> Sequence[Sequence[Any]]:
        """For each vehicle its trips of task indices."""


def best_plans(
    problems: list[Problem],
    recorder: HasRoutes,
    cost: torch.Tensor,
    steps: torch.Tensor,
    augment: int,
    tracer: Tracer | None = None,
) -> Construction:
    """The cheapest of all copies and samples of each problem.

    Parameters
    ----------
    problems
        Of one size.
    recorder
        What was done in the rollouts of all copies, those of one problem side by side.
    cost, steps
        ``(copies, samples)`` of them.
    augment
        Copies of each problem.
    tracer
        Of the first problem, where a trace is wanted.
    """
    by_problem = cost.cpu().numpy().reshape(len(problems), -1)
    samples = cost.shape[1]
    chosen = by_problem.argmin(axis=1)
    copy, sample = np.divmod(chosen, samples)
    plans = tuple(
        Plan.from_indices(
            problem, recorder.routes(row * augment + int(copy[row]), int(sample[row]))
        )
        for row, problem in enumerate(problems)
    )
    rows = np.arange(len(problems))
    return Construction(
        plans,
        by_problem[rows, chosen],
        steps.cpu().numpy().reshape(len(problems), -1)[rows, chosen],
        None if tracer is None else tracer.finish(int(copy[0]), int(sample[0]), plans[0]),
    )


@dataclass(frozen=True)
class OnePass(ABC):
    """One pass of some network as a :class:`geopar.solver.Solver`.

    Parameters
    ----------
    weights
        Name, path or ``random``; see the module.
    augment, samples
        Symmetric copies of each problem and rollouts of each copy; the best plan counts.
    device
        Where the network runs.
    """

    weights: str | None = None
    augment: int = 1
    samples: int = 1
    device: str = "cpu"

    # How scores may become plans, where there is a choice.
    modes: ClassVar[tuple[str, ...]] = ()

    @property
    def name(self) -> str:
        """What users call it."""
        return type(self).__name__.removesuffix("Solver").lower()

    @abstractmethod
    def network(self, problem: Problem) -> tuple[Any, tuple[str, ...]]:
        """The network for a problem, and what the user should know about it."""

    @abstractmethod
    def plans(
        self, network: Any, problems: list[Problem], seed: int, budget: Budget | None
    ) -> Construction:
        """Plans for problems of one size.

        Raises
        ------
        OutOfTimeError
            When the budget ends first.
        """

    def weights_name(self, usual: str) -> tuple[str, tuple[str, ...]]:
        """Which weights to load, and what the user should know about them."""
        name = self.weights or os.environ.get(WEIGHTS_VARIABLE) or usual
        return name, (RANDOM_NOTE,) if name == RANDOM else ()

    def configured(self, kind: str, options: Options) -> Self:
        """The same with what the user has chosen.

        Raises
        ------
        geopar.errors.InputError
            For what this network has no choice of, or a value that is none.
        """
        given, faults = options.given(), Faults()
        modes = self.modes
        for name in sorted(set(given) - {"weights", "samples", "augment", "mode"}):
            message = "is only for the paper's network."
            faults.add("unused-option", name, given[name], message, "Maybe --solver geopar.")
        if "mode" in given and given["mode"] not in modes:
            hint = maybe_one_of(given["mode"], modes) if modes else "Leave it out."
            faults.add("unknown-value", "mode", given["mode"], "is no way to decode here.", hint)
        faults.raise_if_any()
        return replace(self, **given)

    def to(self, device: str) -> Self:
        """The same on another device."""
        try:
            torch.empty(0, device=device)
        except (RuntimeError, AssertionError):
            refuse("bad-device", "device", device, "is not there.", "Maybe cpu.")
        return replace(self, device=device)

    def __call__(self, request: Request) -> Outcome:
        """Build one plan; when the time is too short even for that, dispatch instead."""
        require_straight_lines(request.problem, self.name)
        network, notes = self.network(request.problem)
        try:
            built = self.build(
                network, request.problem, request.budget, request.seed, request.threads
            )
        except OutOfTimeError:
            from geopar.search.dispatch import dispatch

            outcome = dispatch(request)
            return replace(outcome, notes=(*notes, TOO_SHORT_NOTE))
        plan, cost = built.plans[0], float(built.objective[0])
        request.tell(0, cost, lambda: plan)
        return Outcome(plan, steps=int(built.steps[0]), notes=notes, trace=built.trace)

    def build(
        self, network: Any, problem: Problem, budget: Budget | None, seed: int, threads: int
    ) -> Construction:
        """Build one plan.

        Raises
        ------
        OutOfTimeError
            When the budget ends first.
        """
        require_straight_lines(problem, self.name)
        with _threads(threads):
            return self.plans(network, [problem], seed, budget)

    def solve_many(
        self, problems: Sequence[Problem], budget: Budget, seed: int, *, threads: int = 1
    ) -> list[Outcome]:
        """Build plans for many problems, those of one size together.

        A pass cannot be cut short usefully, so only an interruption ends it.
        """
        for problem in problems:
            require_straight_lines(problem, self.name)
        outcomes: list[Outcome | None] = [None] * len(problems)
        with _threads(threads):
            for group in self._groups(problems):
                if budget.interrupted:
                    break
                chosen = [problems[row] for row in group]
                network, notes = self.network(chosen[0])
                built = self.plans(network, chosen, seed, None)
                for at, row in enumerate(group):
                    outcomes[row] = Outcome(
                        built.plans[at], steps=int(built.steps[at]), notes=notes
                    )
        return [outcome for outcome in outcomes if outcome is not None]

    def _groups(self, problems: Sequence[Problem]) -> Iterator[list[int]]:
        """Positions of problems of one size, as many as memory allows."""
        for group in group_by_size(problems, len(problems) or 1):
            one = problems[group[0]]
            pairs = one.num_tasks * one.num_vehicles * self.augment * self.samples
            most = max(1, min(MOST_TOGETHER, MOST_PAIRS // pairs))
            yield from (group[at : at + most] for at in range(0, len(group), most))


def check_copies(augment: int, samples: int, *, sampling: bool) -> None:
    """Refuse numbers of copies and samples that make no sense."""
    faults = Faults()
    if not 1 <= augment <= SYMMETRIES:
        faults.add("out-of-range", "augment", augment, f"must be 1 to {SYMMETRIES}.")
    if samples < 1 or (samples > 1 and not sampling):
        faults.add(
            "out-of-range", "samples", samples, "must be 1, or more in mode sample.",
            "Maybe mode sample.",
        )  # fmt: skip
    faults.raise_if_any()


@contextmanager
def _threads(count: int) -> Iterator[None]:
    """Let torch use so many cores, and give back what it had."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
