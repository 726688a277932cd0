from pathlib import Path
from typing import Any

import pytest
import torch

from geopar.errors import InputError
from geopar.learn import run as run_module
from geopar.learn.checkpoint import read_tensors
from geopar.learn.config import TrainConfig, default_config
from geopar.learn.open_run import open_run
from geopar.learn.run import CHECKPOINT, Progress
from geopar.neural.cards import read_card
from geopar.paper.policy import Policy
from geopar.peers.registry import peer_class

TINY = {
    "model.width": "8", "model.heads": "2", "model.layers": "1", "model.feedforward": "8",
    "sizes": "5/2", "batch_size": "4", "epoch_size": "8", "epochs": "4", "milestones": "2",
    "baseline_instances": "8", "validation": "5/2", "validation_count": "4",
    "validate_every": "4", "monitor": "mean",
}  # fmt: skip


def tiny(learner: str, **changes: str) -> TrainConfig:
    own = {"dpn": {"samples": "3"}, "parco": {"augmentations": "2"}}.get(learner, {})
    return default_config("hcvrp", "reinforce", learner).changed(TINY | own | changes)


class StopError(Exception):
    """Stands for a kill."""


def same(a: Any, b: Any) -> bool:
    if isinstance(a, torch.Tensor):
        return torch.equal(a, b)
    if isinstance(a, dict):
        timed = {"seconds", "cpu_seconds"}
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a.keys() - timed)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


@pytest.mark.parametrize("learner", ["am", "dpn"])
def test_a_resumed_run_repeats_the_uninterrupted_one_bit_by_bit(
    tmp_path: Path, learner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_module, "LOG_EVERY", 1)
    monkeypatch.setattr(run_module, "CHECKPOINT_SECONDS", -1.0)
    config, labels = tiny(learner), tmp_path / "labels"
    open_run(config, tmp_path / "whole", labels).train()

    def killed(told: Progress) -> None:
        if told.step >= 5:
            raise StopError

    with pytest.raises(StopError):
        open_run(config, tmp_path / "parts", labels).train(tell=killed)
    open_run(config, tmp_path / "parts", labels, resume=True).train()
    one, other = (read_tensors(tmp_path / name / CHECKPOINT) for name in ("whole", "parts"))
    assert one["count"]["step"] == 8
    assert same(one, other)
    # A peer needs no labels.
    assert not labels.exists()


def test_the_best_weights_have_a_card_and_begin_another_run(tmp_path: Path) -> None:
    run = open_run(tiny("am"), tmp_path / "first", tmp_path / "labels")
    run.train()
    best = tmp_path / "first" / "best.safetensors"
    card = read_card(best)
    assert card.learner == "am"
    assert card.training["settings"]["baseline"] == "greedy"
    assert card.training["most_tasks_seen"] == 5
    found = peer_class("am", "hcvrp").load("hcvrp", str(best))
    second = open_run(
        tiny("am"), tmp_path / "second", tmp_path / "labels", start=str(tmp_path / "first")
    )
    assert same(second.learner.network.state_dict(), found.state_dict())
    for wrong in (
        lambda: Policy.load("hcvrp", str(best)),
        lambda: peer_class("dpn", "hcvrp").load("hcvrp", str(best)),
    ):
        with pytest.raises(InputError, match="other-network"):
            wrong()


def test_processor_time_is_counted_over_all_parts(tmp_path: Path) -> None:
    run = open_run(tiny("dpn"), tmp_path / "run", tmp_path / "labels")
    run.train(cpu_minutes=1e-9)
    assert run.step == 1
    assert run.count.cpu_seconds > 0.0
    again = open_run(tiny("dpn"), tmp_path / "run", tmp_path / "labels", resume=True)
    assert again.count.cpu_seconds == run.count.cpu_seconds
    again.train(cpu_minutes=1e-9)
    assert again.step == 2
    assert again.history()["cpu_hours"] >= 0.0


@pytest.mark.parametrize(
    ("learner", "changes", "code"),
    [
        ("am", {"scored_rollouts": "0.5"}, "not-for-learner"),
        ("am", {"baseline": "shared", "augmentations": "1"}, "out-of-range"),
        ("am", {"baseline": "wild"}, "unknown-value"),
        ("geopar", {"baseline": "greedy"}, "unknown-value"),
        ("geopar", {"learner": "nobody"}, "unknown-value"),
    ],
)
def test_settings_that_make_no_sense_are_told(learner: str, changes: Any, code: str) -> None:
    with pytest.raises(InputError, match=code):
        default_config("hcvrp", "reinforce", learner).changed(changes)


@pytest.mark.parametrize("learner", ["am", "2d-ptr"])
def test_peers_with_a_greedy_baseline_roll_out_once(learner: str) -> None:
    config = default_config("hcvrp", "reinforce", learner)
    assert (config.baseline, config.augmentations, config.samples) == ("greedy", 1, 1)


def test_a_peer_of_the_other_problem_is_refused() -> None:
    with pytest.raises(InputError, match="unknown-value"):
        default_config("omdcpdp", "reinforce", "am")
