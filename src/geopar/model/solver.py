"""The network as a solver: ``construct``, and ``parco``, the same code without what is new.

Which weights: those asked for, else what the environment variable ``GEOPAR_WEIGHTS`` names (a
name, a path, or ``random``), else the best that are installed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache

import torch

from geopar.errors import Faults
from geopar.model.configuration import Mode, parco_config
from geopar.model.construct import Construction, OutOfTimeError
from geopar.model.construct import construct as construct_plans
from geopar.model.policy import Policy
from geopar.model.weights import RANDOM, load_weights, random_policy
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.problems.batch import group_by_size
from geopar.problems.random import generate
from geopar.search.warming import announced
from geopar.solvers import Observer, Outcome, Snapshot
from geopar.stop import Budget

WEIGHTS_VARIABLE = "GEOPAR_WEIGHTS"
# Agent-task pairs scored at once, over all instances of a batch: some hundred megabytes.
MOST_PAIRS = 2_000_000
MOST_TOGETHER = 256


@dataclass(frozen=True)
class Construct:
    """One pass of the network as a :class:`geopar.solvers.Solver`.

    Parameters
    ----------
    weights
        Name, path or ``random``; see the module.
    is_parco
        Whether it is the base that the paper extends.
    mode, augment, samples
        As for :func:`geopar.model.construct.construct`.
    device
        Where the network runs.
    tracing
        Whether outcomes carry a trace.
    """

    weights: str | None = None
    is_parco: bool = False
    mode: Mode | None = None
    augment: int = 1
    samples: int = 1
    device: str = "cpu"
    tracing: bool = False

    def to(self, device: str) -> Construct:
        """The same on another device."""
        faults = Faults()
        try:
            torch.empty(0, device=device)
        except (RuntimeError, AssertionError):
            faults.add("bad-device", "device", device, "is not there.", "Maybe cpu.")
            faults.raise_now()
        return replace(self, device=device)

    def traced(self) -> Construct:
        """The same, with a trace in every outcome."""
        return replace(self, tracing=True)

    def policy(self, kind: str) -> tuple[Policy, tuple[str, ...]]:
        """The network, and what the user should know about it."""
        name = self.weights or os.environ.get(WEIGHTS_VARIABLE) or None
        if self.is_parco and name is None:
            name = "parco"
        if name == RANDOM:
            note = "random weights: the network has learned nothing"
            return _load(kind, name, self.device, self.is_parco), (note,)
        return _load(kind, name, self.device, self.is_parco), ()

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
        notes = self.policy(problem.kind)[1]
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
        policy, _ = self.policy(problem.kind)
        with _threads(threads):
            return construct_plans(
                problem, policy, self.mode, self.augment, self.samples,
                seed=seed, budget=budget, trace=self.tracing,
            )  # fmt: skip

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
                policy, notes = self.policy(chosen[0].kind)
                built = construct_plans(
                    chosen, policy, self.mode, self.augment, self.samples, seed=seed
                )
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


@lru_cache(maxsize=8)
def _load(kind: str, name: str | None, device: str, is_parco: bool) -> Policy:
    if name == RANDOM and is_parco:
        return random_policy(kind, parco_config(kind)).to(device)  # type: ignore[arg-type]
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
    """Compile what a rollout on a CPU needs: half a minute once, then kept on disk."""
    with announced("compiling the network's features, once, about 20 s", announce):
        construct_plans(generate(f"{kind}/2/1"), random_policy(kind))


construct = Construct()
parco = Construct(is_parco=True)
