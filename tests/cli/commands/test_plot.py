import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(("suffix", "begins"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_a_problem(run, corridor_file: Path, tmp_path: Path, suffix: str, begins: bytes) -> None:
    out = tmp_path / f"corridor.{suffix}"
    done = run("plot", corridor_file, "--out", out)
    assert done.exit_code == 0
    assert out.read_bytes().startswith(begins)


def test_a_plan(run, square_file: Path, square_plan: Path, tmp_path: Path) -> None:
    out = tmp_path / "plan.png"
    assert run("plot", square_file, square_plan, "--out", out).exit_code == 0
    assert out.stat().st_size > 1000


def test_out_is_needed(run, square_file: Path) -> None:
    done = run("plot", square_file)
    assert done.exit_code == 2
    assert "--out" in done.stderr


def test_bad_suffix(run, square_file: Path, tmp_path: Path) -> None:
    done = run("plot", square_file, "--out", tmp_path / "plan.doc")
    assert done.exit_code == 2
    assert "unknown-format" in done.stderr


def test_without_what_draws(run, monkeypatch, square_file: Path, tmp_path: Path) -> None:
    for name in [name for name in sys.modules if name.startswith("geopar.plotting")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = run("plot", square_file, "--out", tmp_path / "x.png")
    assert done.exit_code == 2
    assert "geopar[plot]" in done.stderr
    assert not (tmp_path / "x.png").exists()
