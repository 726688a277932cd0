import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

import instances
from geopar.errors import InputError
from geopar.neural.cards import save_weights
from geopar.paper.config import NetworkConfig, parco_config
from geopar.paper.policy import Policy
from geopar.peers.parco import Parco, ParcoConfig
from geopar.reproduce import subjects
from geopar.reproduce.experiment import Context
from geopar.reproduce.scale import QUICK
from geopar.reproduce.subjects import (
    Search,
    fingerprint,
    geopar,
    is_installed,
    of_paper,
    parco_with_assignment,
    peer,
)

SMALL: dict[str, Any] = {"width": 16, "heads": 2, "layers": 1, "feedforward": 16}
SET = "hcvrp/12/3"
CONTEXT = Context(dataclasses.replace(QUICK, instances=((10**9, 2),), searched=((10**9, 1),)))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Small weights of the user's own for both problems and for PARCO."""
    monkeypatch.setenv("GEOPAR_WEIGHTS_FOLDER", str(tmp_path))
    for kind in ("hcvrp", "omdcpdp"):
        policy = Policy.untrained(NetworkConfig(kind, **SMALL))
        save_weights(tmp_path / f"{kind}-geopar.safetensors", policy)
    save_weights(tmp_path / "hcvrp-parco.safetensors", Parco(ParcoConfig("hcvrp", **SMALL)))
    return tmp_path


def test_the_papers_network_and_what_is_set_at_decoding(folder: Path) -> None:
    plain = geopar("hcvrp")
    changed = geopar("hcvrp", mode="ca-always", variant="geopool", model={"directions": 2})
    assert plain.key == "geopar mode=greedy"
    assert changed.key == "geopar mode=ca-always assignment=geopool model.directions=2"
    assert changed.weights == plain.weights == fingerprint("hcvrp", "geopar")
    for subject in (plain, changed):
        found = subject.measure(SET, CONTEXT)
        assert found.values["instances"] == 2
        assert found.values["steps"] >= 4


def test_a_file_counts_for_its_own_problem(folder: Path) -> None:
    path = str(folder / "hcvrp-geopar.safetensors")
    assert of_paper("hcvrp", path)[0] == path
    assert of_paper("omdcpdp", path)[0] == "geopar"


def test_weights_of_another_network_do_not_fit(folder: Path) -> None:
    with pytest.raises(InputError, match="other-network"):
        geopar("hcvrp", "parco")


def test_peers(folder: Path) -> None:
    found = peer("hcvrp", "parco").measure(SET, CONTEXT)
    assert found.values["instances"] == 2
    with pytest.raises(InputError, match="no-weights"):
        peer("omdcpdp", "mapdp", 123)


def test_other_weights_are_another_measurement(folder: Path) -> None:
    before = peer("hcvrp", "parco").weights
    card = json.loads((folder / "hcvrp-parco.json").read_text())
    (folder / "hcvrp-parco.json").write_text(json.dumps(card | {"sha256": "0" * 64}))
    assert peer("hcvrp", "parco").weights != before


def test_parco_by_the_papers_decoding(folder: Path) -> None:
    lent = parco_with_assignment("hcvrp")
    assert "full-without-cache" in lent.key
    assert lent.make().network(instances.handful())[0].config == parco_config("hcvrp", **SMALL)
    assert lent.measure(SET, CONTEXT).values["instances"] == 2


@pytest.mark.parametrize("solver", ["sisr", "ga", "sa"])
def test_searches_get_a_part_of_their_budget(solver: str) -> None:
    search = Search(solver, 0.001)
    assert "0.001" in search.key
    found = search.measure("hcvrp/5/2", CONTEXT)
    assert found.values["instances"] == 1
    assert solver in found.note  # how much of the budget it was


def test_ortools_gets_a_part_of_the_papers_seconds(monkeypatch) -> None:
    monkeypatch.setattr(subjects, "LEAST_ORTOOLS_SECONDS", 0.1)
    found = Search("ortools-span", 0.005).measure("omdcpdp/6/2", CONTEXT)
    assert found.values["objective"] > 0


def test_what_is_installed(folder: Path) -> None:
    assert is_installed("hcvrp", "geopar")
    assert not is_installed("hcvrp", "geopar-q3")
