"""Distillation: in its own states a network learns what another one would do there, and how surely.

Hinton, Vinyals and Dean, "Distilling the knowledge in a neural network" (2015); that the states are
the student's own is due to Ross, Gordon and Bagnell (DAgger, 2011). A choice of a plan tells one
action of a hundred, and nothing of the others; probabilities tell them all.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from geopar.errors import refuse
from geopar.learn.config import TrainConfig
from geopar.learn.rollout import Rollout
from geopar.paper.policy import Policy
from geopar.pointer.network import PointerNetwork
from geopar.pointer.replay import opinion
from geopar.problems.tensors import concatenate


class Distilled(NamedTuple):
    """The cross-entropy of a choice beyond the teacher's own entropy, and how often both agree."""

    loss: Tensor
    agreement: float


def distillation_loss(
    policy: Policy,
    teacher: PointerNetwork,
    rollout: Rollout,
    most_steps: int,
    generator: torch.Generator,
) -> Distilled:
    """How far the policy is from the teacher in random states of its own rollouts.

    Parameters
    ----------
    policy, teacher
        Who learns, and from whom.
    rollout
        Of the policy, or of another with the same rules.
    most_steps
        So many random steps are scored, or all when there are no more.
    generator
        Of the steps.
    """
    actions = torch.stack(rollout.actions, 1)
    told = opinion(teacher, rollout.environment.batch, actions)
    total = actions.shape[1]
    kept = torch.randperm(total, generator=generator)[:most_steps].sort().values
    states = concatenate([rollout.states[int(i)] for i in kept], dim=1)
    scores = policy.logits(policy.encode(rollout.environment), states)
    target = _probabilities(told.candidates[:, kept], told.logits[:, kept], scores.candidates)
    allowed = scores.logits > -torch.inf
    # A lone option teaches nothing, and rollouts that are over have none.
    counted = ((target > 0.0) & allowed).any(-1) & (allowed.sum(-1) > 1)
    log_prob = torch.where(counted[..., None], scores.logits, 0.0).log_softmax(-1)
    usable = allowed & counted[..., None]
    apart = torch.special.xlogy(target, target) - target * log_prob.masked_fill(~usable, 0.0)
    count = counted.sum().clamp(min=1)
    agreed = (scores.logits.argmax(-1) == target.argmax(-1)) & counted
    return Distilled((apart * usable).sum() / count, float(agreed.sum() / count))


def find_teacher(config: TrainConfig) -> PointerNetwork:
    """The network that a run learns from.

    Raises
    ------
    geopar.errors.InputError
        When there are no such weights, or they are of a network that plans by other rules.
    """
    teacher = PointerNetwork.load(config.problem, config.teacher)
    if teacher.config.inserts:
        message = "puts customers where they cost least, which the paper's network cannot."
        refuse("other-network", "teacher", config.teacher, message, "Maybe pointer-appending.")
    return teacher


def _probabilities(tasks: Tensor, logits: Tensor, listed: Tensor) -> Tensor:
    """The teacher's probabilities ``(B, T·R, M, N + 1)`` of the policy's listed tasks."""
    # Nobody has an opinion on rollouts that are over: all logits are −∞.
    probability = logits.softmax(-1).nan_to_num(0.0).flatten(1, 2)
    spread = probability.new_zeros(listed.shape).scatter_add(-1, tasks.flatten(1, 2), probability)
    return spread.gather(-1, listed)
