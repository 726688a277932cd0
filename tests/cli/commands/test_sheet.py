import json
from pathlib import Path

import pytest


@pytest.mark.parametrize("suffix", ["html", "csv", "xlsx", "geojson"])
def test_sheets_of_a_plan(run, square_file, square_plan, tmp_path: Path, suffix) -> None:
    out = tmp_path / f"day.{suffix}"
    done = run("sheet", square_file, square_plan, "--out", out)
    assert done.exit_code == 0
    assert f"Wrote {out}." in done.stderr
    assert out.stat().st_size > 100


def test_one_file_for_each_vehicle(run, square_file, square_plan, tmp_path: Path) -> None:
    done = run("sheet", square_file, square_plan, "--out", tmp_path / "day.html", "--each")
    assert done.exit_code == 0
    assert sorted(path.name for path in tmp_path.glob("day-*")) == ["day-blue.html", "day-red.html"]


def test_one_vehicle(run, square_file, square_plan, tmp_path: Path) -> None:
    out = tmp_path / "day.csv"
    assert run("sheet", square_file, square_plan, "--out", out, "--vehicle", "blue").exit_code == 0
    assert "red" not in out.read_text()


def test_an_unknown_vehicle(run, square_file, square_plan, tmp_path: Path) -> None:
    done = run("sheet", square_file, square_plan, "--out", tmp_path / "x.csv", "--vehicle", "bleu")
    assert done.exit_code == 2
    assert "blue" in done.stderr
    assert not (tmp_path / "x.csv").exists()


def test_places_on_a_plane_have_no_gpx(run, square_file, square_plan, tmp_path: Path) -> None:
    done = run("sheet", square_file, square_plan, "--out", tmp_path / "x.gpx")
    assert done.exit_code == 2
    assert "GeoJSON" in done.stderr


def test_a_plan_that_breaks_rules_is_written_and_told(run, square_file, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    routes = [{"vehicle": "red", "trips": [["east", "north", "west"]]}]
    plan.write_text(json.dumps({"problem": "hcvrp", "routes": routes}))
    done = run("sheet", square_file, plan, "--out", tmp_path / "x.html")
    assert done.exit_code == 1
    assert "breaks rules" in done.stderr
    assert "breaks rules" in (tmp_path / "x.html").read_text()


def test_a_date(run, square_file, square_plan, tmp_path: Path) -> None:
    out = tmp_path / "day.html"
    options = "--out", out, "--date"
    assert run("sheet", square_file, square_plan, *options, "2026-11-19").exit_code == 0
    assert out.read_text().count("Thursday, 19 November 2026") == 2
    done = run("sheet", square_file, square_plan, *options, "19.11.")
    assert done.exit_code == 2
    assert "[not-a-time] --date" in done.stderr


def test_idle_vehicles_are_named_and_have_no_page(run, square_file, tmp_path: Path) -> None:
    plan, out = tmp_path / "plan.json", tmp_path / "day.html"
    trips = [["east", "north"], ["west", "south"]]
    routes = [{"vehicle": "red", "trips": trips}]
    plan.write_text(json.dumps({"problem": "hcvrp", "routes": routes}))
    assert run("sheet", square_file, plan, "--out", out).exit_code == 0
    assert out.read_text().count("<section>") == 1
    assert "Nothing to do: blue." in out.read_text()
