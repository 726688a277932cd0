from pathlib import Path

import pytest
import torch

from geopar.errors import InputError
from geopar.learn.checkpoint import (
    Table,
    read_checkpoint,
    read_json,
    read_tensors,
    write_tensors,
)


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
    assert list(tmp_path.iterdir()) == [path]


def test_tensors_come_back(tmp_path: Path) -> None:
    write_tensors(tmp_path / "a.pt", {"x": torch.arange(3), "step": 4})
    stored = read_tensors(tmp_path / "a.pt")
    assert stored["step"] == 4
    assert stored["x"].tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("damaged", "whole"),
    [
        (b"step,cost\n1,9\n\xff\xfe,3\n", "1,9\n"),
        (b"step,cost\n1,9\n\0\0\0\n3,7\n", "1,9\n3,7\n"),
        (b"step,cost\n1,9\n" + b"x" * 200_000 + b"\n3,7\n", "1,9\n"),
        (b"\xff\xfe\n1,9\n", ""),
        (b"\0" * 100, ""),
    ],
)
def test_what_is_whole_of_a_damaged_log_goes_on_and_nothing_is_thrown_away(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, damaged: bytes, whole: str
) -> None:
    path = tmp_path / "log.csv"
    path.write_bytes(damaged)
    Table(path, ["step", "cost"], last_step=5)
    assert path.read_text() == f"step,cost\n{whole}"
    assert (tmp_path / "log.damaged.csv").read_bytes() == damaged
    assert "log.damaged.csv" in caplog.text


@pytest.mark.parametrize("text", ["", "{", "nonsense"])
def test_a_damaged_configuration_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.json"
    path.write_text(text)
    with pytest.raises(InputError):
        read_json(path)


def whole(**changes: object) -> dict[str, object]:
    network = {"w": torch.zeros(2, 3)}
    return {"network": network, "optimiser": {}, "learner": {}, "count": {}} | changes


SHAPES = {"w": torch.Size((2, 3))}


def test_a_checkpoint_comes_back(tmp_path: Path) -> None:
    write_tensors(tmp_path / "c.pt", whole())
    assert read_checkpoint(tmp_path / "c.pt", SHAPES)["network"]["w"].shape == (2, 3)


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ([1, 2], "bad-checkpoint"),
        ({"network": {}}, "bad-checkpoint"),
        (whole(count=3), "bad-checkpoint"),
        (whole(network={"w": torch.zeros(2, 2)}), "wrong-version"),
        (whole(network={"v": torch.zeros(2, 3)}), "wrong-version"),
        (whole(network={"w": torch.full((2, 3), float("nan"))}), "bad-checkpoint"),
    ],
)
def test_what_is_no_checkpoint_of_this_network_is_refused(
    tmp_path: Path, value: object, code: str
) -> None:
    write_tensors(tmp_path / "c.pt", value)
    with pytest.raises(InputError) as error:
        read_checkpoint(tmp_path / "c.pt", SHAPES)
    assert error.value.faults[0].code == code
