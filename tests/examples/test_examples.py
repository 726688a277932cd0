import json
import runpy
import shutil
import sys
from pathlib import Path

import numpy as np
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


@pytest.mark.parametrize("name", ["day-of-deliveries", "pickup-and-delivery", "working-day"])
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


def test_a_breakdown_at_noon(run_script, tmp_path: Path) -> None:
    printed = run_script("working-day/replan_at_noon.py", "--seconds", "0.2")
    assert "van 2 breaks down at noon" in printed
    assert "feasible: True" in printed
    rows = (tmp_path / "day" / "afternoon.csv").read_text().splitlines()
    assert rows[0].startswith("vehicle,trip,position,stop,action,arrival")
    assert not any(row.startswith("van 2,") for row in rows)


def test_the_files_of_the_working_day_are_as_they_were_drawn(tmp_path: Path) -> None:
    names = runpy.run_path(str(EXAMPLES / "working-day" / "make_day.py"))
    for name in ("deliveries", "couriers", "vroom"):
        value = names[name](np.random.default_rng(7))
        assert json.loads((EXAMPLES / "working-day" / f"{name}.json").read_text()) == value


def test_training_in_five_minutes(run_script, tmp_path: Path) -> None:
    printed = run_script(
        "train-in-five-minutes/train.py", "--minutes", "1e-9", "--sizes", "6/2",
        "--test", "hcvrp/6/2", "--count", "2", "--folder", "runs",
    )  # fmt: skip
    for name in ("dispatch", "without training", "after training"):
        assert name in printed
    assert PointerNetwork.load("hcvrp", str(tmp_path / "runs" / "pointer" / "best.safetensors"))
