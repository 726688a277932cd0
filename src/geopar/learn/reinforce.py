"""REINFORCE with a baseline that all copies of an instance share (paper, Eqs. 11 to 13)."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch

from geopar.learn.passes import first_pass, second_pass
from geopar.model.configuration import AssignmentConfig
from geopar.model.policy import Policy
from geopar.problems.batch import Batch, rotated_copies


class Reinforcement(NamedTuple):
    """The loss, the mean cost, how widely costs of one instance differ (over their mean)."""

    loss: float
    cost: float
    spread: float


def reinforce(
    policy: Policy,
    batch: Batch,
    assignment: AssignmentConfig,
    augmentations: int,
    samples: int,
    relative: bool,
    generator: torch.Generator,
    share: float = 1.0,
    scored: float = 1.0,
    entropy: float = 0.0,
    step_price: float = 0.0,
) -> Reinforcement:
    """Add the policy gradient of ``augmentations · samples`` rollouts of each instance.

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
    share
        What the gradient is multiplied with, when a batch is done in parts.
    scored
        The part of the rollouts of each copy that the second pass scores: those farthest from the
        baseline. The others have little to say, and the second pass is the dearer one.
    entropy
        What the entropy of one choice is worth, in units of the advantage.
    step_price
        What as many steps again as an instance's rollouts take on average cost, over its mean cost.
    """
    copies = rotated_copies(batch, augmentations, generator) if augmentations > 1 else batch
    environment = policy.environment(copies)
    rollout = first_pass(policy, environment, assignment, samples, generator)
    cost = rollout.cost.view(batch.size, augmentations * samples)
    mean = cost.mean(1, keepdim=True)
    advantage = cost - mean
    spread = float((advantage / mean).pow(2).mean().sqrt())
    if step_price:
        steps = rollout.final.steps.view(cost.shape).double()
        advantage = advantage + step_price * mean * (steps / steps.mean(1, keepdim=True) - 1.0)
    if relative:
        advantage = advantage / mean / max(spread, 1e-6)
    weight = advantage.view(rollout.cost.shape).float() * (share / rollout.cost.numel())
    kept = max(1, math.ceil(scored * samples))
    if kept < samples:
        index = weight.abs().topk(kept).indices
        rollout, weight = rollout.select(index), weight.gather(1, index)
    bonus = entropy * share / weight.numel()
    loss = second_pass(policy, environment, assignment, rollout, weight, bonus)
    return Reinforcement(loss / share, float(cost.mean()), spread)
