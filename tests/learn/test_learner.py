from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from geopar.errors import InputError
from geopar.learn.config import default_config
from geopar.learn.data import draw_batch
from geopar.learn.learner import Decoded, Learner, make_learner
from geopar.learn.reinforce import RolloutConfig
from geopar.neural.cards import save_weights
from geopar.problems.batch import Batch
from midway import network_for

COST = torch.tensor([[1.0, 5.0, 3.0], [2.0, 2.0, 8.0]], dtype=torch.float64)


class Told(Learner):
    """Rolls out what it is told, and remembers what it is asked to learn from it."""

    def __init__(self) -> None:
        super().__init__(network_for("hcvrp"))
        self.asked: dict[str, Any] = {}

    def roll_out(self, batch: Batch, samples: int, generator: torch.Generator) -> Any:
        steps = torch.full(COST.shape, 7)
        return SimpleNamespace(
            cost=COST[: batch.size, :samples], steps=steps[: batch.size, :samples]
        )

    def backward(
        self, rollout: Any, weight: Tensor, index: Tensor | None, entropy: float, share: float
    ) -> float:
        self.asked = {"weight": weight, "index": index, "entropy": entropy, "share": share}
        return float((weight * rollout.cost).sum())

    def decode(self, batch: Batch) -> Decoded:
        raise NotImplementedError


def reinforced(share: float = 1.0, **settings: Any) -> tuple[Told, Any]:
    learner = Told()
    batch = draw_batch("hcvrp", (4, 4), (2, 2), 2, np.random.default_rng(0))
    config = RolloutConfig(samples=3, **settings)
    return learner, learner.reinforce(batch, config, torch.Generator(), share)


def test_rollouts_are_compared_with_the_mean_of_their_instance() -> None:
    learner, found = reinforced()
    expected = (COST - COST.mean(1, keepdim=True)) / COST.numel()
    torch.testing.assert_close(learner.asked["weight"], expected.float())
    assert learner.asked["index"] is None
    assert found.cost == pytest.approx(3.5)
    assert found.steps == 7.0
    assert found.loss == pytest.approx(float((expected * COST).sum()))


def test_a_part_of_an_update_counts_by_its_share() -> None:
    whole, found = reinforced(entropy=0.6)
    part, half = reinforced(share=0.5, entropy=0.6)
    torch.testing.assert_close(part.asked["weight"], whole.asked["weight"] / 2)
    assert part.asked["entropy"] == whole.asked["entropy"] / 2 == pytest.approx(0.6 / 6 / 2)
    # What is told of it is of the whole.
    assert half.loss == pytest.approx(found.loss)


def test_only_the_farthest_rollouts_are_scored_and_share_the_entropy() -> None:
    learner, _ = reinforced(scored=0.5, entropy=0.6)
    index = learner.asked["index"]
    assert sorted(index[0].tolist()) == [0, 1]
    assert 2 in index[1].tolist()
    assert learner.asked["entropy"] == pytest.approx(0.6 / 4)


def test_weights_of_other_settings_are_refused_and_nothing_is_taken_over(tmp_path: Path) -> None:
    learner, other = Told(), network_for("hcvrp", width=24)
    path = tmp_path / "other.safetensors"
    save_weights(path, other)
    before = {name: tensor.clone() for name, tensor in learner.network.state_dict().items()}
    with pytest.raises(InputError, match="other-network"):
        learner.load(str(path))
    assert all(torch.equal(before[n], t) for n, t in learner.network.state_dict().items())


def test_weights_that_fit_are_taken_over_with_their_decoding_and_history(tmp_path: Path) -> None:
    learner, other = Told(), network_for("hcvrp", turns=5)
    with torch.no_grad():
        other.out.weight.fill_(3.0)
    path = tmp_path / "own.safetensors"
    save_weights(path, other, {"updates": 12})
    assert learner.load(str(path)) == {"updates": 12}
    assert bool((learner.network.out.weight == 3.0).all())
    assert learner.network.decoding == other.decoding


@pytest.mark.parametrize("name", ["geopar", "pointer", "am"])
def test_the_same_seed_makes_the_same_network_and_leaves_torch_alone(name: str) -> None:
    config = default_config("hcvrp", "reinforce", name).changed({"model.width": "16"})
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    one, other = make_learner(config).network, make_learner(config).network
    assert torch.equal(torch.rand(1), expected)
    assert one.learner == name
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))
