import math
from typing import Any

import numpy as np
import pytest
import torch

from geopar.learn import rollout as rollout_module
from geopar.learn.at_once import sample_at_once
from geopar.learn.data import draw_batch
from geopar.learn.rollout import backward, entropy_of, roll_out, score
from geopar.paper.assignment import log_prob, make_pool, sample, training_proposals
from geopar.paper.config import ASSIGNMENT_VARIANTS, AssignmentConfig, NetworkConfig
from geopar.paper.policy import Policy
from geopar.problems.environment import Environment
from geopar.problems.kinds import Kind

CASES = [{}, {"top_in_training": True}, ASSIGNMENT_VARIANTS["plain"]]


def small_policy(kind: Kind) -> Policy:
    torch.manual_seed(5)
    return Policy(NetworkConfig(kind, width=16, heads=2, layers=1, feedforward=16))


def one_pass(
    policy: Policy,
    environment: Environment[Any],
    assignment: AssignmentConfig,
    samples: int,
    generator: torch.Generator,
    *,
    at_once: bool = False,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Costs and log-probabilities ``(B, R)`` the plain way: with gradients all along."""
    encoded = policy.encode(environment)
    num_tasks = environment.batch.num_tasks
    state = environment.reset(samples)
    total = torch.zeros(environment.batch.size, samples)
    while not bool(state.done.all()):
        scores = policy.logits(encoded, state)
        pool = None
        if assignment.pool:
            pool = make_pool(assignment, encoded, state, scores, training=True, generator=generator)
        proposals = training_proposals(assignment, encoded, state, scores, pool)
        with torch.no_grad():
            if at_once:
                drawn, action, order = sample_at_once(assignment, proposals, num_tasks, generator)
            else:
                action, order = sample(assignment, proposals, num_tasks, generator)
                drawn = action
        total = total + log_prob(assignment, proposals, drawn, order, num_tasks).sum(-1)
        state = environment.step(state, action)
    return environment.cost(state), total


@pytest.mark.parametrize("kind", ["hcvrp", "omdcpdp"])
@pytest.mark.parametrize("changes", CASES)
@pytest.mark.parametrize("at_once", [False, True])
def test_two_passes_give_the_log_probabilities_and_gradients_of_one(
    kind: Kind, changes: dict[str, object], at_once: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = small_policy(kind)
    assignment = AssignmentConfig.of_paper(kind, **changes)
    batch = draw_batch(kind, (10, 10), (3, 3), 2, np.random.default_rng(0))
    environment = policy.environment(batch)
    weight = torch.randn(2, 3, generator=torch.Generator().manual_seed(2))

    cost, plain = one_pass(
        policy, environment, assignment, 3, torch.Generator().manual_seed(9), at_once=at_once
    )  # fmt: skip
    (weight * plain).sum().backward()
    gradients = {n: p.grad for n, p in policy.named_parameters() if p.grad is not None}
    policy.zero_grad()

    rollout = roll_out(
        policy, environment, assignment, 3, torch.Generator().manual_seed(9), at_once=at_once
    )
    scored = score(policy, policy.encode(environment), assignment, rollout)[0].sum(1)
    (weight * scored).sum().backward()

    assert torch.equal(rollout.cost, cost)
    in_one = {n: p.grad for n, p in policy.named_parameters() if p.grad is not None}
    policy.zero_grad()
    monkeypatch.setattr(rollout_module, "PIECE", 1)
    backward(policy, assignment, rollout, weight)
    torch.testing.assert_close(scored, plain, rtol=1e-5, atol=1e-5)
    assert gradients
    for name, parameter in policy.named_parameters():
        if name in gradients:
            torch.testing.assert_close(in_one[name], gradients[name], rtol=1e-5, atol=1e-5)
            torch.testing.assert_close(parameter.grad, gradients[name], rtol=1e-5, atol=1e-5)


def test_rollouts_end_with_everything_served_and_other_seeds_differ() -> None:
    policy = small_policy("hcvrp")
    assignment = AssignmentConfig.of_paper("hcvrp", **ASSIGNMENT_VARIANTS["plain"])
    batch = draw_batch("hcvrp", (10, 10), (3, 3), 2, np.random.default_rng(0))
    environment = policy.environment(batch)
    first, other = (
        roll_out(policy, environment, assignment, 4, torch.Generator().manual_seed(seed))
        for seed in (0, 1)
    )
    assert bool(first.final.done.all())
    assert not torch.equal(first.cost, other.cost)
    assert first.pools is None


def test_selected_rollouts_keep_their_log_probabilities() -> None:
    policy = small_policy("omdcpdp")
    assignment = AssignmentConfig.of_paper("omdcpdp")
    batch = draw_batch("omdcpdp", (8, 8), (2, 2), 2, np.random.default_rng(0))
    environment = policy.environment(batch)
    rollout = roll_out(policy, environment, assignment, 4, torch.Generator().manual_seed(3))
    index = torch.tensor([[2, 0], [3, 1]])
    with torch.no_grad():
        encoded = policy.encode(environment)
        every = score(policy, encoded, assignment, rollout)[0].sum(1)
        some = score(policy, encoded, assignment, rollout.select(index))[0].sum(1)
    torch.testing.assert_close(some, every.gather(1, index))
    assert torch.equal(rollout.select(index).cost, rollout.cost.gather(1, index))


def test_entropy_counts_open_choices_alone() -> None:
    even = torch.tensor([0.0, 0.0, -torch.inf])
    lone = torch.tensor([3.0, -torch.inf, -torch.inf])
    nothing = torch.full((3,), -torch.inf)
    score = torch.stack([even, even, lone, nothing]).requires_grad_()
    found = entropy_of(score)
    assert found.item() == pytest.approx(2.0 * math.log(2.0))
    found.backward()
    assert score.grad is not None
    assert torch.isfinite(score.grad).all()


def test_entropy_keeps_choices_open() -> None:
    kind: Kind = "hcvrp"
    found = []
    for entropy in (0.0, 1.0):
        torch.manual_seed(0)
        policy = small_policy(kind)
        batch = draw_batch(kind, (8, 8), (2, 2), 1, np.random.default_rng(0))
        environment = policy.environment(batch)
        plain = AssignmentConfig.of_paper(kind, **ASSIGNMENT_VARIANTS["plain"])
        rollout = roll_out(policy, environment, plain, 4, torch.Generator().manual_seed(0))
        optimiser = torch.optim.SGD(policy.parameters(), lr=0.05)
        for _ in range(5):
            optimiser.zero_grad()
            backward(policy, plain, rollout, torch.zeros(1, 4), entropy / 4)
            optimiser.step()
        scores = policy.logits(policy.encode(environment), rollout.states[0])
        found.append(entropy_of(scores.logits).item())
    assert found[1] > found[0]
