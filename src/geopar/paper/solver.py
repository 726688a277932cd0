"""``geopar``: one pass of the paper's network, with the paper's decoding."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import torch

from geopar.compiled.warming import announced
from geopar.errors import Faults
from geopar.neural.one_pass import Construction, OnePass, OutOfTimeError, best_plans, check_copies
from geopar.neural.recorder import Recorder
from geopar.neural.tracer import Tracer
from geopar.paper.assignment import assign
from geopar.paper.config import MODES, AssignmentConfig, Mode
from geopar.paper.policy import Policy
from geopar.paper.weights import changed
from geopar.problems import Problem
from geopar.problems.batch import make_batch, symmetric_copies
from geopar.stop import Budget


@dataclass(frozen=True)
class GeoparSolver(OnePass):
    """One pass of the paper's network.

    Parameters
    ----------
    mode
        ``greedy``, ``ca`` (conflict-aware from the paper's thresholds on), ``ca-always`` or
        ``sample``; what the weights bring when left out.
    assignment
        Settings of the assignment; those that the weights bring when left out.
    model
        What is changed of the network's own settings, such as ``radius``
        (:func:`geopar.paper.weights.changed`).
    tracing
        Whether outcomes carry a trace.
    """

    mode: Mode | None = None
    assignment: AssignmentConfig | None = None
    model: Mapping[str, Any] = field(default_factory=dict)
    tracing: bool = False

    def traced(self) -> GeoparSolver:
        """The same, with a trace in every outcome."""
        return replace(self, tracing=True)

    def network(self, problem: Problem) -> tuple[Policy, tuple[str, ...]]:
        """That of the problem's kind."""
        name, notes = self.weights_name(Policy.learner)
        changes = json.dumps(dict(self.model), sort_keys=True)
        return _load(problem.kind, name, self.device, changes), notes

    def plans(
        self, network: Policy, problems: list[Problem], seed: int, budget: Budget | None
    ) -> Construction:
        """Plans for problems of one size."""
        return construct(
            problems, network, self.mode,
            augment=self.augment, samples=self.samples, assignment=self.assignment, seed=seed,
            budget=budget, trace=self.tracing,
        )  # fmt: skip


@torch.inference_mode()
def construct(
    problems: list[Problem],
    policy: Policy,
    mode: Mode | None = None,
    *,
    augment: int = 1,
    samples: int = 1,
    assignment: AssignmentConfig | None = None,
    seed: int = 0,
    budget: Budget | None = None,
    trace: bool = False,
) -> Construction:
    """Build plans; the best of the augmentations and samples of each problem.

    Parameters
    ----------
    problems
        With the same numbers of tasks and vehicles.
    policy
        The network, on the device that is to be used.
    mode, assignment
        As for :class:`GeoparSolver`.
    augment
        Copies of each problem under the symmetries of the square, 1 to 8.
    samples
        Rollouts of each copy; more than one needs ``sample``.
    seed
        Of the samples.
    budget
        When to give up.
    trace
        Record the construction of the first problem.

    Raises
    ------
    OutOfTimeError
        When the budget ends before all plans are complete.
    """
    mode = mode or policy.decoding.mode
    check_copies(augment, samples, sampling=mode == "sample")
    _check(policy, problems, mode)
    device = next(policy.parameters()).device
    settings = assignment or policy.decoding.assignment
    batch = symmetric_copies(make_batch(problems, device), augment)
    environment = policy.environment(batch)
    recorder, tracer = Recorder(batch), Tracer(problems[0], augment) if trace else None
    generator = torch.Generator(device).manual_seed(seed)
    encoded, state = policy.encode(environment), environment.reset(samples)
    while not bool(state.done.all()):
        if budget is not None and budget.done:
            raise OutOfTimeError
        encoded = policy.compacted(encoded, state)
        scores = policy.logits(encoded, state)
        action = assign(settings, mode, encoded, state, scores, generator)
        recorder.add(action)
        if tracer is not None:
            tracer.add(state, scores, action)
        state = environment.step(state, action)
    return best_plans(problems, recorder, environment.cost(state), state.steps, augment, tracer)


def _check(policy: Policy, problems: list[Problem], mode: str) -> None:
    faults = Faults()
    if mode not in MODES:
        faults.add("unknown-value", "mode", mode, "is no way to decode.", f"One of {MODES}.")
    for problem in problems:
        if problem.kind != policy.config.kind:
            message = f"is not what these weights are for: {policy.config.kind}."
            faults.add("wrong-problem", "problem", problem.kind, message)
    faults.raise_if_any()


@lru_cache(maxsize=8)
def _load(kind: str, name: str, device: str, changes: str) -> Policy:
    return changed(Policy.load(kind, name, device), json.loads(changes))


def warm_up(kind: str, announce: Callable[[str], None]) -> None:
    """Compile what settles conflicts on a CPU, once; then it is kept on disk."""
    from geopar.paper.config import NetworkConfig
    from geopar.problems.random import generate

    smallest = NetworkConfig(kind, width=8, heads=1, layers=1, feedforward=8)  # type: ignore[arg-type]
    with announced("compiling how conflicts are settled, once, some seconds", announce):
        construct([generate(f"{kind}/2/1")], Policy.untrained(smallest))


geopar = GeoparSolver()
