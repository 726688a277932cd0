import itertools
import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from geopar.learn.data import draw_batch
from geopar.learn.rollout import entropy_of
from geopar.pointer import buffers
from geopar.pointer import sampling as module
from geopar.pointer.network import PointerNetwork
from geopar.pointer.sampling import SampledRollouts, add_gradient, sample_rollouts
from geopar.problems.batch import Batch
from geopar.problems.environment import make_environment
from geopar.problems.kinds import Kind
from midway import network_for, observed, oracle_of
from oracles.network import joint_log_prob, logits

both_kinds = pytest.mark.parametrize("kind", ["hcvrp", "omdcpdp"])


def small_network(kind: Kind = "hcvrp", **changes: Any) -> PointerNetwork:
    network = network_for(kind, **({"width": 24, "reach": 6, "turns": None} | changes))
    with torch.no_grad():
        # Decided enough that agents want the same, undecided enough that samples differ.
        network.out.weight.mul_(4.0)
    return network


def instances(
    count: int, tasks: int = 14, vehicles: int = 3, seed: int = 0, kind: Kind = "hcvrp"
) -> Batch:
    sizes = (tasks, tasks), (vehicles, vehicles)
    return draw_batch(kind, *sizes, count, np.random.default_rng(seed))


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def acts(rollout: SampledRollouts, num_tasks: int) -> tuple[Tensor, Tensor]:
    """Actions and orders ``(steps, B, R, M)``; staying where a rollout is done."""
    shape = tuple(rollout.final.place.shape)
    number = np.zeros(shape[0] * shape[1], dtype=np.int64)
    steps = int(rollout.final.steps.max())
    action = np.full((steps, len(number), shape[2]), num_tasks + 1)
    order = np.broadcast_to(np.arange(shape[2]), action.shape).copy()
    for _, log in rollout.parts:
        for i in range(log.filled[2]):
            s = log.rollout[i]
            action[number[s], s], order[number[s], s] = log.action[i], log.order[i]
            number[s] += 1
    assert number.tolist() == rollout.final.steps.flatten().tolist()
    return tuple(torch.from_numpy(a).view(steps, *shape) for a in (action, order))  # type: ignore[return-value]


def again(
    network: PointerNetwork, batch: Batch, rollout: SampledRollouts
) -> tuple[Tensor, Tensor, Tensor]:
    """Costs, log-probabilities and entropies of the same actions in tensor operations."""
    environment, home = make_environment(batch, inserts=True), batch.num_tasks
    oracle = oracle_of(network.config, environment)
    state = environment.reset(rollout.cost.shape[1])
    total, mixed = torch.zeros(rollout.cost.shape), torch.zeros(())
    for action, order in zip(*acts(rollout, home), strict=True):
        seen, is_done = oracle.observe(state), state.done
        scores = logits(network, seen)
        # What is done waits, which is no choice.
        order = torch.where(is_done[..., None], torch.arange(order.shape[-1]), order)
        action = torch.where(is_done[..., None], home, action)
        joint = joint_log_prob(scores, seen.candidates, action, order, home)
        total = total + joint.masked_fill(is_done, 0.0)
        mixed = mixed + entropy_of(scores.masked_fill(is_done[..., None, None], -torch.inf))
        state = environment.step(state, action)
    assert bool(state.done.all())
    return environment.cost(state), total, mixed


def gradients(network: PointerNetwork) -> dict[str, Tensor]:
    return {n: p.grad.clone() for n, p in network.named_parameters() if p.grad is not None}


@both_kinds
@pytest.mark.parametrize("entropy", [0.0, 0.3])
def test_log_probabilities_and_gradients_are_those_of_tensor_operations(
    kind: Kind, entropy: float
) -> None:
    network, batch = small_network(kind), instances(3, kind=kind)
    rollout = sample_rollouts(network, batch, 4, seeded(9))
    weight = torch.randn(3, 4, generator=seeded(2))
    value = add_gradient(network, rollout, weight, entropy)
    found = gradients(network)

    network.zero_grad()
    cost, plain, mixed = again(network, batch, rollout)
    loss = (weight * plain).sum() - entropy * mixed
    loss.backward()
    torch.testing.assert_close(rollout.cost, cost, rtol=1e-5, atol=0.0)
    torch.testing.assert_close(rollout.log_prob.float(), plain, rtol=1e-5, atol=1e-5)
    assert value == pytest.approx(loss.item(), rel=1e-5, abs=1e-5)
    expected = gradients(network)
    assert found.keys() == expected.keys()
    for name, gradient in expected.items():
        scale = gradient.abs().max()
        assert scale > 0.0, name
        torch.testing.assert_close(found[name] / scale, gradient / scale, rtol=1e-5, atol=1e-5)


def test_first_steps_come_as_often_as_the_distribution_says() -> None:
    network, batch = small_network(), instances(1, tasks=3, vehicles=2)
    count = 6000
    rollout = sample_rollouts(network, batch, count, seeded(1))
    found, _ = acts(rollout, 3)
    frequency: dict[tuple[int, ...], float] = {}
    for first in found[0, 0].tolist():
        frequency[tuple(first)] = frequency.get(tuple(first), 0.0) + 1.0 / count

    environment = make_environment(batch, inserts=True)
    with torch.no_grad():
        seen = oracle_of(network.config, environment).observe(environment.reset())
        scores = logits(network, seen)
    allowed = [
        {int(task) for task, score in zip(*row, strict=True) if score > -torch.inf}
        for row in zip(seen.candidates[0, 0], scores[0, 0], strict=True)
    ]
    probability: dict[tuple[int, ...], float] = {}
    for joint in itertools.product(range(4), repeat=2):
        for order in itertools.permutations(range(2)):
            first, last = order.index(0), order.index(1)
            left = allowed[last] - ({joint[first]} - {3})
            if joint[first] in allowed[first] and joint[last] in left:
                turn, action = (torch.tensor(row)[None, None] for row in (order, joint))
                value = joint_log_prob(scores, seen.candidates, action, turn, 3)
                probability[joint] = probability.get(joint, 0.0) + value.exp().item() / 2
    assert sum(probability.values()) == pytest.approx(1.0, abs=1e-5)
    assert frequency.keys() <= probability.keys()
    assert len(probability) >= 6
    for joint, chance in probability.items():
        spread = math.sqrt(chance * (1.0 - chance) / count)
        assert abs(frequency.get(joint, 0.0) - chance) < 4.0 * spread + 1e-9, joint


@both_kinds
def test_the_same_seed_gives_the_same_rollouts_and_others_differ(kind: Kind) -> None:
    network, batch = small_network(kind), instances(2, kind=kind)
    first, same, other = (sample_rollouts(network, batch, 5, seeded(seed)) for seed in (3, 3, 4))
    assert torch.equal(first.cost, same.cost)
    assert torch.equal(first.log_prob, same.log_prob)
    assert all(torch.equal(a, b) for a, b in zip(acts(first, 14), acts(same, 14), strict=True))
    assert not torch.equal(first.cost, other.cost)
    assert first.cost.unique().numel() > 5


@both_kinds
def test_an_instance_alone_does_what_it_does_among_others(kind: Kind) -> None:
    network, many = small_network(kind), instances(3, kind=kind)
    alone = many.select(torch.tensor([0]))
    together = sample_rollouts(network, many, 6, seeded(3))
    lonely = sample_rollouts(network, alone, 6, seeded(3))
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
    network, batch = small_network(kind), instances(2, tasks, vehicles, seed, kind)
    rollout = sample_rollouts(network, batch, 2, seeded(seed))
    environment = make_environment(batch, inserts=True)
    state = environment.reset(2)
    for action in acts(rollout, tasks)[0]:
        seen = observed(network.config, environment, state)
        allowed = torch.zeros(2, 2, vehicles, tasks + 2, dtype=torch.bool)
        allowed.scatter_(-1, seen.candidates, seen.feasible)
        allowed[..., -1] = True
        assert bool(allowed.gather(-1, action[..., None]).all())
        tasks_served = action[..., None] == torch.arange(tasks)
        assert int(tasks_served.sum(2).max()) <= 1
        state = environment.step(state, action)
    assert bool(state.done.all())
    torch.testing.assert_close(environment.cost(state), rollout.cost, rtol=1e-5, atol=0.0)


def test_what_is_not_selected_counts_for_nothing() -> None:
    network, batch = small_network(), instances(2)
    rollout = sample_rollouts(network, batch, 4, seeded(3))
    index = torch.tensor([[2, 0], [3, 1]])
    weight = torch.randn(2, 2, generator=seeded(2))
    chosen = rollout.select(index)
    assert torch.equal(chosen.cost, rollout.cost.gather(1, index))
    value = add_gradient(network, chosen, weight)
    found = gradients(network)
    network.zero_grad()
    every = torch.zeros(2, 4).scatter(1, index, weight)
    assert value == pytest.approx(add_gradient(network, rollout, every))
    for name, gradient in gradients(network).items():
        assert torch.equal(found[name], gradient)
    again_chosen = chosen.select(torch.tensor([[1], [0]]))
    assert torch.equal(again_chosen.cost, rollout.cost.gather(1, torch.tensor([[0], [3]])))


def test_gradients_are_added_to_those_that_are_there() -> None:
    network, batch = small_network(), instances(1)
    rollout = sample_rollouts(network, batch, 2, seeded(3))
    weight = torch.ones(1, 2)
    add_gradient(network, rollout, weight)
    once = gradients(network)
    add_gradient(network, rollout, weight)
    for name, gradient in gradients(network).items():
        torch.testing.assert_close(gradient, 2.0 * once[name])


@pytest.mark.parametrize("change", ["small buffers", "threads"])
def test_neither_buffers_nor_threads_change_anything(
    change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    network, batch = small_network(), instances(3)
    monkeypatch.setattr(module, "ROLLOUTS_PER_PART", 5)
    threads, found = torch.get_num_threads(), []
    for is_changed in (False, True):
        if is_changed and change == "small buffers":
            monkeypatch.setattr(buffers, "_idle", [])
            monkeypatch.setattr(module, "CHOICES_PER_TASK", 0.0)
        torch.set_num_threads(3 if is_changed and change == "threads" else 1)
        try:
            network.zero_grad()
            rollout = sample_rollouts(network, batch, 6, seeded(3))
            add_gradient(network, rollout, torch.randn(3, 6, generator=seeded(2)))
        finally:
            torch.set_num_threads(threads)
        found.append((rollout.cost, rollout.log_prob, *gradients(network).values()))
        assert len(rollout.parts) == 4
    for before, after in zip(*found, strict=True):
        assert torch.equal(before, after)


def test_buffers_are_used_again_only_when_nobody_needs_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(buffers, "_idle", [])
    network, batch = small_network(), instances(1)
    first = sample_rollouts(network, batch, 2, seeded(3))
    kept, chosen = first.parts[0].choices, first.select(torch.tensor([[1]]))
    del first
    other = sample_rollouts(network, batch, 2, seeded(4))
    assert other.parts[0].choices is not kept
    del chosen
    assert sample_rollouts(network, batch, 2, seeded(5)).parts[0].choices is kept


def test_long_rollouts_do_not_take_more_and_more_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """One vehicle leaves the depot at a time, so there are more steps than usual."""
    monkeypatch.setattr(buffers, "_idle", [])
    network, batch = small_network(turns=1), instances(2, 60, 40)
    sizes = []
    for seed in range(4):
        rollout = sample_rollouts(network, batch, 4, seeded(seed))
        assert float(rollout.final.steps.double().mean()) > 2 * 60 // 40 + 8
        sizes.append(len(rollout.parts[0].choices.task))
        del rollout
    assert sizes == sizes[:1] * 4
