import os
from pathlib import Path

import pytest
import torch
from geopar.learn.storage import Table, read_tensors, write_tensors, write_whole


def test_a_table_that_is_resumed_forgets_what_came_after_the_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    table = Table(path, ["step", "cost"], last_step=0)
    for step in (1, 2, 3):
        table.add({"step": step, "cost": 10 - step})
    resumed = Table(path, ["step", "cost"], last_step=2)
    resumed.add({"step": 3, "cost": 5})
    assert path.read_text() == "step,cost\n1,9\n2,8\n3,5\n"


def test_a_line_cut_by_a_kill_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("step,cost\n1,9\n2")
    Table(path, ["step", "cost"], last_step=5)
    assert path.read_text() == "step,cost\n1,9\n"


def test_tensors_come_back(tmp_path: Path) -> None:
    write_tensors(tmp_path / "a.pt", {"x": torch.arange(3), "step": 4})
    stored = read_tensors(tmp_path / "a.pt")
    assert stored["step"] == 4
    assert stored["x"].tolist() == [0, 1, 2]


def test_a_failed_write_leaves_the_old_file_and_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "checkpoint.pt"
    write_whole(path, b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as error:
        write_whole(path, b"new")
    assert error.value.filename == str(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
