import pytest
import torch

from geopar.errors import InputError
from geopar.learn.recipe import find_recipe
from geopar.neural.cards import FOLDER_VARIABLE, installed, save_weights
from geopar.pointer.config import PointerConfig, PointerDecoding
from geopar.pointer.network import PointerNetwork
from geopar.pointer.solver import construct
from geopar.problems.random import generate
from midway import network_for

SHIPPED = [f"{kind}-{name}" for kind in ("hcvrp", "omdcpdp") for name in ("pointer", "pointer-small")]  # fmt: skip  # noqa: E501


def test_what_is_loaded_is_what_was_saved(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    network = network_for("hcvrp", turns=3)
    network.decoding = PointerDecoding("resolve", 7, 2, 3)
    save_weights(tmp_path / "hcvrp-mine.safetensors", network)
    loaded = PointerNetwork.load("hcvrp", "mine")
    assert (loaded.config, loaded.decoding) == (network.config, network.decoding)
    problem = generate("hcvrp/14/4")
    assert construct([problem], loaded).plans == construct([problem], network).plans


def test_weights_of_another_network_are_refused(tmp_path):
    network = network_for("hcvrp")
    network.learner = "geopar"  # type: ignore[misc]
    path = tmp_path / "other.safetensors"
    save_weights(path, network)
    with pytest.raises(InputError, match="belong to geopar, not to pointer"):
        PointerNetwork.load("hcvrp", str(path))


def test_random_weights_must_be_asked_for_and_are_the_same_every_time():
    one, other = (
        PointerNetwork.load("hcvrp", "random"),
        PointerNetwork.untrained(PointerConfig("hcvrp")),
    )
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_weights_say_how_they_came_about(name, monkeypatch):
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    card = installed()[name]
    assert card.learner == "pointer"
    recipe = find_recipe(card.training["recipe"])
    assert (recipe.problem, recipe.learner) == (card.problem, "pointer")
    history, stages = card.training, 1
    while history["after"]:
        history, stages = history["after"], stages + 1
    assert stages == len(recipe.stages)
    assert PointerNetwork.load(card.problem, name).config == PointerConfig.from_json(
        card.architecture
    )
