from pathlib import Path

import pytest

from geopar.errors import InputError
from geopar.learn.recipe import find_recipe, recipes, train_recipe
from geopar.neural.cards import read_card

TWO_STAGES = """
problem = "hcvrp"
learner = "geopar"

[[stages]]
name = "imitate"
take = "last"
method = "imitate"
model = { width = 8, heads = 2, layers = 1, feedforward = 8 }
sizes = ["8-10/2-3"]
batch_size = 4
epoch_size = 8
epochs = 2
milestones = []
label_shards = 1
label_iterations = 5
validation = ["8/2"]
validation_count = 4
monitor = "mean"

[[stages]]
name = "reinforce"
take = "last"
model = { width = 8, heads = 2, layers = 1, feedforward = 8 }
sizes = ["8-10/2-3"]
batch_size = 4
augmentations = 1
samples = 2
epoch_size = 8
epochs = 2
milestones = []
validation = ["8/2"]
validation_count = 4
monitor = "mean"
"""


@pytest.fixture
def recipe(tmp_path: Path):
    path = tmp_path / "tiny.toml"
    path.write_text(TWO_STAGES)
    return find_recipe(str(path))


@pytest.mark.parametrize("name", recipes())
def test_every_recipe_of_the_package_can_be_read(name: str) -> None:
    found = find_recipe(name)
    assert name.startswith(f"{found.problem}-{found.learner}")
    assert found.stages


def test_stages_follow_each_other_and_the_card_names_the_recipe(tmp_path: Path, recipe) -> None:
    weights = train_recipe(recipe, tmp_path / "run", tmp_path / "labels")
    assert weights == tmp_path / "run" / "2-reinforce" / "last.safetensors"
    training = read_card(weights).training
    assert training["recipe"] == "tiny"
    assert training["after"]["settings"]["method"] == "imitate"
    # Done is done.
    before = weights.read_bytes()
    assert train_recipe(recipe, tmp_path / "run", tmp_path / "labels") == weights
    assert weights.read_bytes() == before


def test_a_recipe_that_was_stopped_goes_on(tmp_path: Path, recipe) -> None:
    whole = train_recipe(recipe, tmp_path / "whole", tmp_path / "labels")
    parts, calls = None, 0
    while parts is None:
        parts = train_recipe(recipe, tmp_path / "parts", tmp_path / "labels", minutes=1e-9)
        calls += 1
    assert calls > 2
    assert whole.read_bytes() == parts.read_bytes()


def test_a_later_stage_can_begin_with_given_weights(tmp_path: Path, recipe) -> None:
    train_recipe(recipe, tmp_path / "a", tmp_path / "labels")
    start = str(tmp_path / "a" / "1-imitate")
    weights = train_recipe(
        recipe, tmp_path / "b", tmp_path / "labels", first="reinforce", start=start
    )
    assert weights is not None
    assert not (tmp_path / "b" / "1-imitate").exists()


def test_what_is_no_recipe_is_told(tmp_path: Path, recipe) -> None:
    with pytest.raises(InputError, match="unknown-recipe"):
        find_recipe("hcvrp-pionter")
    bad = tmp_path / "bad.toml"
    bad.write_text("x = [")
    with pytest.raises(InputError, match="bad-recipe"):
        find_recipe(str(bad))
    bad.write_text('problem = "hcvrp"\n')
    with pytest.raises(InputError, match="learner"):
        find_recipe(str(bad))
    bad.write_text(TWO_STAGES.replace("batch_size = 4", "batch_sze = 4"))
    with pytest.raises(InputError, match="batch_sze"):
        find_recipe(str(bad))
    with pytest.raises(InputError, match="stage"):
        train_recipe(recipe, tmp_path, tmp_path, first="polish", start="x")
