from typing import Any

import numpy as np
import pytest
import torch

from geopar.errors import InputError
from geopar.peers.parco import Parco, ParcoConfig
from geopar.peers.parco_published import AbsoluteObserver, IndexedAgents, ParcoEncoder, sinusoids
from geopar.problems import HCVRP
from geopar.problems.batch import make_batch
from geopar.problems.environment import make_environment
from peer_laws import Laws

PARTS = {"gated": True, "sinusoid": True, "angle": True, "absolute": True}


class TestPublishedParco(Laws):
    learner, changes = "parco", PARTS


def problem() -> HCVRP:
    """In the unit square, from corner to corner, with the paper's numbers."""
    places = [(0, 0), (1, 1), (0.5, 0.25), (1, 0), (0.25, 1)]
    return HCVRP((0.5, 0.5), places, [4, 8, 2, 1, 9], [20, 30], [0.5, 0.8])


def test_features_are_those_of_the_public_code() -> None:
    config = ParcoConfig("hcvrp", width=8, heads=1, **PARTS)
    encoder = ParcoEncoder(config.network(), sinusoid=True, angle=True, absolute=True)
    agents, (tasks,) = encoder.features(make_batch([problem()]))
    assert torch.allclose(
        agents[0], torch.tensor([[0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.75, 0.8]]), atol=1e-6
    )
    x, y = np.array([0.5, 0.25]) - 0.5
    expected = torch.tensor([0.5, 0.25, 2 / 40, np.hypot(x, y), np.arctan2(y, x)])
    assert torch.allclose(tasks[0, 2], expected.float(), atol=1e-6)


def test_states_are_in_the_units_of_the_instance() -> None:
    batch: Any = make_batch([problem()])
    environment = make_environment(batch)
    # Both go to a corner, the first and the second customer.
    state = environment.step(environment.reset(1), torch.tensor([[[0, 1]]]))
    agents, fleet = AbsoluteObserver.of(batch).parco(state)
    away = 0.5**0.5
    assert torch.allclose(agents.elapsed[0, 0], torch.tensor([away / 0.5, away / 0.8]), atol=1e-5)
    assert torch.allclose(agents.last, agents.elapsed, atol=1e-5)
    assert agents.load[0, 0].tolist() == pytest.approx([16 / 40, 22 / 40])
    assert fleet.share.item() == pytest.approx(2 / 5)


def test_sinusoids() -> None:
    found = sinusoids(3, 4)
    assert found.shape == (3, 4)
    assert found[0].tolist() == [0, 1, 0, 1]
    assert found[2, 0].item() == pytest.approx(np.sin(2.0))
    assert found[2, 3].item() == pytest.approx(np.cos(2.0 / 100.0))


def test_equal_vehicles_differ_by_their_index() -> None:
    torch.manual_seed(0)
    tokens = IndexedAgents(8)(torch.ones(1, 2, 4))
    assert not torch.allclose(tokens[0, 0], tokens[0, 1])


@pytest.mark.parametrize("name", ["sinusoid", "angle", "absolute"])
def test_parts_of_hcvrp_are_for_hcvrp(name: str) -> None:
    with pytest.raises(InputError, match="HCVRP alone"):
        ParcoConfig("omdcpdp", **{name: True})
    Parco(ParcoConfig("hcvrp", width=8, heads=1, layers=1, **{name: True}))
