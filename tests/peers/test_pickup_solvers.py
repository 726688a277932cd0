from pathlib import Path

import pytest

from geopar import solve
from geopar.errors import InputError
from geopar.model.solver import RANDOM_NOTE, WEIGHTS_VARIABLE
from geopar.model.weights import FOLDER_VARIABLE, save_weights
from geopar.peers import solver as module
from geopar.peers.pickup_solvers import ham, mapdp
from geopar.peers.registry import make_peer, peer_config
from geopar.problems.random import generate
from geopar.solvers import find_solver, solvers
from peer_laws import SMALL


@pytest.fixture(autouse=True)
def only_these_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setattr("geopar.model.weights.FOLDER", tmp_path / "none")
    monkeypatch.setattr("geopar.model.weights.PEERS_FOLDER", tmp_path / "none")
    monkeypatch.delenv(WEIGHTS_VARIABLE, raising=False)
    for vehicles in (2, 3):
        config = peer_config("mapdp", "omdcpdp", SMALL | {"vehicles": vehicles})
        path = tmp_path / f"omdcpdp-mapdp-{vehicles}.safetensors"
        save_weights(path, make_peer("mapdp", config))
    save_weights(
        tmp_path / "omdcpdp-ham.safetensors",
        make_peer("ham", peer_config("ham", "omdcpdp", SMALL)),
    )
    module._load.cache_clear()
    yield
    module._load.cache_clear()


def test_are_listed_for_pickups_and_deliveries() -> None:
    assert find_solver("ham", "omdcpdp").load() is ham
    assert find_solver("mapdp", "omdcpdp").load() is mapdp
    assert not {"ham", "mapdp"} & solvers("hcvrp").keys()


@pytest.mark.parametrize("vehicles", [2, 3])
def test_the_weights_for_the_fleet_are_found(vehicles: int) -> None:
    for solver in ("ham", "mapdp"):
        result = solve(generate(f"omdcpdp/8/{vehicles}"), 20, solver=solver)
        assert result.feasible
        assert result.steps is not None


def test_no_weights_for_the_fleet() -> None:
    with pytest.raises(InputError, match=r"no-weights.*omdcpdp-mapdp-4.*--set sizes=8/4"):
        solve(generate("omdcpdp/8/4"), 1, solver="mapdp")


def test_weights_for_another_fleet(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("GEOPAR_MAPDP_WEIGHTS", str(tmp_path / "omdcpdp-mapdp-2.safetensors"))
    with pytest.raises(InputError, match="wrong-fleet"):
        solve(generate("omdcpdp/8/3"), 1, solver="mapdp")


def test_random_weights_fit_any_fleet(monkeypatch) -> None:
    monkeypatch.setenv("GEOPAR_MAPDP_WEIGHTS", "random")
    assert solve(generate("omdcpdp/8/4"), 20, solver="mapdp").notes == (RANDOM_NOTE,)


def test_the_wrong_problem_is_refused() -> None:
    for solver in ("ham", "mapdp"):
        with pytest.raises(InputError, match="wrong-problem"):
            solve(generate("hcvrp/8/2"), 1, solver=solver)
    with pytest.raises(InputError, match="wrong-problem"):
        mapdp.network(generate("hcvrp/8/2"))
