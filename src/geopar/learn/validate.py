"""Validation: one greedy pass over frozen instances that no test set shares."""

from __future__ import annotations

from typing import NamedTuple

import torch

from geopar.learn.data import fixed_batch
from geopar.model.assignment import assign
from geopar.model.configuration import AssignmentConfig
from geopar.model.policy import Policy
from geopar.peers.peer import Peer
from geopar.problems.batch import Batch, HCVRPBatch
from geopar.problems.setting import Setting

# Apart from the seeds of the test sets (24610 and 3333) and of training.
VALIDATION_SEED = 5_150_077


class Validated(NamedTuple):
    """Means over the instances: objective, parallel steps, objective over the lower bound."""

    objective: float
    steps: float
    ratio: float


def lower_bounds(batch: HCVRPBatch) -> torch.Tensor:
    """``(B,)``: that of :mod:`geopar.problems.hcvrp.bound`, in the user's units."""
    away = (batch.tasks - batch.reference[:, None]).double().norm(dim=-1)
    work = 2.0 * (batch.demand[:, :-1] * away).sum(-1) / (batch.speed * batch.capacity).sum(-1)
    reach = 2.0 * away.amax(-1) / batch.speed.amax(-1)
    return torch.maximum(work, reach) * batch.scale


@torch.no_grad()
def run_greedy(
    policy: Policy | Peer, batch: Batch, mode: str = "greedy"
) -> tuple[torch.Tensor, torch.Tensor]:
    """``(B,)`` objectives and steps of one deterministic pass."""
    if isinstance(policy, Peer):
        rollout = policy.rollout(batch)
        return rollout.cost[:, 0], rollout.steps[:, 0]
    environment = policy.environment(batch)
    encoded = policy.encode(environment)
    config = AssignmentConfig.of_paper(batch.kind)
    state = environment.reset(1)
    while not bool(state.done.all()):
        scores = policy.logits(encoded, state)
        state = environment.step(state, assign(config, mode, encoded, state, scores))
    return environment.cost(state)[:, 0], state.steps[:, 0]


def validate(policy: Policy | Peer, setting: Setting, count: int, at_once: int = 64) -> Validated:
    """One greedy pass over the first ``count`` validation instances of a setting."""
    policy.eval()
    batch = fixed_batch(setting, count, VALIDATION_SEED)
    costs, steps = [], []
    for low in range(0, count, at_once):
        cost, step = run_greedy(policy, batch.select(slice(low, low + at_once)))
        costs.append(cost)
        steps.append(step)
    cost, step = torch.cat(costs), torch.cat(steps)
    ratio = float("nan")
    if isinstance(batch, HCVRPBatch):
        ratio = float((cost / lower_bounds(batch)).mean())
    policy.train()
    return Validated(float(cost.mean()), float(step.double().mean()), ratio)
