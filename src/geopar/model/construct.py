"""One pass of the network: plans for one problem or many of one size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from geopar.errors import Faults
from geopar.model.assignment import ConflictRule, assign, simple_rule
from geopar.model.configuration import MODES, AssignmentConfig, Mode
from geopar.model.policy import Policy
from geopar.model.rollout import Rollout
from geopar.model.trace import Trace, Tracer
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.problems.batch import make_batch, symmetric_copies
from geopar.problems.environment import Environment, Recorder
from geopar.problems.omdcpdp.insertion import InsertionEnvironment, PlannedRoutes
from geopar.stop import Budget

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


class OutOfTimeError(Exception):
    """The budget ended before the plans were complete."""


@torch.inference_mode()
def construct(
    problems: Problem | Sequence[Problem],
    policy: Policy,
    mode: Mode | None = None,
    augment: int = 1,
    samples: int = 1,
    *,
    assignment: AssignmentConfig | None = None,
    seed: int = 0,
    budget: Budget | None = None,
    trace: bool = False,
) -> Construction:
    """Build plans; the best of the augmentations and samples of each problem.

    Parameters
    ----------
    problems
        One, or several with the same numbers of tasks and vehicles.
    policy
        The network, on the device that is to be used.
    mode
        ``greedy``, ``ca`` (conflict-aware from the paper's thresholds on), ``ca-always`` or
        ``sample``; what the weights bring when left out.
    augment
        Copies of each problem under the symmetries of the square, 1 to 8.
    samples
        Rollouts of each copy; more than one needs ``sample``.
    assignment
        Settings of the assignment; those that the weights bring when left out.
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
    listed = [problems] if not isinstance(problems, Sequence) else list(problems)
    mode = mode or policy.decoding.mode
    _check(policy, listed, mode, augment, samples)
    device = next(policy.parameters()).device
    settings = assignment or policy.decoding.assignment
    batch = symmetric_copies(make_batch(listed, device), augment)
    environment = policy.environment(batch)
    rule = simple_rule(settings, mode, batch)
    if device.type == "cpu" and not trace and rule is not None and not policy.config.pointer:
        return _at_once(listed, policy, environment, rule, augment, budget)
    recorder = Recorder(batch, inserts=environment.inserts)
    whole_orders = isinstance(environment, InsertionEnvironment)
    tracer = Tracer(listed[0], augment, whole_orders) if trace else None
    generator = torch.Generator(device).manual_seed(seed)
    encoded = policy.encode(environment)
    state = environment.reset(samples)
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
    planned: HasRoutes = recorder
    if isinstance(environment, InsertionEnvironment):
        planned = PlannedRoutes(state)
    return best_plans(listed, planned, environment.cost(state), state.steps, augment, tracer)


def _at_once(
    problems: list[Problem],
    policy: Policy,
    environment: Environment[Any],
    rule: ConflictRule,
    augment: int,
    budget: Budget | None,
) -> Construction:
    """All steps in compiled code, but for looks at the clock."""
    rollout = Rollout(policy, environment, rule)
    is_done = False
    while not is_done:
        if budget is not None and budget.done:
            raise OutOfTimeError
        is_done = rollout.go_on(hasty=budget is not None)
    state = rollout.state
    return best_plans(problems, rollout, environment.cost(state), state.steps, augment)


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
    """The cheapest of all copies and samples of each problem."""
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


def _check(policy: Policy, problems: list[Problem], mode: str, augment: int, samples: int) -> None:
    faults = Faults()
    if mode not in MODES:
        faults.add("unknown-value", "mode", mode, "is no way to decode.", f"One of {MODES}.")
    if not 1 <= augment <= SYMMETRIES:
        faults.add("out-of-range", "augment", augment, f"must be 1 to {SYMMETRIES}.")
    if samples < 1 or (samples > 1 and mode != "sample"):
        faults.add(
            "out-of-range", "samples", samples, "must be 1, or more in mode sample.",
            'Maybe mode="sample".',
        )  # fmt: skip
    for problem in problems:
        if problem.kind != policy.config.kind:
            faults.add(
                "wrong-problem", "problem", problem.kind,
                f"is not what these weights are for: {policy.config.kind}.",
            )  # fmt: skip
    faults.raise_if_any()


__all__ = ["Construction", "OutOfTimeError", "best_plans", "construct"]
