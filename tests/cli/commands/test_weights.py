import json
from pathlib import Path

import pytest

from geopar.neural.cards import FOLDER_VARIABLE, save_weights
from paper_states import small_policy
from parco_files import released, saved


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setattr("geopar.neural.cards.FOLDER", tmp_path / "none")
    monkeypatch.setattr("geopar.neural.cards.PEERS_FOLDER", tmp_path / "none")
    return tmp_path


def test_what_is_installed_is_listed(run, folder: Path) -> None:
    save_weights(
        folder / "hcvrp-geopar.safetensors", small_policy("hcvrp"), {"hours": 3}, {"60/3": 7.3}
    )
    done = run("weights")
    assert done.exit_code == 0
    for part in ("hcvrp-geopar", "hours: 3", "60/3: 7.3"):
        assert part in done.stdout
    listed = json.loads(run("weights", "--json").stdout)
    assert listed["hcvrp-geopar"]["problem"] == "hcvrp"
    assert listed["hcvrp-geopar"]["architecture"]["radius"] == 2


def test_nothing_installed_is_no_error(run, folder: Path) -> None:
    done = run("weights")
    assert done.exit_code == 0
    assert "geopar train" in done.stderr
    assert json.loads(run("weights", "--json").stdout) == {}


def test_damaged_weights_are_named(run, folder: Path) -> None:
    (folder / "hcvrp-geopar.safetensors").write_bytes(b"junk")
    done = run("weights")
    assert done.exit_code == 2
    assert "no-card" in done.stderr


def test_a_construction_is_traced_and_animated(run, folder: Path, square_file: Path) -> None:
    save_weights(folder / "hcvrp-geopar.safetensors", small_policy("hcvrp"))
    trace, gif = folder / "trace.json", folder / "a.gif"
    done = run("solve", square_file, "--solver", "geopar", "--trace", trace)
    assert done.exit_code == 0
    assert json.loads(trace.read_text())["problem"] == "hcvrp"
    done = run("plot", square_file, "--trace", trace, "--out", gif)
    assert done.exit_code == 0
    assert gif.read_bytes().startswith(b"GIF8")
    done = run("solve", square_file, "--solver", "dispatch", "--trace", folder / "other.json")
    assert done.exit_code == 2
    assert not (folder / "other.json").exists()


def test_import(run, tmp_path: Path) -> None:
    path = saved(tmp_path / "parco.ckpt", released("omdcpdp", gated=False))
    out = tmp_path / "omdcpdp-public.safetensors"
    done = run("weights", "import", path, "--out", out)
    assert done.exit_code == 0
    assert "PARCO for omdcpdp" in done.stderr
    done = run("evaluate", "omdcpdp/10/2", "--solver", "parco", "--weights", out, "--count", 2)
    assert done.exit_code == 0


def test_import_of_what_is_none(run, tmp_path: Path) -> None:
    (tmp_path / "a.ckpt").write_text("nothing")
    done = run("weights", "import", tmp_path / "a.ckpt", "--out", tmp_path / "b.safetensors")
    assert done.exit_code == 2
    assert "damaged-weights" in done.stderr
    assert not (tmp_path / "b.safetensors").exists()
    done = run("weights", "import", tmp_path / "a.ckpt", "--out", tmp_path / "b.pt")
    assert done.exit_code == 2
    assert "unknown-format" in done.stderr
