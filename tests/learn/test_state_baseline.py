import numpy as np
import pytest
import torch

from geopar.learn.data import draw_batch
from geopar.learn.rollout import roll_out
from geopar.learn.state_baseline import StateBaseline
from geopar.paper.config import AssignmentConfig
from geopar.paper.observation import make_observer
from geopar.problems.setting import Kind
from paper_states import small_policy


def rollouts(kind: Kind, seed: int):
    policy = small_policy(kind)
    batch = draw_batch(kind, (20, 20), (3, 3), 6, np.random.default_rng(seed))
    environment = policy.environment(batch)
    generator = torch.Generator().manual_seed(seed)
    rollout = roll_out(policy, environment, AssignmentConfig.of_paper(kind), 8, generator)
    cost = rollout.cost
    return make_observer(batch), rollout.states, (cost / cost.mean(1, keepdim=True) - 1.0).float()


@pytest.mark.parametrize("kind", ["hcvrp", "omdcpdp"])
def test_it_learns_to_foresee_costs(kind: Kind) -> None:
    baseline = StateBaseline()
    for seed in range(12):
        baseline.advantages(*rollouts(kind, seed))
    observer, states, advantage = rollouts(kind, 99)
    left = baseline.advantages(observer, states, advantage)
    assert baseline.explained > 0.15
    # Nothing is known at the start, most at the end.
    running = torch.stack([~state.done for state in states], 1)
    first = left[:, 0] / advantage
    torch.testing.assert_close(first, torch.ones_like(first), atol=1e-4, rtol=1e-4)
    last = running.sum(1, keepdim=True) - 1
    assert left.gather(1, last).square().mean() < left[:, 0].square().mean()


def test_without_experience_it_is_the_shared_mean() -> None:
    observer, states, advantage = rollouts("hcvrp", 1)
    left = StateBaseline().advantages(observer, states, advantage)
    running = torch.stack([~state.done for state in states], 1)
    expected = torch.where(running, advantage[:, None], 0.0)
    torch.testing.assert_close(left, expected.float())


def test_a_restored_baseline_goes_on_alike() -> None:
    one, other = StateBaseline(), StateBaseline()
    one.advantages(*rollouts("hcvrp", 1))
    other.restore(one.state())
    case = rollouts("hcvrp", 2)
    assert torch.equal(one.advantages(*case), other.advantages(*case))
