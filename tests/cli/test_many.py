import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from geopar.cli.many import are_many

PATIENCE = 120.0


@pytest.fixture
def day(tmp_path: Path, square_file: Path, corridor_file: Path) -> Path:
    return tmp_path


def test_a_pattern_gives_a_folder_of_plans(run, day: Path) -> None:
    out = day / "plans"
    done = run("solve", day / "*.json", "--iterations", 20, "--out", out, "--json")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert (found["count"], found["done"], found["failed"]) == (2, 2, 0)
    assert {path.name for path in out.iterdir()} == {"square.json", "corridor.json", "results.csv"}
    again = run("solve", day / "*.json", "--iterations", 20, "--out", out, "--resume")
    assert "2 of 2 planned, 2 of them before" in again.stdout


def test_so_do_several_files(run, day: Path, square_file: Path, corridor_file: Path) -> None:
    done = run("solve", square_file, corridor_file, "--iterations", 20, "--out", day / "plans")
    assert done.exit_code == 0
    assert "2 of 2 planned" in done.stdout


def test_the_exit_code_is_that_of_the_worst(run, day: Path) -> None:
    (day / "bad.json").write_text("{")
    done = run("solve", day / "*.json", "--iterations", 20, "--out", day / "plans")
    assert done.exit_code == 2
    assert "bad: [bad-json]" in done.stderr
    assert "2 of 3 planned, 1 failed" in done.stdout


def test_what_is_for_one_problem_is_refused(run, day: Path) -> None:
    done = run("solve", day / "*.json", "--picture", day / "a.png", "--start", day / "b.json")
    assert done.exit_code == 2
    for part in ("--picture", "--start", "--out plans"):
        assert part in done.stderr


@pytest.mark.parametrize("option", [("--resume",)])
def test_what_is_for_many_is_refused_for_one(run, square_file: Path, option: tuple[str]) -> None:
    done = run("solve", square_file, *option)
    assert done.exit_code == 2
    assert "unused-option" in done.stderr


def test_a_cluster_that_is_none(run, day: Path) -> None:
    done = run("solve", day / "*.json", "--out", day / "plans", "--cluster", "cloud")
    assert done.exit_code == 2
    assert "bad-cluster" in done.stderr


def test_a_folder_as_its_place_makes_one_problem_many(day: Path) -> None:
    assert are_many(["a.json"], day)
    assert not are_many(["a.json"], day / "plan.json")
    assert not are_many(["a.json"], None)


def test_ctrl_c_keeps_what_is_done(day: Path) -> None:
    """As a terminal sends it: to the command and to its workers."""
    out = day / "plans"
    command = [
        sys.executable, "-m", "geopar", "solve", str(day / "*.json"), "--out", str(out),
        "--cluster", "processes:1",
    ]  # fmt: skip
    # Whoever runs the tests in the background of a shell has them ignore Ctrl-C.
    long = subprocess.Popen(
        [*command, "--time-limit", "4"], start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    end = time.monotonic() + PATIENCE
    while not (out / "results.csv").exists() or "done" not in (out / "results.csv").read_text():
        assert time.monotonic() < end
        time.sleep(0.02)
    os.killpg(long.pid, signal.SIGINT)
    assert long.wait(PATIENCE) == 130
    with open(out / "results.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["status"] for row in rows] == ["done"]
    kept = (out / rows[0]["plan"]).read_bytes()
    again = subprocess.run(
        [*command, "--time-limit", "4", "--resume", "--json"], capture_output=True, text=True
    )
    assert json.loads(again.stdout)["skipped"] == 1
    assert (out / rows[0]["plan"]).read_bytes() == kept


def test_one_problem_that_is_too_small_for_parts(run, square_file: Path) -> None:
    done = run("solve", square_file, "--cluster", "processes:2", "--iterations", 10)
    assert done.exit_code == 0
    assert "Searched here and as a whole" in done.stderr


def test_one_problem_in_parts(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("geopar.parts.solver.PART_TASKS", 4)
    done = run("solve", "hcvrp/10/2#0", "--cluster", "serial", "--iterations", 40, "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["solver"] == "refine in parts"


def test_what_does_not_work_in_parts(run, square_file: Path) -> None:
    done = run("solve", square_file, "--cluster", "serial", "--solver", "sisr", "--threads", 2)
    assert done.exit_code == 2
    assert "--solver" in done.stderr
    assert "--threads" in done.stderr
