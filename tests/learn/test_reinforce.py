import numpy as np
import pytest
import torch

from geopar.learn.data import draw_batch
from geopar.learn.reinforce import reinforce
from geopar.model.configuration import ASSIGNMENT_VARIANTS, AssignmentConfig, ModelConfig
from geopar.model.policy import Policy
from geopar.problems.setting import Kind


def learned(kind: Kind, updates: int) -> tuple[float, float]:
    """Mean sampled cost in the first and the last few updates on one fixed batch."""
    torch.manual_seed(0)
    policy = Policy(ModelConfig(kind, pointer=False, geometry=False, pair_width=16))
    optimiser = torch.optim.Adam(policy.parameters(), lr=2e-2)
    assignment = AssignmentConfig.of_paper(kind, **ASSIGNMENT_VARIANTS["plain"])
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
    assignment = AssignmentConfig.of_paper("hcvrp", **ASSIGNMENT_VARIANTS["plain"])
    batch = draw_batch("hcvrp", (1, 1), (1, 1), 3, np.random.default_rng(1))
    found = reinforce(
        policy, batch, assignment, 2, 2, False, torch.Generator().manual_seed(0)
    )  # fmt: skip
    assert abs(found.loss) < 1e-5
    assert all(p.grad is None or p.grad.abs().max() < 1e-5 for p in policy.parameters())
