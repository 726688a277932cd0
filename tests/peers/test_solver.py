from pathlib import Path

import pytest
import torch

from geopar import solve
from geopar.errors import InputError
from geopar.evaluate import evaluate
from geopar.neural.cards import FOLDER_VARIABLE, installed, save_weights
from geopar.neural.one_pass import RANDOM_NOTE, WEIGHTS_VARIABLE
from geopar.peers import solver as module
from geopar.peers.am import AMConfig, AttentionModel
from geopar.peers.ham import HAM
from geopar.peers.mapdp import MAPDP, MAPDPConfig
from geopar.peers.solver import PeerSolver
from geopar.problems.random import generate
from geopar.solver import Request, find_solver, solvers
from geopar.stop import Budget, MaxRuntime
from peer_laws import SMALL


@pytest.fixture(autouse=True)
def only_these_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setattr("geopar.neural.cards.FOLDER", tmp_path / "none")
    monkeypatch.setattr("geopar.neural.cards.PEERS_FOLDER", tmp_path / "none")
    monkeypatch.delenv(WEIGHTS_VARIABLE, raising=False)
    torch.manual_seed(0)
    peer = AttentionModel(AMConfig("hcvrp", **SMALL))
    save_weights(tmp_path / "hcvrp-am.safetensors", peer)
    for vehicles in (2, 3):
        config = MAPDPConfig("omdcpdp", **SMALL, vehicles=vehicles)
        path = tmp_path / f"omdcpdp-mapdp-{vehicles}.safetensors"
        save_weights(path, MAPDP(config))
    ham = HAM(HAM.Config("omdcpdp", **SMALL))
    save_weights(tmp_path / "omdcpdp-ham.safetensors", ham)
    module._load.cache_clear()
    yield
    module._load.cache_clear()


def test_peers_are_listed_for_their_problems() -> None:
    assert {"parco", "am", "2d-ptr", "dpn"} <= solvers("hcvrp").keys()
    assert "parco" in solvers("omdcpdp")
    assert not {"am", "2d-ptr", "dpn"} & solvers("omdcpdp").keys()


def test_a_peer_solves_with_the_weights_of_its_name() -> None:
    result = solve(generate("hcvrp/8/2"), 5, solver="am")
    assert result.feasible
    assert result.steps is not None
    assert result.steps >= 8
    assert list(installed("hcvrp")) == ["hcvrp-am"]


def test_without_weights_the_message_says_how_to_get_some(monkeypatch) -> None:
    problem = generate("hcvrp/8/2")
    with pytest.raises(InputError, match=r"no-weights.*geopar train hcvrp --model dpn"):
        solve(problem, 1, solver="dpn")
    monkeypatch.setenv("GEOPAR_DPN_WEIGHTS", "random")
    result = solve(problem, 5, solver="dpn")
    assert result.notes == ("random weights: the network has learned nothing",)


def test_weights_of_another_are_refused(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("GEOPAR_2D_PTR_WEIGHTS", str(tmp_path / "hcvrp-am.safetensors"))
    with pytest.raises(InputError, match=r"other-network.*am, not to 2d-ptr"):
        solve(generate("hcvrp/8/2"), 1, solver="2d-ptr")


def test_the_wrong_problem_is_refused() -> None:
    with pytest.raises(InputError, match="wrong-problem"):
        solve(generate("omdcpdp/8/2"), 1, solver="am")


def test_more_samples_are_no_worse_and_evaluate_takes_batches() -> None:
    problem = generate("hcvrp/8/2")
    costs = []
    for samples in (1, 16):
        peer = PeerSolver(peer=AttentionModel, mode="sample", samples=samples)
        network, _ = peer.network(problem)
        costs.append(float(peer.plans(network, [problem], 0, None).objective[0]))
    assert costs[1] < costs[0]
    assert evaluate("hcvrp/8/2", "am", count=3).to_json()["infeasible"] == 0


def test_too_little_time_gives_what_dispatch_gives() -> None:
    outcome = PeerSolver(peer=AttentionModel)(
        Request(generate("hcvrp/8/2"), Budget(MaxRuntime(0)), 0)
    )
    assert "too short" in outcome.notes[0]


@pytest.mark.parametrize("setting", ["hcvrp/8/2", "omdcpdp/8/2"])
def test_parco_solves_both_problems(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEOPAR_PARCO_WEIGHTS", "random")
    result = solve(generate(setting), 20, solver="parco")
    assert result.feasible
    assert result.steps is not None
    assert result.notes == (RANDOM_NOTE,)


def test_are_listed_for_pickups_and_deliveries() -> None:
    assert find_solver("ham", "omdcpdp").load() == PeerSolver(peer=HAM)
    assert find_solver("mapdp", "omdcpdp").load() == PeerSolver(peer=MAPDP)
    assert not {"ham", "mapdp"} & solvers("hcvrp").keys()


@pytest.mark.parametrize("vehicles", [2, 3])
def test_the_weights_for_the_fleet_are_found(vehicles: int) -> None:
    for solver in ("ham", "mapdp"):
        result = solve(generate(f"omdcpdp/8/{vehicles}"), 20, solver=solver)
        assert result.feasible
        assert result.steps is not None


def test_no_weights_for_the_fleet() -> None:
    with pytest.raises(InputError, match=r"no-weights.*mapdp-4.*--set sizes=8/4"):
        solve(generate("omdcpdp/8/4"), 1, solver="mapdp")


def test_weights_for_another_fleet(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("GEOPAR_MAPDP_WEIGHTS", str(tmp_path / "omdcpdp-mapdp-2.safetensors"))
    with pytest.raises(InputError, match="wrong-fleet"):
        solve(generate("omdcpdp/8/3"), 1, solver="mapdp")


def test_random_weights_fit_any_fleet(monkeypatch) -> None:
    monkeypatch.setenv("GEOPAR_MAPDP_WEIGHTS", "random")
    assert solve(generate("omdcpdp/8/4"), 20, solver="mapdp").notes == (RANDOM_NOTE,)


def test_pickups_are_for_one_problem_alone() -> None:
    for solver in ("ham", "mapdp"):
        with pytest.raises(InputError, match="wrong-problem"):
            solve(generate("hcvrp/8/2"), 1, solver=solver)
    with pytest.raises(InputError, match="wrong-problem"):
        PeerSolver(peer=MAPDP).network(generate("hcvrp/8/2"))
