import dataclasses
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from geopar.errors import InputError
from geopar.learn import open_run as open_run_module
from geopar.learn import run as run_module
from geopar.learn.checkpoint import read_tensors, write_tensors
from geopar.learn.config import TrainConfig, default_config
from geopar.learn.open_run import check_space, open_run, stored_config
from geopar.learn.run import CHECKPOINT, NotFiniteError, Progress, Run
from geopar.neural.cards import read_card
from geopar.paper.policy import Policy

TINY = {
    "model.width": "8",
    "model.heads": "2",
    "model.layers": "1",
    "model.feedforward": "8",
    "monitor": "mean",
    "sizes": "8-10/2-3",
    "batch_size": "4",
    "epoch_size": "8",
    "epochs": "4",
    "milestones": "2",
    "label_shards": "2",
    "label_iterations": "5",
    "validation": "8/2",
    "validation_count": "4",
    "validate_every": "4",
}


def tiny(method: Any = "reinforce", **changes: str) -> TrainConfig:
    small = TINY if method == "imitate" else TINY | {"augmentations": "2", "samples": "2"}
    return default_config("hcvrp", method).changed(small | changes)


def final_state(folder: Path) -> dict[str, Any]:
    stored = read_tensors(folder / CHECKPOINT)
    # How long it took is the one thing that may differ.
    stored["count"] = {k: v for k, v in stored["count"].items() if not k.endswith("seconds")}
    return dict(stored)


def assert_same(a: Any, b: Any) -> None:
    if isinstance(a, torch.Tensor):
        assert torch.equal(a, b)
    elif isinstance(a, dict):
        assert a.keys() == b.keys()
        for key in a:
            assert_same(a[key], b[key])
    elif isinstance(a, list | tuple):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            assert_same(x, y)
    else:
        assert a == b


def rows_without_time(path: Path) -> list[list[str]]:
    rows = [line.split(",") for line in path.read_text().splitlines()]
    timed = [i for i, name in enumerate(rows[0]) if name in ("seconds", "rate")]
    return [[cell for i, cell in enumerate(row) if i not in timed] for row in rows]


class StopError(Exception):
    """Stands for a kill."""


@pytest.mark.parametrize(
    ("method", "changes"),
    [("imitate", {}), ("reinforce", {}), ("reinforce", {"averaging": "0.9", "samples": "3"})],
)
def test_a_resumed_run_repeats_the_uninterrupted_one_bit_by_bit(
    tmp_path: Path, method: str, changes: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_module, "LOG_EVERY", 3)
    monkeypatch.setattr(run_module, "CHECKPOINT_SECONDS", -1.0)
    config = tiny(method, teacher_weight="0.1", **changes)
    whole, parts, labels = tmp_path / "whole", tmp_path / "parts", tmp_path / "labels"
    open_run(config, whole, labels).train()

    def killed_at(step: int) -> Any:
        def tell(told: Progress) -> None:
            if told.step >= step:
                raise StopError

        return tell

    for resume, last in ((False, 4), (True, 6)):
        with pytest.raises(StopError):
            open_run(config, parts, labels, resume=resume).train(tell=killed_at(last))
    open_run(config, parts, labels, resume=True).train()
    assert_same(final_state(parts), final_state(whole))
    for name in ("log.csv", "validation.csv"):
        assert rows_without_time(parts / name) == rows_without_time(whole / name)


def test_kill_9_leaves_a_run_that_can_be_resumed(tmp_path: Path) -> None:
    script = tmp_path / "forever.py"
    script.write_text(
        "import sys, json\n"
        "from pathlib import Path\n"
        "from geopar.learn import open_run, run\n"
        "from geopar.learn.config import TrainConfig\n"
        "run.CHECKPOINT_SECONDS = 0.0\n"
        "config = TrainConfig.from_json(json.loads(sys.argv[1]))\n"
        "folder = Path(sys.argv[2])\n"
        "open_run.open_run(config, folder, folder.parent / 'labels').train()\n"
    )
    config, folder = tiny(epochs="100000"), tmp_path / "run"
    import json

    arguments = [sys.executable, str(script), json.dumps(config.to_json()), str(folder)]
    process = subprocess.Popen(arguments)
    while process.poll() is None:
        log = folder / "log.csv"
        if log.exists() and len(log.read_text().splitlines()) > 2:
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    resumed = open_run(config, folder, tmp_path / "labels", resume=True)
    assert resumed.step >= 10
    resumed.update()


def test_the_best_weights_can_be_loaded_and_say_where_they_are_from(tmp_path: Path) -> None:
    open_run(tiny("imitate"), tmp_path / "first", tmp_path / "labels").train()
    second = open_run(
        tiny(), tmp_path / "second", tmp_path / "labels", start=str(tmp_path / "first")
    )
    best = tmp_path / "first" / "best.safetensors"
    stored = Policy.load("hcvrp", str(best)).state_dict()
    assert_same(dict(stored), dict(second.learner.network.state_dict()))
    second.train()
    card = read_card(tmp_path / "second" / "best.safetensors")
    assert card.training["settings"]["method"] == "reinforce"
    assert card.training["after"]["settings"]["method"] == "imitate"
    assert card.training["most_tasks_seen"] == 10
    assert card.validation["8/2"]["objective"] > 0.0


def test_minutes_end_a_run_early_and_it_goes_on_later(tmp_path: Path) -> None:
    config = tiny(epochs="100000")
    run = open_run(config, tmp_path / "run", tmp_path / "labels")
    run.train(minutes=1e-9)
    assert run.step == 1
    assert read_card(tmp_path / "run" / "best.safetensors").training["updates"] == 1
    assert open_run(config, tmp_path / "run", tmp_path / "labels", resume=True).step == 1


def code(error: pytest.ExceptionInfo[InputError]) -> str:
    return error.value.faults[0].code


def test_a_run_is_never_overwritten(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    open_run(tiny(), folder, tmp_path)
    before = (folder / CHECKPOINT).read_bytes()
    with pytest.raises(InputError) as error:
        open_run(tiny(), folder, tmp_path)
    assert code(error) == "run-exists"
    assert (folder / CHECKPOINT).read_bytes() == before


def test_a_run_of_another_configuration_is_not_resumed(tmp_path: Path) -> None:
    open_run(tiny(), tmp_path / "run", tmp_path)
    with pytest.raises(InputError, match="seed") as error:
        open_run(tiny(seed="9"), tmp_path / "run", tmp_path, resume=True)
    assert code(error) == "other-run"


def test_there_must_be_something_to_resume(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        open_run(tiny(), tmp_path / "none", tmp_path, resume=True)
    assert code(error) == "no-checkpoint"
    assert stored_config(tmp_path / "none") is None
    assert not (tmp_path / "none").exists()


def test_a_damaged_checkpoint_is_told(tmp_path: Path) -> None:
    open_run(tiny(), tmp_path / "run", tmp_path)
    (tmp_path / "run" / CHECKPOINT).write_bytes(b"nonsense")
    with pytest.raises(InputError) as error:
        open_run(tiny(), tmp_path / "run", tmp_path, resume=True)
    assert code(error) == "bad-checkpoint"


def test_a_checkpoint_of_an_older_network_is_told(tmp_path: Path) -> None:
    open_run(tiny(), tmp_path / "run", tmp_path)
    path = tmp_path / "run" / CHECKPOINT
    stored = read_tensors(path)
    name = "decoder.query_agent.weight"
    # One feature less, as before the network was told of it.
    stored["network"][name] = stored["network"][name][:, 1:]
    write_tensors(path, stored)
    with pytest.raises(InputError, match=r"begin a new run with --from") as error:
        open_run(tiny(), tmp_path / "run", tmp_path, resume=True)
    assert code(error) == "wrong-version"


def test_another_network_is_no_start(tmp_path: Path) -> None:
    open_run(tiny("imitate"), tmp_path / "run", tmp_path / "labels").train()
    with pytest.raises(InputError) as error:
        open_run(
            tiny("imitate", **{"model.layers": "2"}), tmp_path / "other", tmp_path,
            start=str(tmp_path / "run"),
        )  # fmt: skip
    assert code(error) == "other-network"
    assert not (tmp_path / "other").exists()


def test_a_folder_whose_checkpoint_is_missing_can_be_begun_again(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    open_run(tiny(), folder, tmp_path)
    (folder / CHECKPOINT).unlink()
    assert open_run(tiny(), folder, tmp_path).step == 0
    assert (folder / CHECKPOINT).exists()


def test_a_gradient_that_is_not_finite_ends_the_run_and_keeps_the_weights(tmp_path: Path) -> None:
    run = open_run(tiny(), tmp_path / "run", tmp_path)
    run.update()
    before = {n: t.clone() for n, t in run.learner.network.state_dict().items()}
    gate = run.learner.network.encoder.branch.gate
    gate.register_hook(lambda grad: grad * float("nan"))
    with pytest.raises(NotFiniteError, match="update 2"):
        run.train()
    assert_same(dict(run.learner.network.state_dict()), before)
    assert_same(dict(read_tensors(tmp_path / "run" / CHECKPOINT)["network"]), before)


def test_snapshots_are_kept_every_so_many_updates(tmp_path: Path) -> None:
    open_run(tiny(snapshot_every="3"), tmp_path / "run", tmp_path).train()
    kept = sorted(path.stem for path in (tmp_path / "run" / "snapshots").glob("*.safetensors"))
    assert kept == ["00000003", "00000006"]
    assert (
        read_card(tmp_path / "run" / "snapshots" / "00000003.safetensors").training["updates"] == 3
    )


def test_making_a_run_changes_nothing_outside_of_it(tmp_path: Path) -> None:
    threads = torch.get_num_threads()
    torch.manual_seed(3)
    expected = torch.rand(3)
    torch.manual_seed(3)
    open_run(tiny(threads="7"), tmp_path / "run", tmp_path)
    assert torch.equal(torch.rand(3), expected)
    assert torch.get_num_threads() == threads


def test_a_full_disk_is_found_before_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_space(tmp_path / "not" / "yet")
    monkeypatch.setattr(open_run_module, "LEAST_SPACE", 10**18)
    with pytest.raises(InputError) as error:
        check_space(tmp_path / "not" / "yet")
    assert code(error) == "full-disk"


def test_a_resumed_run_decodes_as_the_weights_that_it_began_with(tmp_path: Path) -> None:
    run = Run(tiny(), tmp_path, tmp_path / "labels")
    decoding = run.learner.network.decoding
    other = next(mode for mode in ("ca", "greedy") if mode != decoding.mode)
    run.learner.network.decoding = dataclasses.replace(decoding, mode=other)
    run.save()
    resumed = Run(tiny(), tmp_path, tmp_path / "labels")
    resumed.load()
    assert resumed.learner.network.decoding == run.learner.network.decoding
