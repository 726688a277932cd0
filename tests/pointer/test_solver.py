import pytest
import torch
from hypothesis import given, settings

from geopar import solve
from geopar.checking import check
from geopar.errors import InputError
from geopar.evaluate import evaluate
from geopar.neural.cards import FOLDER_VARIABLE, save_weights
from geopar.neural.one_pass import WEIGHTS_VARIABLE
from geopar.pointer import solver as module
from geopar.pointer.config import PointerDecoding
from geopar.pointer.solver import PointerSolver, construct
from geopar.problems import HCVRP, OMDCPDP
from geopar.problems.random import generate
from geopar.stop import Budget, MaxRuntime, OutOfTimeError
from midway import network_for
from strategies import problems

NETWORKS = {kind: network_for(kind) for kind in ("hcvrp", "omdcpdp")}


@pytest.fixture
def only_these_weights(tmp_path, monkeypatch):
    """A small random network under the usual name, and no others."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setattr("geopar.neural.cards.FOLDER", tmp_path / "none")
    monkeypatch.setattr("geopar.neural.cards.PEERS_FOLDER", tmp_path / "none")
    monkeypatch.delenv(WEIGHTS_VARIABLE, raising=False)
    save_weights(tmp_path / "hcvrp-pointer.safetensors", NETWORKS["hcvrp"])
    module._load.cache_clear()
    yield
    module._load.cache_clear()


@pytest.mark.usefixtures("only_these_weights")
def test_it_is_a_solver():
    result = solve(generate("hcvrp/12/3"), 5, solver="pointer")
    assert result.feasible
    assert result.steps is not None
    assert not result.notes
    assert result.trace is None


@pytest.mark.usefixtures("only_these_weights")
def test_no_weights_is_an_error_and_random_ones_must_be_asked_for(monkeypatch):
    problem = generate("omdcpdp/8/2")
    with pytest.raises(InputError, match="no-weights"):
        solve(problem, 1, solver="pointer")
    monkeypatch.setenv(WEIGHTS_VARIABLE, "random")
    result = solve(problem, 5, solver="pointer")
    assert result.notes == ("random weights: the network has learned nothing",)


@pytest.mark.usefixtures("only_these_weights")
def test_evaluate_takes_batches():
    summary = evaluate("hcvrp/10/2", "pointer", count=5).to_json()
    assert summary["count"] == 5
    assert summary["infeasible"] == 0
    assert summary["steps"] >= 5


@pytest.mark.usefixtures("only_these_weights")
def test_a_trace_comes_back_when_asked_for():
    result = solve(generate("hcvrp/12/3"), 5, solver="pointer", trace=True)
    assert len(result.trace.steps) == result.steps


def test_it_is_for_cpus():
    solver = PointerSolver()
    assert solver.to("cpu") is solver
    with pytest.raises(InputError, match="bad-device"):
        solver.to("cuda")


@settings(max_examples=30, deadline=None)
@given(problems())
def test_any_problem_is_planned(problem):
    assert check(problem, construct([problem], NETWORKS[problem.kind]).plans[0]).feasible


EXTREMES = [
    HCVRP((0, 0), [(1, 1)], [1], [1], [1]),
    HCVRP((5, 5), [(5, 5)] * 9, [1] * 9, [3, 3], [1, 2]),
    HCVRP((0, 0), [(i, i * 1e-6) for i in range(9)], [1] * 9, [4], [1]),
    HCVRP((0, 0), [(i, 1) for i in range(9)], [1e3 + i / 3 for i in range(9)], [5e3, 2e3], [1, 9]),
    HCVRP((0, 0), [(i, 1) for i in range(3)], [1] * 3, [1] * 12, [1] * 12),
    HCVRP((0, 0), [(i, 1) for i in range(5)], [0, 0, 9, 9, 1], [1, 9], [1, 1e-9]),
    OMDCPDP([(1, 1)], [(1, 1)], [(1, 1)] * 7, [1] * 7),
    OMDCPDP([(i, 0) for i in range(9)], [(0, i) for i in range(9)], [(0, 0)], [10**12]),
    OMDCPDP([(i * 1e6, 0) for i in range(5)], [(i, 1) for i in range(5)], [(0, 0)] * 2, [1, 2]),
]


@pytest.mark.parametrize("problem", EXTREMES, ids=lambda p: f"{p.num_tasks}/{p.num_vehicles}")
@pytest.mark.parametrize("mode", ["greedy", "resolve"])
def test_instances_far_outside_the_training_range(problem, mode):
    network = network_for(problem.kind)
    network.decoding = PointerDecoding(mode)
    assert check(problem, construct([problem], network).plans[0]).feasible


@pytest.mark.parametrize("setting", ["hcvrp/16/3", "omdcpdp/16/3"])
def test_the_best_of_turned_copies_is_never_worse(setting):
    problem, network = generate(setting), NETWORKS[setting.partition("/")[0]]
    plain, augmented = construct([problem], network), construct([problem], network, augment=8)
    assert augmented.objective[0] <= plain.objective[0] + 1e-9
    assert check(problem, augmented.plans[0]).feasible


def test_torch_is_left_as_it_was():
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    construct([generate("hcvrp/8/2")], network_for("hcvrp"))
    assert torch.equal(torch.rand(1), expected)


def test_a_budget_that_is_over_ends_it():
    with pytest.raises(OutOfTimeError):
        construct([generate("hcvrp/8/2")], NETWORKS["hcvrp"], budget=Budget(MaxRuntime(0)))


def test_other_problems_and_samples_are_refused():
    with pytest.raises(InputError, match="wrong-problem"):
        construct([generate("omdcpdp/8/2")], NETWORKS["hcvrp"])
    with pytest.raises(InputError, match="samples"):
        PointerSolver(samples=2).plans(NETWORKS["hcvrp"], [generate("hcvrp/8/2")], 0, None)
