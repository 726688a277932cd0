"""States in the middle of random rollouts, for tests of the network."""

from typing import Any

import torch

from geopar.model.configuration import ModelConfig
from geopar.model.policy import Encoded, Policy
from geopar.model.weights import random_policy
from geopar.problems.batch import make_batch
from geopar.problems.environment import make_environment
from geopar.problems.random import generate
from rollouts import random_joint_action

SMALL: dict[str, Any] = {
    "width": 16, "heads": 2, "layers": 1, "feedforward": 24, "directions": 2, "radius": 2,
    "edge_width": 4, "reach_size": 5, "pair_width": 8,
}  # fmt: skip


def policy_for(kind: str, pointer: bool = False, **changes: Any) -> Policy:
    """A small network of ours, or of the paper, with nothing at zero."""
    policy = random_policy(kind, ModelConfig(kind, pointer, **(SMALL | changes)))
    with torch.no_grad():
        for name, parameter in policy.named_parameters():
            if name.endswith(("gate", "source_bias", "rank_bias")):
                parameter.normal_(generator=torch.Generator().manual_seed(len(name)))
    return policy


def midway(
    policy: Policy, setting: str, steps: int, count: int = 2, rollouts: int = 2,
    retirement: bool = False,
) -> tuple[Encoded, Any]:  # fmt: skip
    """Encoded random instances, and a state of each after some random steps."""
    batch = make_batch([generate(setting, k) for k in range(count)])
    environment = make_environment(batch, retirement, policy.config.inserts)
    generator = torch.Generator().manual_seed(7)
    state = environment.reset(rollouts)
    for _ in range(steps):
        mask = environment.mask(state)
        state = environment.step(state, random_joint_action(mask, state.place, generator))
    with torch.no_grad():
        return policy.encode(environment), state
