from pathlib import Path

import pytest
import torch
from geopar.model.solver import WEIGHTS_VARIABLE
from geopar.model.weights import FOLDER_VARIABLE, installed, save_weights

from geopar import solve
from geopar.errors import InputError
from geopar.evaluate import evaluate
from geopar.peers import solver as module
from geopar.peers.registry import make_peer, peer_config
from geopar.peers.solver import PeerSolver
from geopar.problems.random import generate
from geopar.solvers import Request, solvers
from geopar.stop import Budget, MaxRuntime
from peer_laws import SMALL


@pytest.fixture(autouse=True)
def only_these_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setattr("geopar.model.weights.FOLDER", tmp_path / "none")
    monkeypatch.setattr("geopar.model.weights.PEERS_FOLDER", tmp_path / "none")
    monkeypatch.delenv(WEIGHTS_VARIABLE, raising=False)
    torch.manual_seed(0)
    peer = make_peer("am", peer_config("am", "hcvrp", SMALL))
    save_weights(tmp_path / "hcvrp-am.safetensors", peer)
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
    assert list(installed()) == ["hcvrp-am"]


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
        peer = PeerSolver(learner="am", mode="sample", samples=samples)
        network, _ = peer.network(problem)
        costs.append(float(peer.plans(network, [problem], 0, None).objective[0]))
    assert costs[1] < costs[0]
    assert evaluate("hcvrp/8/2", "am", count=3).to_json()["infeasible"] == 0


def test_too_little_time_gives_what_dispatch_gives() -> None:
    outcome = PeerSolver(learner="am")(Request(generate("hcvrp/8/2"), Budget(MaxRuntime(0)), 0))
    assert "too short" in outcome.notes[0]
