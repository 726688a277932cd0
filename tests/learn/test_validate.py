import math
from typing import Any

import pytest
import torch

from geopar.learn import validate as module
from geopar.learn.data import fixed_batch
from geopar.learn.learner import Decoded
from geopar.learn.validate import VALIDATION_SEED, validate
from geopar.problems.batch import Batch
from geopar.problems.setting import Setting


class Counting:
    """Decodes instances into numbers that can be foreseen."""

    def __init__(self) -> None:
        self.network = torch.nn.Linear(1, 1).train()
        self.sizes: list[int] = []

    def decode(self, batch: Batch) -> Decoded:
        assert not self.network.training
        self.sizes.append(batch.size)
        return Decoded(batch.scale * 10.0, torch.full((batch.size,), 4))


def validated(setting: str, count: int) -> tuple[Any, Counting]:
    learner: Any = Counting()
    return validate(learner, Setting.parse(setting), count), learner


def test_means_over_the_fixed_instances() -> None:
    found, learner = validated("hcvrp/6/2", 5)
    batch = fixed_batch(Setting("hcvrp", 6, 2), 5, VALIDATION_SEED)
    bounds = batch.lower_bounds()
    assert bounds is not None
    assert found.objective == pytest.approx(float(batch.scale.mean()) * 10.0)
    assert found.steps == 4.0
    assert found.ratio == pytest.approx(float((batch.scale * 10.0 / bounds).mean()))
    assert learner.network.training


def test_few_at_once_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, _ = validated("hcvrp/6/2", 5)
    monkeypatch.setattr(module, "MOST_TASKS_AT_ONCE", 13)
    parts, learner = validated("hcvrp/6/2", 5)
    assert learner.sizes == [2, 2, 1]
    assert parts == pytest.approx(whole)


def test_without_a_bound_there_is_no_ratio() -> None:
    assert math.isnan(validated("omdcpdp/6/2", 3)[0].ratio)
