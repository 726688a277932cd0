"""REINFORCE with a baseline that all copies of an instance share (paper, Eqs. 11 to 13)."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from geopar.learn.rollout import roll_out, score
from geopar.model.configuration import AssignmentConfig
from geopar.model.policy import Policy
from geopar.problems.batch import Batch, rotated_copies
from geopar.problems.environment import make_environment


class Reinforcement(NamedTuple):
    """The loss, the mean cost, how widely costs of one instance differ (over their mean)."""

    loss: Tensor
    cost: float
    spread: float


def reinforce_loss(
    policy: Policy,
    batch: Batch,
    assignment: AssignmentConfig,
    augmentations: int,
    samples: int,
    relative: bool,
    generator: torch.Generator,
) -> Reinforcement:
    """The policy gradient's loss over ``augmentations · samples`` rollouts of each instance.

    Parameters
    ----------
    policy
        The network.
    batch
        Instances of one size.
    assignment
        How joint actions are sampled.
    augmentations
        Turned copies of each instance, the instance itself among them.
    samples
        Rollouts of each copy, which share one encoding.
    relative
        Advantages over the baseline and over their own spread, so that instances of all sizes
        count alike; without it, as in the paper, in the units of the objective.
    generator
        Of all that is random.
    """
    copies = rotated_copies(batch, augmentations, generator) if augmentations > 1 else batch
    environment = make_environment(copies)
    rollout = roll_out(policy, environment, assignment, samples, generator)
    cost = rollout.cost.view(batch.size, augmentations * samples)
    mean = cost.mean(1, keepdim=True)
    advantage = cost - mean
    spread = float((advantage / mean).pow(2).mean().sqrt())
    if relative:
        advantage = advantage / mean / max(spread, 1e-6)
    encoded = policy.encode(environment)
    log_prob = score(policy, encoded, assignment, rollout)
    weight = advantage.view(log_prob.shape).to(log_prob.dtype)
    return Reinforcement((weight * log_prob).mean(), float(cost.mean()), spread)
