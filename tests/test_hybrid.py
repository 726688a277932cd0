import subprocess
import sys

import pytest

from geopar import MaxIterations, solve
from geopar.checking import check
from geopar.neural.cards import FOLDER_VARIABLE, save_weights
from geopar.neural.one_pass import WEIGHTS_VARIABLE
from geopar.pointer import solver as solver_module
from geopar.pointer.network import PointerNetwork
from geopar.pointer.solver import construct
from geopar.problems.day import Day
from geopar.problems.random import generate
from midway import network_for


@pytest.fixture
def weights(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setattr("geopar.neural.cards.FOLDER", tmp_path / "none")
    monkeypatch.setattr("geopar.neural.cards.PEERS_FOLDER", tmp_path / "none")
    monkeypatch.delenv(WEIGHTS_VARIABLE, raising=False)
    solver_module._load.cache_clear()
    yield tmp_path
    solver_module._load.cache_clear()


@pytest.fixture
def shipped(monkeypatch):
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    monkeypatch.delenv(WEIGHTS_VARIABLE, raising=False)
    solver_module._load.cache_clear()
    yield
    solver_module._load.cache_clear()


@pytest.mark.usefixtures("shipped")
@pytest.mark.parametrize("setting", ["hcvrp/30/3", "omdcpdp/30/3"])
def test_search_begins_with_the_networks_plan_or_with_a_better_insertion(setting):
    is_networks, is_better = set(), set()
    for seed in range(6):
        problem = generate(setting, seed)
        built = construct([problem], PointerNetwork.load(problem.kind)).plans[0]
        inserted = solve(problem, MaxIterations(0), solver="refine").objective
        networks = check(problem, built).objective
        result = solve(problem, MaxIterations(0), solver="hybrid")
        assert result.objective == pytest.approx(min(networks, inserted))
        assert result.steps is not None
        assert any("insertion" in note for note in result.notes) == (inserted < networks)
        is_networks.add(networks < inserted)
        better = solve(problem, MaxIterations(300), solver="hybrid")
        assert better.objective <= result.objective
        is_better.add(better.objective < result.objective)
    assert True in is_networks
    assert True in is_better


def test_without_weights_it_is_search_alone_and_says_so(weights):
    result = solve(generate("omdcpdp/8/2"), MaxIterations(10), solver="hybrid")
    assert result.feasible
    assert result.steps is None
    assert result.notes[0] == "search alone: no weights are installed for omdcpdp"


def test_a_day_is_left_to_search(weights):
    problem = generate("omdcpdp/8/2")
    problem = problem.replace(day=Day(service=[0.1] * 8))
    result = solve(problem, MaxIterations(10), solver="hybrid")
    assert result.feasible
    assert result.notes[0] == "search alone: the network knows nothing of a working day"


def test_a_start_is_refined_as_it_is(weights):
    problem = generate("hcvrp/8/2")
    start = solve(problem, MaxIterations(200), solver="refine").plan
    result = solve(problem, MaxIterations(0), solver="hybrid", start=start)
    assert result.plan.routes == start.routes


def test_a_short_time_is_left_to_search(weights):
    save_weights(weights / "hcvrp-pointer.safetensors", network_for("hcvrp"))
    result = solve(generate("hcvrp/8/2"), 0.0, solver="hybrid")
    assert "too short" in result.notes[0]


def test_the_trace_is_that_of_the_construction(weights):
    save_weights(weights / "hcvrp-pointer.safetensors", network_for("hcvrp"))
    result = solve(generate("hcvrp/8/2"), MaxIterations(5), solver="hybrid", trace=True)
    assert len(result.trace.steps) == result.steps


def test_importing_it_loads_neither_torch_nor_numba():
    code = (
        "import sys, geopar.hybrid, geopar.trace;"
        "assert not {'torch', 'numba', 'matplotlib'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
