from pathlib import Path

import torch

from geopar.learn.config import default_config
from geopar.learn.open_run import open_run
from geopar.testing.killed_training import ROLLOUTS, TINY, compare, differing


def test_what_differs_is_named_and_time_does_not_count():
    one = {"network": {"a": torch.zeros(2)}, "count": {"step": 3, "seconds": 1.0}, "list": [1, 2]}
    counted = {"step": 3, "seconds": 9.0}
    weights = torch.zeros(2)
    other = {"network": {"a": weights}, "count": counted, "list": [1, 2]}
    assert [*differing(one, other)] == []
    weights[1] = -0.0  # equal, and yet another bit
    counted["step"] = 4
    other["list"] = [1]
    assert sorted(differing(one, other)) == [".count.step", ".list", ".network.a"]
    assert [*differing({"a": 1}, {})] == [".a"]


def test_a_run_that_was_not_killed_is_the_same(tmp_path: Path):
    config = default_config("hcvrp", "reinforce").changed(TINY | ROLLOUTS | {"epochs": "4"})
    open_run(config, tmp_path / "run", tmp_path / "labels").train()
    updates, found = compare(tmp_path / "run", tmp_path / "whole", tmp_path / "labels")
    assert updates == 8
    assert found == []


def test_a_run_that_kept_nothing_is_told(tmp_path: Path):
    assert compare(tmp_path / "run", tmp_path / "whole", tmp_path)[1] == ["it has kept nothing"]
