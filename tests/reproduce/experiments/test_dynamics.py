from pathlib import Path
from typing import Any

import pytest

from geopar.errors import InputError
from geopar.neural.cards import save_weights
from geopar.paper.config import NetworkConfig
from geopar.paper.policy import Policy
from geopar.peers.parco import Parco, ParcoConfig
from geopar.reproduce.experiment import Context
from geopar.reproduce.experiments.dynamics import lines, published
from geopar.reproduce.scale import QUICK

SMALL: dict[str, Any] = {"width": 16, "heads": 2, "layers": 1, "feedforward": 16}


def test_a_line_for_every_snapshot_and_the_ends(tmp_path: Path) -> None:
    folder = tmp_path / "snapshots"
    save_weights(folder / "00000100.safetensors", Policy.untrained(NetworkConfig("hcvrp", **SMALL)))
    save_weights(folder / "00000200.safetensors", Parco(ParcoConfig("hcvrp", **SMALL)))
    found = [line.method for line in lines(Context(QUICK, runs=(tmp_path,)))]
    assert found == [
        "GeoPAR after 100 updates", "PARCO after 200 updates",
        "GeoPAR, installed weights", "PARCO, installed weights",
        "GeoPAR after 10 epochs", "PARCO after 10 epochs",
    ]  # fmt: skip


def test_beside_the_installed_weights_stands_the_papers_last_epoch() -> None:
    found = published()
    assert found["hcvrp/1000/20", "GeoPAR, installed weights"] == {
        "objective": 13.686, "steps": 125.6,
    }  # fmt: skip
    assert found["hcvrp/1000/20", "PARCO after 10 epochs"] == {"steps": 407.5}


def test_without_runs_only_the_ends_are_there_and_it_is_said() -> None:
    found = lines(Context(QUICK))
    assert len([line for line in found if line.subject is not None]) == 2
    assert all("no run was named" in line.note for line in found[:2])


def test_a_folder_without_snapshots(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no-weights"):
        lines(Context(QUICK, runs=(tmp_path,)))


def test_snapshots_of_another_problem(tmp_path: Path) -> None:
    policy = Policy.untrained(NetworkConfig("omdcpdp", **SMALL))
    save_weights(tmp_path / "snapshots" / "00000100.safetensors", policy)
    with pytest.raises(InputError, match="other-network"):
        lines(Context(QUICK, runs=(tmp_path,)))
