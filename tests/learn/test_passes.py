import numpy as np
import pytest
import torch
from geopar.learn.passes import first_pass, second_pass

from geopar.learn.compiled_rollout import CompiledRollout
from geopar.learn.data import draw_batch
from geopar.learn.rollout import Rollout
from geopar.model.configuration import ASSIGNMENT_VARIANTS, AssignmentConfig, ModelConfig
from geopar.model.policy import Policy
from geopar.problems.setting import Kind


@pytest.mark.parametrize(
    ("kind", "variant", "expected"),
    [
        ("hcvrp", "plain", CompiledRollout),
        ("hcvrp", "full", Rollout),
        ("omdcpdp", "plain", CompiledRollout),
    ],
)
def test_the_compiled_passes_are_taken_where_they_apply(
    kind: Kind, variant: str, expected: type
) -> None:
    policy = Policy(ModelConfig(kind, pointer=False, geometry=False, pair_width=8))
    assignment = AssignmentConfig.of_paper(kind, **ASSIGNMENT_VARIANTS[variant])
    batch = draw_batch(kind, (6, 6), (2, 2), 2, np.random.default_rng(1))
    environment = policy.environment(batch)
    rollout = first_pass(policy, environment, assignment, 3, torch.Generator().manual_seed(1))
    assert type(rollout) is expected
    weight = torch.tensor([[1.0, -1.0, 0.5]] * 2)
    loss = second_pass(policy, environment, assignment, rollout, weight)
    assert loss != 0.0
    assert all(p.grad is not None and p.grad.abs().max() > 0 for p in policy.parameters())
