from typing import Any

import numpy as np
import torch

from geopar.learn.baseline import GreedyRollout, greedy_costs, is_better
from geopar.learn.config import SizeRange, default_config
from geopar.learn.data import fixed_batch
from geopar.learn.peer_learner import PeerLearner
from geopar.peers.am import AMConfig, AttentionModel
from geopar.problems.setting import Setting

SIZES = [SizeRange((5, 6), (2, 2))]
SMALL: dict[str, Any] = {"width": 8, "heads": 2, "layers": 1, "feedforward": 8}


def network(seed: int) -> AttentionModel:
    torch.manual_seed(seed)
    return AttentionModel(AMConfig("hcvrp", **SMALL))


def greedy_baseline(peer: AttentionModel) -> GreedyRollout:
    changes = {"batch_size": "4", "epoch_size": "8", "baseline_instances": "16"}
    config = default_config("hcvrp", "reinforce", "am").changed(changes)
    return GreedyRollout(peer, config, SIZES)


def test_the_t_test_is_paired_and_one_sided() -> None:
    rng = np.random.default_rng(0)
    hard = rng.uniform(1.0, 100.0, 200)
    # A small but steady gain counts, however much instances differ among themselves.
    assert is_better(hard - 0.1 + rng.normal(0.0, 0.1, 200), hard)
    assert not is_better(hard + 0.1 + rng.normal(0.0, 0.1, 200), hard)
    # A gain by luck does not.
    assert not is_better(hard + rng.normal(-0.02, 1.0, 200), hard)


def test_its_threshold_is_five_per_cent() -> None:
    from scipy import stats

    rng = np.random.default_rng(1)
    for _ in range(20):
        one, other = rng.normal(0.0, 1.0, 30), rng.normal(0.2, 1.0, 30)
        expected = stats.ttest_rel(one, other, alternative="less").pvalue < 0.05
        assert is_better(one, other) == expected


def test_equal_costs_are_not_better_and_a_constant_gain_is() -> None:
    assert not is_better([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    assert is_better([1.0, 2.0, 3.0], [1.5, 2.5, 3.5])
    assert not is_better([1.0], [2.0])


def test_without_a_frozen_copy_the_rollouts_of_an_instance_share_their_mean() -> None:
    config = default_config("hcvrp", "reinforce", "parco")
    learner = PeerLearner(config, SIZES)
    assert learner.baseline is None
    assert learner.state() == {}
    cost = torch.tensor([[1.0, 3.0], [5.0, 5.0]])
    batch = fixed_batch(Setting("hcvrp", 5, 2), 2, 0)
    assert learner.level(batch, cost).tolist() == [[2.0], [5.0]]


def test_the_first_epoch_compares_with_the_batch_in_units_of_the_bounds() -> None:
    peer = network(0)
    baseline, batch = greedy_baseline(peer), fixed_batch(Setting("hcvrp", 5, 2), 2, 0)
    bounds = batch.lower_bounds()
    cost = torch.stack([2.0 * bounds[:1], 4.0 * bounds[1:]])
    assert torch.allclose(baseline.level(batch, cost)[:, 0], 3.0 * bounds)
    baseline.after_update(peer, 1)
    assert torch.allclose(baseline.level(batch, cost)[:, 0], 3.0 * bounds)
    baseline.after_update(peer, 2)
    # That was the epoch: from now on the frozen copy says what is usual.
    expected = greedy_costs(baseline.frozen, [batch])
    assert torch.equal(baseline.level(batch, cost)[:, 0], expected)


def test_a_better_network_takes_the_place_and_a_worse_one_does_not(monkeypatch) -> None:
    first, second = network(0), network(1)
    baseline = greedy_baseline(first)

    def costs(peer, batches):
        total = sum(batch.size for batch in batches)
        better = torch.equal(peer.context.weight, second.context.weight)
        return torch.full((total,), 1.0 if better else 2.0) + torch.linspace(0, 0.1, total)

    monkeypatch.setattr("geopar.learn.baseline.greedy_costs", costs)
    assert not baseline.challenge(first)
    assert baseline.challenge(second)
    assert baseline.replaced == 1
    frozen: Any = baseline.frozen
    assert torch.equal(frozen.context.weight, second.context.weight)
    assert not baseline.challenge(first)


def test_the_copy_is_challenged_on_new_instances_after_it_was_replaced() -> None:
    baseline = greedy_baseline(network(0))
    before = baseline._draw()
    assert sum(batch.size for batch in before) == 16
    assert torch.equal(before[0].places, baseline._draw()[0].places)
    baseline.replaced += 1
    other = baseline._draw()[0].places
    assert before[0].places.shape != other.shape or not torch.equal(before[0].places, other)


def test_a_restored_baseline_goes_on_alike() -> None:
    peer = network(3)
    one, other = greedy_baseline(peer), greedy_baseline(network(4))
    one.after_update(peer, 1)
    one.after_update(peer, 2)
    other.restore(one.state())
    batch = fixed_batch(Setting("hcvrp", 5, 2), 3, 0)
    cost = torch.ones(3, 1, dtype=torch.float64)
    assert torch.equal(one.level(batch, cost), other.level(batch, cost))
    assert (one.epochs, one.replaced) == (other.epochs, other.replaced)


def test_looking_leaves_the_network_in_training() -> None:
    peer = network(0).train()
    first: Any = peer.layers[0]
    norms = first.attention_norm.norm.running_mean.clone()
    greedy_costs(peer, [fixed_batch(Setting("hcvrp", 5, 2), 3, 0)])
    assert peer.training
    assert torch.equal(first.attention_norm.norm.running_mean, norms)
