"""Both passes of a rollout, by the fastest way that applies."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from geopar.learn.compiled_rollout import (
    CompiledRollout,
    add_gradient,
    can_sample,
    sample_rollouts,
)
from geopar.learn.rollout import Rollout, backward, roll_out
from geopar.model.configuration import AssignmentConfig
from geopar.model.policy import Policy
from geopar.problems.environment import Environment


def first_pass(
    policy: Policy,
    environment: Environment[Any],
    assignment: AssignmentConfig,
    samples: int,
    generator: torch.Generator,
) -> Rollout | CompiledRollout:
    """``samples`` sampled rollouts of every instance, without gradients."""
    make = sample_rollouts if can_sample(policy, environment, assignment) else roll_out
    return make(policy, environment, assignment, samples, generator)


def second_pass(
    policy: Policy,
    environment: Environment[Any],
    assignment: AssignmentConfig,
    rollout: Rollout | CompiledRollout,
    weight: Tensor,
    entropy: float = 0.0,
) -> float:
    """Add the gradient of Σ weight · log-probability − entropy; return that sum."""
    if isinstance(rollout, CompiledRollout):
        return add_gradient(policy, assignment, rollout, weight, entropy)
    return backward(policy, environment, assignment, rollout, weight, entropy)
