"""The network as a solver: ``construct``; and what one pass of any network shares.

Which weights: those asked for, else what the environment variable ``GEOPAR_WEIGHTS`` names (a
name, a path, or ``random``), else the best that are installed.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Self

import torch

from geopar.compiled.warming import announced
from geopar.errors import Faults, InputError
from geopar.model.configuration import Mode
from geopar.model.construct import Construction, OutOfTimeError
from geopar.model.construct import construct as construct_plans
from geopar.model.policy import Policy
from geopar.model.weights import RANDOM, load_weights
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.problems.batch import group_by_size
from geopar.problems.random import generate
from geopar.solvers import Observer, Outcome, Snapshot
from geopar.stop import Budget

WEIGHTS_VARIABLE = "GEOPAR_WEIGHTS"
RANDOM_NOTE = "random weights: the network has learned nothing"
# Agent-task pairs scored at once, over all instances of a batch: some hundred megabytes.
MOST_PAIRS = 2_000_000
MOST_TOGETHER = 256


@dataclass(frozen=True)
class OnePass(ABC):
    """One pass of some network as a :class:`geopar.solvers.Solver`.

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

    def to(self, device: str) -> Self:
        """The same on another device."""
        faults = Faults()
        try:
            torch.empty(0, device=device)
        except (RuntimeError, AssertionError):
            faults.add("bad-device", "device", device, "is not there.", "Maybe cpu.")
            faults.raise_now()
        return replace(self, device=device)

    def __call__(
        self,
        problem: Problem,
        budget: Budget,
        seed: int,
        *,
        start: Plan | None = None,
        observe: Observer | None = None,
        threads: int = 1,
    ) -> Outcome:
        """Build one plan; when the time is too short even for that, dispatch instead."""
        notes = self.network(problem)[1]
        try:
            built = self.build(problem, budget, seed, threads)
        except OutOfTimeError:
            from geopar.search.dispatch import dispatch

            outcome = dispatch(problem, budget, seed, observe=observe)
            note = "the time was too short for the network, so this is what dispatch gives"
            return replace(outcome, notes=(*notes, note))
        plan, cost = built.plans[0], float(built.objective[0])
        improved = budget.note(0, cost)
        if observe is not None:
            observe(Snapshot(budget.seconds, 0, cost, improved, lambda: plan))
        return Outcome(plan, steps=int(built.steps[0]), notes=notes, trace=built.trace)

    def build(
        self, problem: Problem, budget: Budget | None, seed: int, threads: int
    ) -> Construction:
        """Build one plan.

        Raises
        ------
        OutOfTimeError
            When the budget ends first.
        """
        network, _ = self.network(problem)
        with _threads(threads):
            return self.plans(network, [problem], seed, budget)

    def solve_many(
        self, problems: Sequence[Problem], budget: Budget, seed: int, *, threads: int = 1
    ) -> list[Outcome]:
        """Build plans for many problems, those of one size together.

        A pass cannot be cut short usefully, so only an interruption ends it.
        """
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


@dataclass(frozen=True)
class Construct(OnePass):
    """One pass of our network.

    Parameters
    ----------
    mode
        As for :func:`geopar.model.construct.construct`.
    tracing
        Whether outcomes carry a trace.
    """

    mode: Mode | None = None
    tracing: bool = False

    def traced(self) -> Construct:
        """The same, with a trace in every outcome."""
        return replace(self, tracing=True)

    def policy(self, kind: str) -> tuple[Policy, tuple[str, ...]]:
        """The network, and what the user should know about it."""
        name = self.weights or os.environ.get(WEIGHTS_VARIABLE) or None
        return _load(kind, name, self.device), (RANDOM_NOTE,) if name == RANDOM else ()

    def network(self, problem: Problem) -> tuple[Policy, tuple[str, ...]]:
        """That of the problem's kind."""
        return self.policy(problem.kind)

    def plans(
        self, network: Policy, problems: list[Problem], seed: int, budget: Budget | None
    ) -> Construction:
        """Plans for problems of one size."""
        return construct_plans(
            problems, network, self.mode, self.augment, self.samples,
            seed=seed, budget=budget, trace=self.tracing,
        )  # fmt: skip


@lru_cache(maxsize=8)
def _load(kind: str, name: str | None, device: str) -> Policy:
    return load_weights(kind, name, device)


@contextmanager
def _threads(count: int) -> Iterator[None]:
    """Let torch use so many cores, and give back what it had."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def warm_up(kind: str, announce: Callable[[str], None]) -> None:
    """Compile what a rollout on a CPU needs, once; then it is kept on disk."""
    with announced("compiling the network, once, about a minute", announce):
        try:
            installed, _ = construct.policy(kind)
        except InputError:
            return  # whoever asks for the network is told
        construct_plans(generate(f"{kind}/2/1"), installed)


construct = Construct()
