"""States in the middle of random rollouts, for tests of the paper's network."""

from typing import Any

import torch

from geopar.paper.config import NetworkConfig
from geopar.paper.policy import Encoded, Policy
from geopar.problems.batch import make_batch
from geopar.problems.random import generate
from rollouts import random_joint_action

SMALL: dict[str, Any] = {
    "width": 16, "heads": 2, "layers": 1, "feedforward": 24, "directions": 2, "radius": 2,
    "edge_width": 4,
}  # fmt: skip


def small_policy(kind: str, **changes: Any) -> Policy:
    """A small network with nothing at zero."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        policy = Policy(NetworkConfig(kind, **(SMALL | changes)))  # type: ignore[arg-type]
    with torch.no_grad():
        for name, parameter in policy.named_parameters():
            if name.endswith(("gate", "source_bias", "rank_bias")):
                parameter.normal_(generator=torch.Generator().manual_seed(len(name)))
    return policy


def partway(
    policy: Policy, setting: str, steps: int, count: int = 2, rollouts: int = 2
) -> tuple[Encoded, Any]:
    """Encoded random instances, and a state of each after some random steps."""
    environment = policy.environment(make_batch([generate(setting, k) for k in range(count)]))
    generator = torch.Generator().manual_seed(7)
    state = environment.reset(rollouts)
    for _ in range(steps):
        mask = environment.mask(state)
        state = environment.step(state, random_joint_action(mask, state.place, generator))
    with torch.no_grad():
        return policy.encode(environment), state
