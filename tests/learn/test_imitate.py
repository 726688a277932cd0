import numpy as np
import pytest
import torch

from geopar.learn.data import batch_of
from geopar.learn.imitate import imitation_loss, replay
from geopar.learn.labels import LabelConfig, make_shard
from geopar.paper.config import NetworkConfig
from geopar.paper.policy import Policy
from geopar.problems.environment import make_environment
from geopar.problems.kinds import Kind


def shard(kind: Kind) -> dict[str, np.ndarray]:
    config = LabelConfig(kind, (12, 12), (3, 3), per_shard=6, iterations_per_task=30)
    return dict(make_shard(config, 0))


@pytest.mark.parametrize("kind", ["hcvrp", "omdcpdp"])
def test_replayed_plans_do_only_what_is_allowed(kind: Kind) -> None:
    stored = shard(kind)
    environment = make_environment(batch_of(kind, stored, range(6)))
    actions = torch.from_numpy(stored["actions"].astype(np.int64)).transpose(1, 2)
    states, taken, counts = replay(environment, actions)
    allowed = environment.mask(states).gather(-1, taken.clamp(max=12)[..., None])[..., 0]
    assert bool(allowed[taken < 12].all())
    if kind == "hcvrp":
        assert bool(allowed[taken == 12].all())
    # What is no wait always counts.
    assert bool(counts[taken < 12].all())


def test_of_waits_one_after_another_only_the_first_counts() -> None:
    stored = shard("hcvrp")
    environment = make_environment(batch_of("hcvrp", stored, range(6)))
    actions = torch.from_numpy(stored["actions"].astype(np.int64)).transpose(1, 2).contiguous()
    # All wait at home for three steps more.
    longer = torch.cat([actions, torch.full_like(actions[:, :3], 12)], 1)
    states, taken, counts = replay(environment, longer)
    waits = (taken >= 12) & (states.place == 12)
    before = torch.cat([torch.zeros_like(waits[:, :1]), waits[:, :-1]], 1)
    assert torch.equal(counts, ~(waits & before))
    assert bool((~counts).any())


def test_a_plan_that_serves_not_all_is_refused() -> None:
    stored = shard("hcvrp")
    environment = make_environment(batch_of("hcvrp", stored, range(6)))
    actions = torch.from_numpy(stored["actions"].astype(np.int64)).transpose(1, 2)
    with pytest.raises(RuntimeError, match="leaves tasks open"):
        replay(environment, actions[:, :2])


@pytest.mark.parametrize("kind", ["hcvrp", "omdcpdp"])
def test_imitation_learns_the_teacher(kind: Kind) -> None:
    torch.manual_seed(0)
    policy = Policy(NetworkConfig(kind, width=32, heads=2, layers=1, feedforward=64))
    optimiser = torch.optim.Adam(policy.parameters(), lr=3e-3)
    stored, rows = shard(kind), np.arange(6)
    generator = torch.Generator().manual_seed(0)
    losses = []
    for _ in range(100):
        found = imitation_loss(policy, stored, rows, 8, generator)
        optimiser.zero_grad()
        found.loss.backward()
        optimiser.step()
        losses.append(float(found.loss.detach()))
    assert np.mean(losses[-5:]) < 0.8 * np.mean(losses[:5])
    assert 0.0 <= found.agreement <= 1.0
