from typing import Any

import numpy as np
import pytest
import torch

from geopar.errors import InputError
from geopar.learn.config import default_config
from geopar.learn.data import draw_batch
from geopar.learn.distil import find_teacher
from geopar.learn.geopar_learner import GeoparLearner
from geopar.neural.cards import save_weights
from geopar.paper.config import ASSIGNMENT_VARIANTS, AssignmentConfig, NetworkConfig
from midway import network_for

SMALL: dict[str, Any] = {"width": 32, "heads": 2, "layers": 1, "feedforward": 64}


def student() -> GeoparLearner:
    torch.manual_seed(0)
    plain = AssignmentConfig(**ASSIGNMENT_VARIANTS["plain"])
    return GeoparLearner(NetworkConfig("hcvrp", **SMALL), plain)


def sure_teacher() -> Any:
    """A teacher with opinions of its own, on all customers."""
    teacher = network_for("hcvrp", inserts=False, reach=12)
    torch.nn.init.normal_(teacher.out.weight, std=6.0, generator=torch.Generator().manual_seed(3))
    return teacher


def test_a_student_comes_to_think_as_its_teacher() -> None:
    one, teacher = student(), sure_teacher()
    optimiser = torch.optim.Adam(one.network.parameters(), lr=3e-3)
    batch = draw_batch("hcvrp", (12, 12), (3, 3), 6, np.random.default_rng(1))
    generator = torch.Generator().manual_seed(1)
    found = []
    for _ in range(60):
        optimiser.zero_grad()
        found.append(one.distil(batch, teacher, 2, 6, generator))
        optimiser.step()
    losses = [float(one.loss.detach()) for one in found]
    # Never below zero: the cross-entropy is at least the teacher's own entropy.
    assert min(losses) >= -1e-5
    assert np.mean(losses[-10:]) < 0.6 * np.mean(losses[:10])
    assert found[-1].agreement > found[0].agreement


def test_a_teacher_that_plans_by_other_rules_is_refused(tmp_path) -> None:
    path = tmp_path / "inserting.safetensors"
    save_weights(path, network_for("hcvrp"), {})
    config = default_config("hcvrp", "distil").changed({"teacher": str(path)})
    with pytest.raises(InputError, match="cost least"):
        find_teacher(config)


def test_there_is_no_teacher_for_orders() -> None:
    with pytest.raises(InputError, match="hcvrp alone"):
        default_config("omdcpdp", "distil")
