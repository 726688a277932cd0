import numpy as np
import pytest
import torch
from geopar.learn.passes import first_pass

from geopar.learn.data import draw_batch
from geopar.learn.reinforce import reinforce
from geopar.model.configuration import ASSIGNMENT_VARIANTS, AssignmentConfig, ModelConfig
from geopar.model.policy import Policy
from geopar.problems.setting import Kind


def plain(kind: Kind) -> AssignmentConfig:
    return AssignmentConfig.of_paper(kind, **ASSIGNMENT_VARIANTS["plain"])


def learned(kind: Kind, updates: int) -> tuple[float, float]:
    """Mean sampled cost in the first and the last few updates on one fixed batch."""
    torch.manual_seed(0)
    policy = Policy(ModelConfig(kind, pointer=False, geometry=False, pair_width=16))
    optimiser = torch.optim.Adam(policy.parameters(), lr=2e-2)
    assignment = plain(kind)
    batch = draw_batch(kind, (12, 12), (2, 2), 4, np.random.default_rng(1))
    generator = torch.Generator().manual_seed(1)
    costs = []
    for _ in range(updates):
        optimiser.zero_grad()
        found = reinforce(policy, batch, assignment, 2, 8, True, generator)
        optimiser.step()
        costs.append(found.cost)
    return float(np.mean(costs[:3])), float(np.mean(costs[-3:]))


@pytest.mark.parametrize("kind", ["hcvrp", "omdcpdp"])
def test_costs_fall(kind: Kind) -> None:
    before, after = learned(kind, 25)
    assert after < 0.95 * before


def test_the_baseline_is_shared_by_all_copies_of_an_instance() -> None:
    """A cost that is the same for all of them moves nothing."""
    policy = Policy(ModelConfig("hcvrp", pointer=False, geometry=False, pair_width=8))
    assignment = plain("hcvrp")
    batch = draw_batch("hcvrp", (1, 1), (1, 1), 3, np.random.default_rng(1))
    found = reinforce(
        policy, batch, assignment, 2, 2, False, torch.Generator().manual_seed(0)
    )  # fmt: skip
    assert abs(found.loss) < 1e-5
    assert all(p.grad is None or p.grad.abs().max() < 1e-5 for p in policy.parameters())


def test_a_price_on_steps_makes_rollouts_shorter() -> None:
    """It outweighs everything here, so vehicles learn not to wait for each other."""
    found = []
    for price in (0.0, 100.0):
        torch.manual_seed(0)
        policy = Policy(ModelConfig("hcvrp", pointer=False, geometry=False, pair_width=16))
        optimiser = torch.optim.Adam(policy.parameters(), lr=2e-2)
        batch = draw_batch("hcvrp", (12, 12), (3, 3), 4, np.random.default_rng(1))
        generator = torch.Generator().manual_seed(1)
        for _ in range(25):
            optimiser.zero_grad()
            reinforce(
                policy, batch, plain("hcvrp"), 1, 16, True, generator, step_price=price
            )  # fmt: skip
            optimiser.step()
        rollout = first_pass(policy, policy.environment(batch), plain("hcvrp"), 16, generator)
        found.append(float(rollout.final.steps.double().mean()))
    free, priced = found
    assert priced < 0.9 * free
