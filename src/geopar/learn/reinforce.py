"""REINFORCE with a baseline that all copies of an instance share (paper, Eqs. 11 and 13)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from torch import Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutConfig:
    """How many rollouts an update makes of each instance, and what counts.

    Parameters
    ----------
    augmentations
        Turned copies of each instance, the instance itself among them.
    samples
        Rollouts of each copy, which share one encoding.
    relative
        Advantages over the baseline and over their own spread, so that instances of all sizes
        count alike; without it, as in the paper, in the units of the objective.
    scored
        The part of the rollouts of each copy that the second pass scores: those farthest from the
        baseline. The others have little to say, and the second pass is the dearer one.
    entropy
        What the entropy of one choice is worth, in units of the advantage.
    step_price
        What as many steps again as an instance's rollouts take on average cost, over its mean cost.
    cut
        The most that a bad rollout counts, in spreads of the advantages; zero leaves them.
    """

    augmentations: int = 1
    samples: int = 1
    relative: bool = False
    scored: float = 1.0
    entropy: float = 0.0
    step_price: float = 0.0
    cut: float = 0.0


class Reinforcement(NamedTuple):
    """What came of the rollouts of an update.

    Parameters
    ----------
    loss
        Σ weight · log-probability.
    cost, steps
        Means over the rollouts.
    spread
        How widely costs of one instance differ, over their mean.
    """

    loss: float
    cost: float
    steps: float
    spread: float


class Weights(NamedTuple):
    """How much each rollout counts, and the spread of their costs."""

    weight: Tensor
    spread: float


def advantages(
    config: RolloutConfig, cost: Tensor, level: Tensor, steps: Tensor, share: float
) -> Weights:
    """Weights of the log-probabilities of rollouts (Eq. 13).

    Parameters
    ----------
    config
        What counts.
    cost, steps
        ``(instances, rollouts)``.
    level
        ``(instances, 1)`` or like the cost: the baseline.
    share
        What the gradient is multiplied with, when a batch is done in parts.
    """
    advantage = cost - level
    spread = float((advantage / level).pow(2).mean().sqrt())
    if config.step_price:
        excess = steps.double() / steps.double().mean(1, keepdim=True) - 1.0
        advantage = advantage + config.step_price * level * excess
    if config.relative:
        advantage = advantage / level / max(spread, 1e-6)
    if config.cut:
        advantage = advantage.clamp(max=config.cut)
        advantage = advantage - advantage.mean(1, keepdim=True)
    return Weights(advantage.float() * (share / cost.numel()), spread)


def farthest(config: RolloutConfig, weight: Tensor) -> Tensor | None:
    """``(B, R')``: which of ``(B, R)`` rollouts the second pass scores; none for all."""
    kept = max(1, math.ceil(config.scored * config.samples))
    return weight.abs().topk(kept).indices if kept < config.samples else None
