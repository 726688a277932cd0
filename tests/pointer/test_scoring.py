import numpy as np
import pytest
import torch

from geopar.compiled.jit import compiled
from geopar.pointer.buffers import new_choices, new_score_scratch
from geopar.pointer.instances import new_observation
from geopar.pointer.parameters import forward_weights
from geopar.pointer.scoring import CHOICES_AT_ONCE, list_choices, list_owners, score
from geopar.problems.batch import make_batch
from geopar.problems.random import generate
from midway import network_for
from oracles.network import logits
from oracles.observed import Observed


@compiled(allocates=True)
def scored(observation, home, weights, choices, scratch, filled, choice_of, forced):
    list_choices(observation, home, 7, choices, filled, choice_of, forced)
    score(weights, choices, scratch, 0, filled[0])


@compiled(allocates=True)
def owned(choices, begin, end, owner):
    return list_owners(choices, begin, end, owner)


def observation_of(network, vehicles, feasible):
    """Random features; what is feasible is given."""
    chance = np.random.default_rng(3)
    batch = make_batch([generate(f"hcvrp/9/{vehicles}")])
    observation = new_observation(network.config, batch)
    observation.candidates[:] = np.arange(feasible.shape[1])
    observation.feasible[:] = feasible
    for part, size in ((observation.agents, 18), (observation.fleet, 8), (observation.pairs, 27)):
        part[..., :size] = chance.normal(size=(*part.shape[:-1], size))
    return observation


@pytest.mark.parametrize("vehicles", [1, 3, CHOICES_AT_ONCE + 5])
@torch.no_grad()
def test_logits_are_those_of_tensor_operations(vehicles):
    network = network_for("hcvrp", width=24, reach=5)
    feasible = np.random.default_rng(vehicles).random((vehicles, 6)) < 0.6
    feasible[0, :2] = True
    observation = observation_of(network, vehicles, feasible)
    choices = new_choices(network.config, vehicles, vehicles * 6)
    filled, choice_of, forced = np.zeros(2, dtype=np.int64), *np.full((2, vehicles), -9)
    scored(
        observation, 9, forward_weights(network), choices, new_score_scratch(network.config),
        filled, choice_of, forced,
    )  # fmt: skip
    parts = {name: torch.from_numpy(getattr(observation, name))[None, None]
             for name in Observed._fields}  # fmt: skip
    sizes = {"agents": 18, "fleet": 8, "pairs": 27}
    parts = {name: part[..., : sizes.get(name)] for name, part in parts.items()}
    expected = logits(network, Observed(**parts))[0, 0].numpy()
    for m in range(vehicles):
        options = np.flatnonzero(feasible[m])
        if len(options) < 2:
            assert choice_of[m] == -1
            assert forced[m] == (options[0] if len(options) else 10)
            continue
        c = choice_of[m]
        pairs = slice(choices.first[c], choices.first[c + 1])
        assert choices.rollout[c] == 7
        assert choices.task[pairs].tolist() == options.tolist()
        np.testing.assert_allclose(choices.logit[pairs], expected[m, options], rtol=1e-4, atol=1e-5)
    assert filled.tolist() == [(choice_of >= 0).sum(), feasible[choice_of >= 0].sum()]


def test_every_pair_knows_its_choice():
    choices = new_choices(network_for("hcvrp").config, 3, 9)
    choices.first[:4] = 0, 2, 5, 9
    owner = np.full(20, -1)
    assert owned(choices, 1, 3, owner) == 7
    assert owner[:7].tolist() == [1, 1, 1, 2, 2, 2, 2]
