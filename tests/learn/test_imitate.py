import numpy as np
import pytest
import torch

from geopar.learn.data import batch_of
from geopar.learn.imitate import imitation_loss, replay
from geopar.learn.labels import LabelConfig, make_shard
from geopar.model.configuration import ModelConfig
from geopar.model.policy import Policy
from geopar.problems.environment import make_environment
from geopar.problems.setting import Kind


def shard(kind: Kind) -> dict[str, np.ndarray]:
    config = LabelConfig(kind, (12, 12), (3, 3), per_shard=6, iterations_per_task=30)
    return dict(make_shard(config, 0))


@pytest.mark.parametrize("kind", ["hcvrp", "omdcpdp"])
def test_replayed_plans_do_only_what_is_allowed(kind: Kind) -> None:
    stored = shard(kind)
    environment = make_environment(batch_of(stored))
    actions = torch.from_numpy(stored["actions"].astype(np.int64)).transpose(1, 2)
    states, taken = replay(environment, actions)
    allowed = environment.mask(states).gather(-1, taken.clamp(max=12)[..., None])[..., 0]
    assert bool(allowed[taken < 12].all())
    if kind == "hcvrp":
        assert bool(allowed[taken == 12].all())


def test_a_plan_that_serves_not_all_is_refused() -> None:
    stored = shard("hcvrp")
    environment = make_environment(batch_of(stored))
    actions = torch.from_numpy(stored["actions"].astype(np.int64)).transpose(1, 2)
    with pytest.raises(RuntimeError, match="leaves tasks open"):
        replay(environment, actions[:, :2])


@pytest.mark.parametrize("kind", ["hcvrp", "omdcpdp"])
def test_imitation_learns_the_teacher(kind: Kind) -> None:
    torch.manual_seed(0)
    policy = Policy(ModelConfig(kind, pointer=False, geometry=False, pair_width=16))
    optimiser = torch.optim.Adam(policy.parameters(), lr=1e-2)
    stored, rows = shard(kind), np.arange(6)
    generator = torch.Generator().manual_seed(0)
    losses = []
    for _ in range(40):
        found = imitation_loss(policy, stored, rows, 8, generator)
        optimiser.zero_grad()
        found.loss.backward()
        optimiser.step()
        losses.append(float(found.loss.detach()))
    assert np.mean(losses[-5:]) < 0.7 * np.mean(losses[:5])
    assert 0.0 <= found.agreement <= 1.0
