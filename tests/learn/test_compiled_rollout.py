import dataclasses
import itertools
import math
from typing import Any

import numpy as np
import pytest
import torch
from geopar.learn.compiled_rollout import (
    CompiledRollout,
    add_gradient,
    can_sample,
    sample_rollouts,
)
from geopar.model import choice_room
from geopar.model.assignment import Proposals, log_prob, pool_scores
from geopar.model.configuration import (
    ASSIGNMENT_VARIANTS,
    AssignmentConfig,
    local_config,
    paper_config,
)
from geopar.model.policy import Policy
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from geopar.learn import compiled_rollout as module
from geopar.learn.data import draw_batch
from geopar.learn.rollout import entropy_of
from geopar.problems.environment import Environment, make_environment
from geopar.problems.kinds import Kind

PLAIN = AssignmentConfig.of_paper("hcvrp", **ASSIGNMENT_VARIANTS["plain"])
both_kinds = pytest.mark.parametrize("kind", ["hcvrp", "omdcpdp"])


def small_policy(kind: Kind = "hcvrp", **changes: Any) -> Policy:
    torch.manual_seed(5)
    small = {"pair_width": 24, "reach_size": 6}
    policy = Policy(dataclasses.replace(local_config(kind), **(small | changes)))
    with torch.no_grad():
        # Decided enough that agents want the same, undecided enough that samples differ.
        policy.edge_pointer.out.weight.mul_(4.0)
    return policy


def instances(
    count: int, tasks: int = 14, vehicles: int = 3, seed: int = 0, kind: Kind = "hcvrp"
) -> Environment[Any]:
    sizes = (tasks, tasks), (vehicles, vehicles)
    batch = draw_batch(kind, *sizes, count, np.random.default_rng(seed))
    return make_environment(batch, inserts=True)


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
    policy: Policy, environment: Environment[Any], assignment: AssignmentConfig, rollout: Any
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


@both_kinds
@pytest.mark.parametrize(("entropy", "temperature"), [(0.0, 1.0), (0.3, 1.7)])
def test_log_probabilities_and_gradients_are_those_of_one_pass(
    kind: Kind, entropy: float, temperature: float
) -> None:
    policy, environment = small_policy(kind), instances(3, kind=kind)
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


def test_first_steps_come_as_often_as_the_distribution_says() -> None:
    policy, environment = small_policy(), instances(1, tasks=3, vehicles=2)
    count = 6000
    rollout = sample_rollouts(policy, environment, PLAIN, count, seeded(1))
    found, _ = acts(rollout, 3)
    frequency: dict[tuple[int, ...], float] = {}
    for first in found[0, 0].tolist():
        frequency[tuple(first)] = frequency.get(tuple(first), 0.0) + 1.0 / count

    with torch.no_grad():
        encoded, state = policy.encode(environment), environment.reset()
        proposals = pool_scores(PLAIN, encoded, state, policy.logits(encoded, state), None)
        probability: dict[tuple[int, ...], float] = {}
        for joint in itertools.product(range(5), repeat=2):
            action = torch.tensor(joint)[None, None]
            for order in itertools.permutations(range(2)):
                turn = torch.tensor(order)[None, None]
                earlier = {joint[m] for m in range(2) if order[m] < max(order)}
                allowed = [set(row[row < 4].tolist()) for row in _open_to(proposals)]
                last = order.index(1)
                legal = all(
                    joint[m] in allowed[m] - (earlier - {3} if m == last else set())
                    for m in range(2)
                )
                if legal:
                    value = log_prob(PLAIN, proposals, action, turn, 3).sum().exp().item() / 2
                    probability[joint] = probability.get(joint, 0.0) + value
    assert sum(probability.values()) == pytest.approx(1.0, abs=1e-5)
    assert frequency.keys() <= probability.keys()
    assert len(probability) >= 6
    for joint, value in probability.items():
        spread = math.sqrt(value * (1.0 - value) / count)
        assert abs(frequency.get(joint, 0.0) - value) < 4.0 * spread + 1e-9, joint


def _open_to(proposals: Proposals) -> Tensor:
    """``(M, K)``: what each agent may do, a large number where it may not."""
    return torch.where(proposals.score > -torch.inf, proposals.task, 99)[0, 0]


@both_kinds
def test_the_same_seed_gives_the_same_rollouts_and_others_differ(kind: Kind) -> None:
    policy, environment = small_policy(kind), instances(2, kind=kind)
    first, same, other = (
        sample_rollouts(policy, environment, PLAIN, 5, seeded(seed)) for seed in (3, 3, 4)
    )
    assert torch.equal(first.cost, same.cost)
    assert torch.equal(first.log_prob, same.log_prob)
    assert all(torch.equal(a, b) for a, b in zip(acts(first, 14), acts(same, 14), strict=True))
    assert not torch.equal(first.cost, other.cost)
    assert first.cost.unique().numel() > 5


@both_kinds
def test_an_instance_alone_does_what_it_does_among_others(kind: Kind) -> None:
    policy, many = small_policy(kind), instances(3, kind=kind)
    alone = many.on(many.batch.select(torch.tensor([0])))
    together = sample_rollouts(policy, many, PLAIN, 6, seeded(3))
    lonely = sample_rollouts(policy, alone, PLAIN, 6, seeded(3))
    assert torch.equal(together.cost[:1], lonely.cost)
    assert torch.equal(together.log_prob[:1], lonely.log_prob)


@given(
    kind=st.sampled_from(["hcvrp", "omdcpdp"]),
    seed=st.integers(0, 1000),
    half=st.integers(1, 5),
    vehicles=st.integers(1, 4),
)
@settings(max_examples=25, deadline=None)
def test_every_rollout_is_allowed_and_costs_what_the_environment_says(
    kind: Kind, seed: int, half: int, vehicles: int
) -> None:
    tasks = 2 * half
    environment = instances(2, tasks, vehicles, seed, kind)
    policy = small_policy(kind)
    rollout = sample_rollouts(policy, environment, PLAIN, 2, seeded(seed))
    encoded, state = policy.encode(environment), environment.reset(2)
    for action in acts(rollout, tasks)[0]:
        look = policy.look(encoded, state)
        allowed = torch.zeros(2, 2, vehicles, tasks + 2, dtype=torch.bool)
        allowed.scatter_(-1, look.candidates, look.feasible)
        allowed[..., -1] = True
        assert bool(allowed.gather(-1, action[..., None]).all())
        tasks_served = action[..., None] == torch.arange(tasks)
        assert int(tasks_served.sum(2).max()) <= 1
        state = environment.step(state, action)
    assert bool(state.done.all())
    torch.testing.assert_close(environment.cost(state), rollout.cost, rtol=1e-5, atol=0.0)


def test_what_is_not_selected_counts_for_nothing() -> None:
    policy, environment = small_policy(), instances(2)
    rollout = sample_rollouts(policy, environment, PLAIN, 4, seeded(3))
    index = torch.tensor([[2, 0], [3, 1]])
    weight = torch.randn(2, 2, generator=seeded(2))
    chosen = rollout.select(index)
    assert torch.equal(chosen.cost, rollout.cost.gather(1, index))
    value = add_gradient(policy, PLAIN, chosen, weight)
    found = gradients(policy)
    policy.zero_grad()
    every = torch.zeros(2, 4).scatter(1, index, weight)
    assert value == pytest.approx(add_gradient(policy, PLAIN, rollout, every))
    for name, gradient in gradients(policy).items():
        assert torch.equal(found[name], gradient)
    again_chosen = chosen.select(torch.tensor([[1], [0]]))
    assert torch.equal(again_chosen.cost, rollout.cost.gather(1, torch.tensor([[0], [3]])))


def test_gradients_are_added_to_those_that_are_there() -> None:
    policy, environment = small_policy(), instances(1)
    rollout = sample_rollouts(policy, environment, PLAIN, 2, seeded(3))
    weight = torch.ones(1, 2)
    add_gradient(policy, PLAIN, rollout, weight)
    once = gradients(policy)
    add_gradient(policy, PLAIN, rollout, weight)
    for name, gradient in gradients(policy).items():
        torch.testing.assert_close(gradient, 2.0 * once[name])


@pytest.mark.parametrize("change", ["little room", "threads"])
def test_neither_room_nor_threads_change_anything(
    change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy, environment = small_policy(), instances(3)
    monkeypatch.setattr(module, "PART", 5)
    threads, found = torch.get_num_threads(), []
    for is_changed in (False, True):
        if is_changed and change == "little room":
            monkeypatch.setattr(choice_room, "_idle", [])
            monkeypatch.setattr(module, "CHOICES_PER_TASK", 0.0)
        torch.set_num_threads(3 if is_changed and change == "threads" else 1)
        try:
            policy.zero_grad()
            rollout = sample_rollouts(policy, environment, PLAIN, 6, seeded(3))
            add_gradient(policy, PLAIN, rollout, torch.randn(3, 6, generator=seeded(2)))
        finally:
            torch.set_num_threads(threads)
        found.append((rollout.cost, rollout.log_prob, *gradients(policy).values()))
        assert len(rollout.parts) == 4
    for before, after in zip(*found, strict=True):
        assert torch.equal(before, after)


def test_room_is_used_again_only_when_nobody_needs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice_room, "_idle", [])
    policy, environment = small_policy(), instances(1)
    first = sample_rollouts(policy, environment, PLAIN, 2, seeded(3))
    room, chosen = first.parts[0].choices, first.select(torch.tensor([[1]]))
    del first
    other = sample_rollouts(policy, environment, PLAIN, 2, seeded(4))
    assert other.parts[0].choices is not room
    del chosen
    assert sample_rollouts(policy, environment, PLAIN, 2, seeded(5)).parts[0].choices is room


def test_long_rollouts_do_not_take_more_and_more_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """One vehicle leaves the depot at a time, so there are more steps than usual."""
    monkeypatch.setattr(choice_room, "_idle", [])
    policy, environment = small_policy(turns=1), instances(2, 60, 40)
    rooms = []
    for seed in range(4):
        rollout = sample_rollouts(policy, environment, PLAIN, 4, seeded(seed))
        assert float(rollout.final.steps.double().mean()) > 2 * 60 // 40 + 8
        rooms.append(len(rollout.parts[0].choices.task))
        del rollout
    assert rooms == rooms[:1] * 4


def test_what_it_is_for() -> None:
    environment = instances(1)
    assert can_sample(small_policy(), environment, PLAIN)
    assert not can_sample(Policy(paper_config("hcvrp")), environment, PLAIN)
    assert can_sample(small_policy("omdcpdp"), instances(1, kind="omdcpdp"), PLAIN)
    for changes in ({"pool": True}, {"exploration": 0.1}, {"time_weight": 0.1}):
        assignment = dataclasses.replace(PLAIN, **changes)
        assert not can_sample(small_policy(), environment, assignment)
