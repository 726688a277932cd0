import json
import runpy
import shutil
import sys
from pathlib import Path

import pytest

import geopar
from documented import ROOT, commands, run_command
from geopar.files import read_plan
from geopar.pointer.network import PointerNetwork

EXAMPLES = ROOT / "examples"


@pytest.fixture
def run_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    """Runs an example's script in an empty folder; returns what it printed."""
    monkeypatch.chdir(tmp_path)

    def run(script: str, *arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", [script, *arguments])
        runpy.run_path(str(EXAMPLES / script), run_name="__main__")
        return capsys.readouterr().out

    return run


@pytest.mark.parametrize("name", ["day-of-deliveries", "pickup-and-delivery"])
def test_the_commands_of_an_example_run(name: str, tmp_path: Path, monkeypatch) -> None:
    folder = tmp_path / name
    shutil.copytree(EXAMPLES / name, folder)
    monkeypatch.chdir(folder)
    lines = commands(folder / "README.md")
    assert len(lines) >= 2
    for line in lines:
        run_command(line)
    assert (folder / "plan.png").stat().st_size > 1000


def test_a_day_of_deliveries(run_script, tmp_path: Path) -> None:
    printed = run_script("day-of-deliveries/plan_the_day.py", "--seconds", "0.1")
    problem = geopar.read(EXAMPLES / "day-of-deliveries" / "stops.csv")
    assert problem.coordinates == "lonlat"
    assert "feasible: True" in printed
    # Every customer is on somebody's sheet.
    assert all(customer in printed for customer in problem.customer_ids)
    plan = read_plan(tmp_path / "day" / "plan.json", problem)
    assert geopar.check(problem, plan).feasible
    drawn = json.loads((tmp_path / "day" / "plan.geojson").read_text())
    assert drawn["type"] == "FeatureCollection"
    assert (tmp_path / "day" / "plan.png").exists()


def test_pickup_and_delivery(run_script, tmp_path: Path) -> None:
    printed = run_script("pickup-and-delivery/plan_the_evening.py", "--seconds", "0.1")
    problem = geopar.read(EXAMPLES / "pickup-and-delivery" / "orders.csv")
    report = geopar.check(problem, read_plan(tmp_path / "evening" / "plan.json", problem))
    assert report.feasible
    # The arrivals that the script computes by itself add up to what the checker finds.
    assert f"{report.objective:.2f} = {report.objective:.2f} km" in printed


def test_training_in_five_minutes(run_script, tmp_path: Path) -> None:
    printed = run_script(
        "train-in-five-minutes/train.py", "--minutes", "1e-9", "--sizes", "6/2",
        "--test", "hcvrp/6/2", "--count", "2", "--folder", "runs",
    )  # fmt: skip
    for name in ("dispatch", "without training", "after training"):
        assert name in printed
    assert PointerNetwork.load("hcvrp", str(tmp_path / "runs" / "pointer" / "best.safetensors"))
