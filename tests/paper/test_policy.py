import pytest
import torch

from geopar.learn.rollout import backward, roll_out
from geopar.paper.config import AssignmentConfig
from geopar.problems.batch import make_batch
from geopar.problems.random import generate
from geopar.problems.tensors import map_tensors
from paper_states import partway, small_policy

SETTINGS = ["hcvrp/12/3", "omdcpdp/12/3"]


@pytest.mark.parametrize("setting", SETTINGS)
def test_every_parameter_learns(setting):
    kind = setting.partition("/")[0]
    policy, config = small_policy(kind), AssignmentConfig.of_paper(kind)
    environment = policy.environment(make_batch([generate(setting, k) for k in range(3)]))
    rollout = roll_out(policy, environment, config, 3, torch.Generator().manual_seed(1))
    backward(policy, config, rollout, torch.randn(3, 3))
    for name, parameter in policy.named_parameters():
        assert parameter.grad is not None, name
        assert bool(parameter.grad.abs().sum() > 0), name


@pytest.mark.parametrize("setting", SETTINGS)
@torch.no_grad()
def test_an_instance_is_scored_the_same_alone_and_in_a_batch(setting):
    policy = small_policy(setting.partition("/")[0])
    encoded, state = partway(policy, setting, 3)
    together = policy.logits(encoded, state).logits
    alone = policy.environment(encoded.environment.batch.select([1]))
    single = policy.logits(policy.encode(alone), map_tensors(state, lambda t: t[1:]))
    torch.testing.assert_close(single.logits[0], together[1], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("setting", SETTINGS)
@torch.no_grad()
def test_what_is_not_allowed_is_never_scored(setting):
    policy = small_policy(setting.partition("/")[0])
    encoded, state = partway(policy, setting, 5)
    scores = policy.logits(encoded, state)
    assert torch.equal(scores.logits > -torch.inf, encoded.environment.mask(state))
