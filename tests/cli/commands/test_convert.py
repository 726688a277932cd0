from pathlib import Path

import pytest

import instances
from geopar.files import read_batch, read_plan, read_problem
from geopar.problems.frozen import frozen


@pytest.mark.parametrize("suffix", ["csv", "npz"])
def test_a_problem_there_and_back(run, square_file: Path, tmp_path: Path, suffix: str) -> None:
    there, back = tmp_path / f"square.{suffix}", tmp_path / "again.json"
    assert run("convert", square_file, there).exit_code == 0
    assert run("convert", there, back).exit_code == 0
    again = read_problem(back)
    assert again.replace(name="square") == instances.square()


def test_a_plan_there_and_back(run, square_file, square_plan: Path, tmp_path: Path) -> None:
    there, back = tmp_path / "plan.sol", tmp_path / "again.json"
    assert run("convert", square_plan, there, "--problem", square_file).exit_code == 0
    assert run("convert", there, back, "--problem", square_file).exit_code == 0
    problem = instances.square()
    again, first = read_plan(back, problem), read_plan(square_plan, problem)
    assert again.routes == first.routes


def test_a_frozen_instance(run, tmp_path: Path) -> None:
    out = tmp_path / "seven.json"
    assert run("convert", "hcvrp/10/2#7", out).exit_code == 0
    assert read_problem(out) == frozen("hcvrp/10/2", 8)[7]


def test_a_whole_set(run, tmp_path: Path) -> None:
    out, again = tmp_path / "set.npz", tmp_path / "again.npz"
    assert run("convert", "omdcpdp/102/2", out).exit_code == 0
    assert run("convert", out, again).exit_code == 0
    batch = read_batch(again)
    assert len(batch) == 128
    last = frozen("omdcpdp/102/2")[127]
    assert batch[127].pickups.tolist() == last.pickups.tolist()


@pytest.mark.parametrize(
    ("source", "target", "code"),
    [
        ("hcvrp/10/2", "x.json", "not-one-problem"),
        ("hcvrp/10/2#0", "x.doc", "unknown-format"),
        ("hcvrp/10/2#0", "x.geojson", "unknown-format"),
        ("hcvrp/10/2#0", ".", "is-a-directory"),
        ("nothing.json", "x.json", "no-such-file"),
        ("nothing.npz", "x.npz", "no-such-file"),
    ],
)
def test_bad_input(run, tmp_path: Path, monkeypatch, source, target, code: str) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("convert", source, target)
    assert done.exit_code == 2
    assert f"[{code}]" in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_plan_is_no_problem(run, square_plan: Path, tmp_path: Path) -> None:
    done = run("convert", square_plan, tmp_path / "x.json")
    assert done.exit_code == 2
    assert not (tmp_path / "x.json").exists()
