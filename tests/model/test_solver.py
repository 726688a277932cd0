from dataclasses import replace

import pytest
import torch

from geopar import solve
from geopar.check import check
from geopar.errors import InputError
from geopar.evaluate import evaluate
from geopar.model import solver as module
from geopar.model.solver import WEIGHTS_VARIABLE, Construct
from geopar.model.weights import FOLDER_VARIABLE, save_weights
from geopar.problems.random import generate
from geopar.stop import Budget, MaxRuntime
from midway import policy_for


@pytest.fixture(autouse=True)
def only_these_weights(tmp_path, monkeypatch):
    """Small random networks under the usual names, and no others."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setattr("geopar.model.weights.FOLDER", tmp_path / "none")
    monkeypatch.setattr("geopar.model.weights.PEERS_FOLDER", tmp_path / "none")
    monkeypatch.delenv(WEIGHTS_VARIABLE, raising=False)
    save_weights(tmp_path / "hcvrp-default.safetensors", policy_for("hcvrp"))
    module._load.cache_clear()
    yield
    module._load.cache_clear()


def test_construct_is_a_solver():
    result = solve(generate("hcvrp/12/3"), 5, solver="construct")
    assert result.feasible
    assert result.steps is not None
    assert not result.notes


def test_no_weights_is_an_error_and_random_ones_must_be_asked_for(monkeypatch):
    problem = generate("omdcpdp/8/2")
    with pytest.raises(InputError, match="no-weights"):
        solve(problem, 1, solver="construct")
    monkeypatch.setenv(WEIGHTS_VARIABLE, "random")
    result = solve(problem, 5, solver="construct")
    assert result.notes == ("random weights: the network has learned nothing",)


def test_many_problems_come_back_in_their_order():
    many = [generate(f"hcvrp/{n}/2", n) for n in (6, 9, 6, 7, 9)]
    outcomes = Construct().solve_many(many, Budget(MaxRuntime(0)), 0)
    for problem, outcome in zip(many, outcomes, strict=True):
        assert not check(problem, outcome.plan).violations
        assert outcome.plan == Construct()(problem, Budget(MaxRuntime(9)), 0).plan


def test_evaluate_takes_batches():
    summary = evaluate("hcvrp/10/2", "construct", count=5).to_json()
    assert summary["count"] == 5
    assert summary["infeasible"] == 0
    assert summary["steps"] >= 5


def test_too_little_time_gives_what_dispatch_gives():
    problem = generate("hcvrp/12/3")
    result = solve(problem, 0, solver="construct")
    assert result.plan.routes == solve(problem, 0, solver="dispatch").plan.routes
    assert "too short" in result.notes[0]


def test_a_device_that_is_not_there_is_refused():
    assert Construct().to("cpu").device == "cpu"
    with pytest.raises(InputError, match="bad-device"):
        Construct().to("abacus")


def test_a_trace_comes_back_when_asked_for():
    result = solve(generate("hcvrp/12/3"), 5, solver="construct", trace=True)
    assert len(result.trace.steps) == result.steps
    assert solve(generate("hcvrp/12/3"), 5, solver="construct").trace is None


def test_the_number_of_threads_is_given_back():
    before = torch.get_num_threads()
    solve(generate("hcvrp/6/2"), 5, solver="construct", threads=before + 1)
    assert torch.get_num_threads() == before


def test_observers_see_the_plan():
    seen = []
    solve(generate("hcvrp/6/2"), 5, solver="construct", observe=seen.append)
    assert len(seen) == 1
    assert seen[0].improved


def test_groups_are_as_large_as_memory_allows(monkeypatch):
    many = [generate("hcvrp/6/2", k) for k in range(5)]
    monkeypatch.setattr(module, "MOST_PAIRS", 30)
    assert list(Construct()._groups(many)) == [[0, 1], [2, 3], [4]]
    assert list(replace(Construct(), augment=8)._groups(many)) == [[k] for k in range(5)]


def test_an_interruption_ends_many():
    budget = Budget(MaxRuntime(9))
    budget.interrupted = True
    assert Construct().solve_many([generate("hcvrp/6/2")], budget, 0) == []
