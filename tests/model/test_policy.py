import pytest
import torch

from geopar.model.assignment import log_prob, make_pool, pool_scores, sample
from geopar.model.configuration import ASSIGNMENT_VARIANTS, AssignmentConfig
from geopar.problems.batch import make_batch
from geopar.problems.random import generate
from geopar.problems.tensors import concatenate
from midway import policy_for

SETTINGS = ["hcvrp/12/3", "omdcpdp/12/3"]


def roll_out(policy, environment, config, rollouts, seed):
    """A sampled rollout that keeps all that training keeps."""
    generator, kept = torch.Generator().manual_seed(seed), []
    with torch.no_grad():
        encoded, state = policy.encode(environment), environment.reset(rollouts)
        while not bool(state.done.all()):
            scores = policy.logits(encoded, state)
            pool = None
            if config.pool:
                pool = make_pool(config, encoded, state, scores, True, generator)
            proposals = pool_scores(config, encoded, state, scores, pool)
            action, order = sample(config, proposals, environment.batch.num_tasks, generator)
            kept.append((state, scores.candidates, pool, action, order))
            state = environment.step(state, action)
    return kept


@pytest.mark.parametrize("variant", ["full", "plain"])
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("pointer", [True, False])
def test_all_steps_scored_at_once_are_the_steps_scored_one_by_one(setting, pointer, variant):
    kind = setting.partition("/")[0]
    policy = policy_for(kind, pointer)
    config = AssignmentConfig.of_paper(kind, **ASSIGNMENT_VARIANTS[variant])
    environment = policy.environment(make_batch([generate(setting, k) for k in range(2)]))
    num_tasks = environment.batch.num_tasks
    # With other seeds a hidden number may be zero but for rounding, where gradients jump.
    kept = roll_out(policy, environment, config, rollouts=3, seed=1)

    def total(parts):
        encoded, value = policy.encode(environment), 0.0
        for state, candidates, pool, action, order in parts:
            listed = None if pointer else candidates
            scores = policy.logits(encoded, state, candidates=listed)
            proposals = pool_scores(config, encoded, state, scores, pool)
            value = value + log_prob(config, proposals, action, order, num_tasks).sum()
        return value

    one_by_one = total(kept)
    gradients = torch.autograd.grad(one_by_one, list(policy.parameters()))
    states, candidates, pools, actions, orders = zip(*kept, strict=True)
    stacked = (
        concatenate(states, 1),
        torch.cat(candidates, 1),
        concatenate(pools, 1) if config.pool else None,
        torch.cat(actions, 1),
        torch.cat(orders, 1),
    )
    at_once = total([stacked])
    torch.testing.assert_close(at_once, one_by_one, rtol=1e-5, atol=1e-5)
    again = torch.autograd.grad(at_once, list(policy.parameters()))
    for one, other in zip(gradients, again, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("pointer", [True, False])
@pytest.mark.parametrize("setting", SETTINGS)
def test_every_parameter_learns(setting, pointer):
    kind = setting.partition("/")[0]
    policy, config = policy_for(kind, pointer), AssignmentConfig.of_paper(kind)
    environment = policy.environment(make_batch([generate(setting)]))
    state, candidates, pool, action, order = roll_out(policy, environment, config, 2, 1)[1]
    encoded = policy.encode(environment)
    scores = policy.logits(encoded, state, candidates=candidates)
    proposals = pool_scores(config, encoded, state, scores, pool)
    log_prob(config, proposals, action, order, environment.batch.num_tasks).sum().backward()
    for name, parameter in policy.named_parameters():
        assert parameter.grad is not None, name
