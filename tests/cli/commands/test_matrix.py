"""``geopar matrix`` and the shapes of ``geopar convert``, against a small server."""

import importlib.util
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import instances
from geopar.cli.app import app
from geopar.files import read_problem, write_plan, write_problem
from geopar.plan import Plan

_SPEC = importlib.util.spec_from_file_location(
    "osrm_server", Path(__file__).parents[2] / "roads" / "osrm_server.py"
)
_MODULE = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(_MODULE)


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def town(tmp_path):
    write_problem(instances.town(), tmp_path / "town.json")
    return tmp_path / "town.json"


def test_a_problem_on_roads(tmp_path, town):
    with _MODULE.osrm_server() as (address, behaviour):
        done = run(
            "matrix", town, "--osrm", address, "--out", tmp_path / "out.json", "--max-table", 4,
            "--cache", tmp_path / "kept", "--profile", "car=driving",
        )  # fmt: skip
        assert done.exit_code == 0, done.output
        assert {path.split("/")[3] for path in behaviour.paths} == {"driving"}
    assert not read_problem(tmp_path / "out.json").has_straight_lines
    assert list((tmp_path / "kept").iterdir())


def test_shapes_on_a_map(tmp_path, town):
    problem = instances.town()
    write_plan(Plan.from_indices(problem, [[[0, 1, 2]], [[3, 4]]]), tmp_path / "plan.json", problem)
    target = tmp_path / "plan.geojson"
    with _MODULE.osrm_server() as (address, _):
        done = run("convert", tmp_path / "plan.json", target, "--problem", town, "--osrm", address)
    assert done.exit_code == 0, done.output
    trips = [f for f in json.loads(target.read_text())["features"] if "stops" in f["properties"]]
    assert len(trips[0]["geometry"]["coordinates"]) == 6  # the server says the last place twice


@pytest.mark.parametrize(
    "arguments",
    [[], ["--osrm", "http://127.0.0.1:9", "--valhalla", "x"], ["--valhalla", "no-such-tiles"],
     ["--osrm", "http://127.0.0.1:9", "--profile", "car"]],
)  # fmt: skip
def test_nothing_is_written_when_it_cannot_be_asked(tmp_path, town, arguments):
    assert run("matrix", town, "--out", tmp_path / "out.json", *arguments).exit_code == 2
    assert not (tmp_path / "out.json").exists()


def test_a_table_cannot_hold_matrices_and_nobody_is_asked(tmp_path, town):
    with _MODULE.osrm_server() as (address, behaviour):
        done = run("matrix", town, "--osrm", address, "--out", tmp_path / "out.csv")
    assert done.exit_code == 2
    assert ".json, .npz" in done.output
    assert behaviour.paths == []
