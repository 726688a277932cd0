from pathlib import Path

import numpy as np
import pytest

from geopar.checking import check
from geopar.learn.config import default_config
from geopar.learn.labels import (
    LabelConfig,
    Labels,
    labels_of,
    make_shard,
    make_shards,
    missing_shards,
    plan_by_search,
)
from geopar.plan import Plan
from geopar.problems.kinds import Kind
from geopar.problems.setting import Setting
from geopar.spread import open_executor

SMALL: dict[Kind, LabelConfig] = {
    "hcvrp": LabelConfig("hcvrp", (6, 9), (2, 3), per_shard=3, iterations_per_task=20),
    "omdcpdp": LabelConfig("omdcpdp", (6, 9), (2, 3), per_shard=3, iterations_per_task=20),
}


@pytest.mark.parametrize("kind", ["hcvrp", "omdcpdp"])
def test_labels_are_feasible_plans(kind: Kind) -> None:
    problem = Setting(kind, 8, 2).generate(np.random.default_rng(3))
    routes = plan_by_search(problem, 100, seed=1)
    assert check(problem, Plan.from_indices(problem, routes)).feasible


@pytest.mark.parametrize("kind", ["hcvrp", "omdcpdp"])
def test_a_shard_is_determined_by_its_number(kind: Kind) -> None:
    first, again, other = (make_shard(SMALL[kind], number) for number in (4, 4, 5))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not np.array_equal(first["locs"], other["locs"])


def test_a_shard_from_disk_is_the_one_that_was_made(tmp_path: Path) -> None:
    made = Labels(SMALL["hcvrp"], tmp_path).shard(2)
    stored = Labels(SMALL["hcvrp"], tmp_path)
    assert stored.path(2).exists()
    assert all(np.array_equal(made[name], stored.shard(2)[name]) for name in made)
    assert sorted(path.suffix for path in stored.folder.iterdir()) == [".json", ".npz"]


def test_other_labels_live_in_another_folder(tmp_path: Path) -> None:
    folders = {Labels(config, tmp_path).folder for config in SMALL.values()}
    more = LabelConfig("hcvrp", (6, 9), (2, 3), per_shard=3, iterations_per_task=30)
    assert Labels(more, tmp_path).folder not in folders


def test_sizes_stay_in_their_ranges() -> None:
    for number in range(8):
        tasks = make_shard(SMALL["omdcpdp"], number)["locs"].shape[1]
        assert tasks in (6, 8)


def test_shards_made_ahead_are_those_made_when_needed(tmp_path: Path) -> None:
    ahead, later = (Labels(SMALL["hcvrp"], tmp_path / name) for name in ("ahead", "later"))
    ahead.shard(1)
    missing = missing_shards([ahead], 3)
    assert [number for _, number in missing] == [0, 2]
    with open_executor("processes:2") as executor:
        made = set(make_shards(missing, executor))
    assert made == {ahead.path(0), ahead.path(2)}
    assert missing_shards([ahead], 3) == []
    for number in range(3):
        one, other = ahead.shard(number), later.shard(number)
        assert all(np.array_equal(one[name], other[name]) for name in other)


def test_which_labels_a_run_needs(tmp_path: Path) -> None:
    imitate = default_config("hcvrp", "imitate").changed({"sizes": "10-20/2-3"})
    (labels,) = labels_of(imitate, tmp_path)
    assert (labels.config.tasks, labels.config.vehicles) == ((10, 20), (2, 3))
    assert labels_of(default_config("hcvrp", "reinforce"), tmp_path) == []
