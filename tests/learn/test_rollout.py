import dataclasses

import numpy as np
import pytest
import torch

from geopar.learn import rollout as rollout_module
from geopar.learn.data import draw_batch
from geopar.learn.rollout import backward, one_pass, roll_out, score
from geopar.model.configuration import ASSIGNMENT_VARIANTS, PRESETS, AssignmentConfig
from geopar.model.policy import Policy
from geopar.problems.environment import make_environment
from geopar.problems.setting import Kind

CASES = [
    ("default", {}),
    ("default", ASSIGNMENT_VARIANTS["plain"]),
    ("paper", {}),
    ("local", ASSIGNMENT_VARIANTS["plain"]),
]


def small_policy(kind: Kind, preset: str) -> Policy:
    torch.manual_seed(5)
    config = PRESETS[preset](kind)
    changes = {"width": 16, "heads": 2, "layers": 1, "feedforward": 16, "pair_width": 8}
    return Policy(dataclasses.replace(config, **changes, reach_size=6))


@pytest.mark.parametrize("kind", ["hcvrp", "omdcpdp"])
@pytest.mark.parametrize(("preset", "changes"), CASES)
def test_two_passes_give_the_log_probabilities_and_gradients_of_one(
    kind: Kind, preset: str, changes: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = small_policy(kind, preset)
    assignment = AssignmentConfig.of_paper(kind, **changes)
    batch = draw_batch(kind, (10, 10), (3, 3), 2, np.random.default_rng(0))
    environment = make_environment(batch)
    weight = torch.randn(2, 3, generator=torch.Generator().manual_seed(2))

    cost, plain = one_pass(
        policy, environment, assignment, 3, torch.Generator().manual_seed(9)
    )  # fmt: skip
    (weight * plain).sum().backward()
    gradients = {n: p.grad for n, p in policy.named_parameters() if p.grad is not None}
    policy.zero_grad()

    rollout = roll_out(policy, environment, assignment, 3, torch.Generator().manual_seed(9))
    scored = score(policy, policy.encode(environment), assignment, rollout)
    (weight * scored).sum().backward()

    assert torch.equal(rollout.cost, cost)
    in_one = {n: p.grad for n, p in policy.named_parameters() if p.grad is not None}
    policy.zero_grad()
    monkeypatch.setattr(rollout_module, "PIECE", 1)
    backward(policy, environment, assignment, rollout, weight)
    torch.testing.assert_close(scored, plain, rtol=1e-5, atol=1e-5)
    assert gradients
    for name, parameter in policy.named_parameters():
        if name in gradients:
            torch.testing.assert_close(in_one[name], gradients[name], rtol=1e-5, atol=1e-5)
            torch.testing.assert_close(parameter.grad, gradients[name], rtol=1e-5, atol=1e-5)


def test_rollouts_end_with_everything_served_and_other_seeds_differ() -> None:
    policy = small_policy("hcvrp", "local")
    assignment = AssignmentConfig.of_paper("hcvrp", **ASSIGNMENT_VARIANTS["plain"])
    batch = draw_batch("hcvrp", (10, 10), (3, 3), 2, np.random.default_rng(0))
    environment = make_environment(batch)
    first, other = (
        roll_out(policy, environment, assignment, 4, torch.Generator().manual_seed(seed))
        for seed in (0, 1)
    )
    assert bool(first.final.done.all())
    assert not torch.equal(first.cost, other.cost)
    assert first.candidates is not None
    assert first.pools is None


@pytest.mark.parametrize("preset", ["local", "default"])
def test_selected_rollouts_keep_their_log_probabilities(preset: str) -> None:
    policy = small_policy("omdcpdp", preset)
    assignment = AssignmentConfig.of_paper("omdcpdp")
    batch = draw_batch("omdcpdp", (8, 8), (2, 2), 2, np.random.default_rng(0))
    environment = make_environment(batch)
    rollout = roll_out(policy, environment, assignment, 4, torch.Generator().manual_seed(3))
    index = torch.tensor([[2, 0], [3, 1]])
    with torch.no_grad():
        encoded = policy.encode(environment)
        every = score(policy, encoded, assignment, rollout)
        some = score(policy, encoded, assignment, rollout.select(index))
    torch.testing.assert_close(some, every.gather(1, index))
    assert torch.equal(rollout.select(index).cost, rollout.cost.gather(1, index))
