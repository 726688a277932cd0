import dataclasses
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from geopar.learn.compiled_rollout import (
    CompiledRollout,
    add_gradient,
    sample_rollouts,
)
from geopar.learn.data import draw_batch
from geopar.learn.rollout import entropy_of
from geopar.model.assignment import log_prob, pool_scores
from geopar.model.configuration import ASSIGNMENT_VARIANTS, PRESETS, AssignmentConfig
from geopar.model.policy import Policy
from geopar.problems.environment import make_environment
from geopar.problems.hcvrp.environment import HCVRPEnvironment

PLAIN = AssignmentConfig.of_paper("hcvrp", **ASSIGNMENT_VARIANTS["plain"])


def small_policy(preset: str, **changes: Any) -> Policy:
    torch.manual_seed(5)
    config = PRESETS[preset]("hcvrp")
    policy = Policy(dataclasses.replace(config, **({"pair_width": 24, "reach_size": 6} | changes)))
    with torch.no_grad():
        # Decided enough that agents want the same, undecided enough that samples differ.
        policy.edge_pointer.out.weight.mul_(4.0)
    return policy


def instances(count: int, tasks: int = 14, vehicles: int = 3, seed: int = 0) -> HCVRPEnvironment:
    sizes = (tasks, tasks), (vehicles, vehicles)
    environment = make_environment(draw_batch("hcvrp", *sizes, count, np.random.default_rng(seed)))
    assert isinstance(environment, HCVRPEnvironment)
    return environment


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def acts(rollout: CompiledRollout, num_tasks: int) -> tuple[Tensor, Tensor]:
    """Actions and orders ``(steps, B, R, M)``; staying where a rollout is done."""
    shape = tuple(rollout.final.place.shape)
    number = np.zeros(shape[0] * shape[1], dtype=np.int64)
    steps = int(rollout.final.steps.max())
    action = np.full((steps, len(number), shape[2]), num_tasks + 1)
    order = np.broadcast_to(np.arange(shape[2]), action.shape).copy()
    for _, story in rollout.parts:
        for i in range(story.filled[2]):
            s = story.rollout[i]
            action[number[s], s], order[number[s], s] = story.action[i], story.order[i]
            number[s] += 1
    assert number.tolist() == rollout.final.steps.flatten().tolist()
    return tuple(torch.from_numpy(a).view(steps, *shape) for a in (action, order))  # type: ignore[return-value]


def again(
    policy: Policy, environment: HCVRPEnvironment, assignment: AssignmentConfig, rollout: Any
) -> tuple[Tensor, Tensor, Tensor]:
    """Costs, log-probabilities and entropies of the same actions the plain way."""
    encoded, tasks = policy.encode(environment), environment.batch.num_tasks
    state = environment.reset(rollout.cost.shape[1])
    total, mixed = torch.zeros(rollout.cost.shape), torch.zeros(())
    for action, order in zip(*acts(rollout, tasks), strict=True):
        scores = policy.logits(encoded, state)
        proposals = pool_scores(assignment, encoded, state, scores, None)
        total = total + log_prob(assignment, proposals, action, order, tasks).sum(-1)
        mixed = mixed + entropy_of(proposals.score)
        state = environment.step(state, action)
    assert bool(state.done.all())
    return environment.cost(state), total, mixed


def gradients(policy: Policy) -> dict[str, Tensor]:
    return {n: p.grad.clone() for n, p in policy.named_parameters() if p.grad is not None}


@pytest.mark.parametrize("preset", ["local", "guided"])
@pytest.mark.parametrize(("entropy", "temperature"), [(0.0, 1.0), (0.3, 1.7)])
def test_log_probabilities_and_gradients_are_those_of_one_pass(
    preset: str, entropy: float, temperature: float
) -> None:
    policy, environment = small_policy(preset), instances(3)
    assignment = dataclasses.replace(PLAIN, temperature=temperature)
    rollout = sample_rollouts(policy, environment, assignment, 4, seeded(9))
    weight = torch.randn(3, 4, generator=seeded(2))
    value = add_gradient(policy, assignment, rollout, weight, entropy)
    found = gradients(policy)

    policy.zero_grad()
    cost, plain, mixed = again(policy, environment, assignment, rollout)
    loss = (weight * plain).sum() - entropy * mixed
    loss.backward()
    torch.testing.assert_close(rollout.cost, cost, rtol=1e-5, atol=0.0)
    torch.testing.assert_close(rollout.log_prob.float(), plain, rtol=1e-5, atol=1e-5)
    assert value == pytest.approx(loss.item(), rel=1e-5, abs=1e-5)
    expected = gradients(policy)
    assert found.keys() == expected.keys()
    for name, gradient in expected.items():
        scale = gradient.abs().max()
        assert scale > 0.0, name
        torch.testing.assert_close(found[name] / scale, gradient / scale, rtol=1e-5, atol=1e-5)
