from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from geopar.learn.config import default_config
from geopar.learn.data import draw_batch
from geopar.learn.geopar_learner import GeoparLearner
from geopar.learn.learner import make_learner
from geopar.learn.reinforce import RolloutConfig
from geopar.neural.cards import save_weights
from geopar.paper.config import AssignmentConfig, NetworkConfig
from geopar.problems.kinds import Kind

SMALL: dict[str, Any] = {"width": 32, "heads": 2, "layers": 1, "feedforward": 64}


def learner(kind: Kind) -> GeoparLearner:
    torch.manual_seed(0)
    return GeoparLearner(
        NetworkConfig(kind, **SMALL), AssignmentConfig.of_paper(kind, temperature=0.7)
    )


@pytest.mark.parametrize("kind", ["hcvrp", "omdcpdp"])
def test_costs_fall(kind: Kind) -> None:
    one = learner(kind)
    optimiser = torch.optim.Adam(one.network.parameters(), lr=1e-3)
    batch = draw_batch(kind, (20, 20), (2, 2), 4, np.random.default_rng(1))
    generator = torch.Generator().manual_seed(1)
    config, costs = RolloutConfig(samples=16, relative=True, scored=0.5), []
    for _ in range(60):
        optimiser.zero_grad()
        costs.append(one.reinforce(batch, config, generator, 1.0).cost)
        optimiser.step()
    assert np.mean(costs[-10:]) < 0.97 * np.mean(costs[:10])


def test_a_cost_that_is_the_same_for_all_moves_nothing() -> None:
    one = learner("hcvrp")
    batch = draw_batch("hcvrp", (1, 1), (1, 1), 3, np.random.default_rng(1))
    config = RolloutConfig(augmentations=2, samples=2)
    found = one.reinforce(batch, config, torch.Generator().manual_seed(0), 1.0)
    assert abs(found.loss) < 1e-5
    assert all(p.grad is None or p.grad.abs().max() < 1e-5 for p in one.network.parameters())


def test_the_log_says_how_much_the_windows_count() -> None:
    one = learner("hcvrp")
    assert one.statistics() == {"gate": 0.0}
    torch.nn.init.constant_(one.network.encoder.branch.gate, -0.5)
    assert one.statistics() == {"gate": 0.5}


def test_a_run_says_how_its_weights_decode(tmp_path: Path) -> None:
    small = default_config("hcvrp").changed({f"model.{k}": str(v) for k, v in SMALL.items()})
    begun = make_learner(small)
    assert begun.network.decoding.mode == "greedy"
    save_weights(tmp_path / "begun.safetensors", begun.network, {}, {})
    told = make_learner(small.changed({"decoding.mode": "ca"}))
    told.load(str(tmp_path / "begun.safetensors"))
    assert told.network.decoding.mode == "ca"


def test_decoding_is_that_of_the_network() -> None:
    one = learner("omdcpdp")
    batch = draw_batch("omdcpdp", (40, 40), (6, 6), 2, np.random.default_rng(1))
    greedy = one.decode(batch)
    one.network.decoding = type(one.network.decoding)("ca", one.network.decoding.assignment)
    aware = one.decode(batch)
    assert aware.steps.sum() < greedy.steps.sum()


def test_weights_bring_how_they_are_decoded(tmp_path) -> None:
    one, other = learner("omdcpdp"), learner("omdcpdp")
    one.network.decoding = type(one.network.decoding)("ca", one.network.decoding.assignment)
    save_weights(tmp_path / "mine.safetensors", one.network, {"hours": 1})
    assert other.load(str(tmp_path / "mine.safetensors")) == {"hours": 1}
    assert other.network.decoding == one.network.decoding
