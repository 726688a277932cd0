"""Commands run as in a shell: what they print, and how they end."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import instances
from geopar.cli import app
from geopar.files import write_plan, write_problem
from geopar.plan import Plan

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """``run("solve", path)`` with stdout, stderr and exit_code apart."""
    monkeypatch.delenv("GEOPAR_TRACEBACK", raising=False)
    runner = CliRunner()

    def call(*arguments: object) -> Result:
        result = runner.invoke(app, [str(argument) for argument in arguments])
        assert "Traceback" not in result.output
        return result

    return call


@pytest.fixture
def square_file(tmp_path: Path) -> Path:
    """The square as JSON."""
    path = tmp_path / "square.json"
    write_problem(instances.square(), path)
    return path


@pytest.fixture
def corridor_file(tmp_path: Path) -> Path:
    """The corridor as JSON."""
    path = tmp_path / "corridor.json"
    write_problem(instances.corridor(), path)
    return path


@pytest.fixture
def square_plan(tmp_path: Path) -> Path:
    """An optimal plan of the square."""
    problem, path = instances.square(), tmp_path / "square-plan.json"
    write_plan(Plan.from_indices(problem, [[[0, 1]], [[2, 3]]]), path, problem)
    return path


@pytest.fixture
def broken_plan(tmp_path: Path) -> Path:
    """A plan of the square with an overload and a customer left out."""
    problem, path = instances.square(), tmp_path / "broken-plan.json"
    write_plan(Plan.from_indices(problem, [[[0, 1, 2]], []]), path, problem)
    return path
