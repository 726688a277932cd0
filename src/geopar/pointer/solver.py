"""``pointer``: one pass of our network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Self

import torch

from geopar.compiled.warming import announced
from geopar.errors import Faults, refuse
from geopar.neural.one_pass import Construction, OnePass, best_plans, check_copies
from geopar.neural.tracer import Tracer
from geopar.pointer.network import PointerNetwork
from geopar.pointer.rollout import Rollout
from geopar.problems import Problem
from geopar.problems.batch import make_batch, symmetric_copies
from geopar.problems.kinds import PROBLEM_KINDS
from geopar.stop import Budget, OutOfTimeError


@dataclass(frozen=True)
class PointerSolver(OnePass):
    """One pass of our network, in the decoding that its weights bring.

    Parameters
    ----------
    tracing
        Whether outcomes carry a trace.
    """

    tracing: bool = False

    def traced(self) -> PointerSolver:
        """The same, with a trace in every outcome."""
        return replace(self, tracing=True)

    def to(self, device: str) -> Self:
        """Itself: it is compiled, for CPUs."""
        if device != "cpu":
            refuse("bad-device", "device", device, "is not for our pointer.", "Maybe cpu.")
        return self

    def network(self, problem: Problem) -> tuple[PointerNetwork, tuple[str, ...]]:
        """That of the problem's kind."""
        name, notes = self.weights_name(PointerNetwork.learner)
        return _load(problem.kind, name), notes

    def plans(
        self, network: PointerNetwork, problems: list[Problem], seed: int, budget: Budget | None
    ) -> Construction:
        """Plans for problems of one size."""
        check_copies(self.augment, self.samples, sampling=False)
        return construct(problems, network, augment=self.augment, budget=budget, trace=self.tracing)


@torch.inference_mode()
def construct(
    problems: list[Problem],
    network: PointerNetwork,
    *,
    augment: int = 1,
    budget: Budget | None = None,
    trace: bool = False,
) -> Construction:
    """Build plans in the network's decoding; the best of the augmentations of each problem.

    Parameters
    ----------
    problems
        With the same numbers of tasks and vehicles.
    network
        On a CPU.
    augment
        Copies of each problem under the symmetries of the square, 1 to 8.
    budget
        When to give up.
    trace
        Record the construction of the first problem.

    Raises
    ------
    OutOfTimeError
        When the budget ends before all plans are complete.
    """
    _check(network, problems)
    rollout = Rollout(network, symmetric_copies(make_batch(problems), augment), traced=trace)
    is_done = False
    while not is_done:
        if budget is not None and budget.done:
            raise OutOfTimeError
        is_done = rollout.advance(briefly=budget is not None)
    tracer = None
    if trace:
        kind = PROBLEM_KINDS[problems[0].kind]
        tracer = Tracer(problems[0], augment, whole_orders=kind.tasks_per_order > 1)
        rollout.trace(tracer)
    cost, steps = rollout.environment.cost(rollout.state), rollout.state.steps
    return best_plans(problems, rollout, cost, steps, augment, tracer)


def _check(network: PointerNetwork, problems: list[Problem]) -> None:
    faults, kind = Faults(), network.config.kind
    for problem in problems:
        if problem.kind != kind:
            message = f"is not what these weights are for: {kind}."
            faults.add("wrong-problem", "problem", problem.kind, message)
    faults.raise_if_any()


@lru_cache(maxsize=8)
def _load(kind: str, name: str) -> PointerNetwork:
    return PointerNetwork.load(kind, name)


def warm_up(kind: str, announce: Callable[[str], None]) -> None:
    """Compile what a rollout needs, once; then it is kept on disk."""
    from geopar.pointer.config import PointerConfig
    from geopar.problems.random import generate

    smallest = PointerConfig(kind, width=1, reach=1)  # type: ignore[arg-type]
    with announced("compiling the network, once, about a minute", announce):
        construct([generate(f"{kind}/2/1")], PointerNetwork.untrained(smallest))


pointer = PointerSolver()
