from pathlib import Path

import pytest

from geopar.cli.guard import INTERRUPTED
from geopar.reproduce import registry
from geopar.reproduce.experiment import Experiment, Line
from geopar.reproduce.pictures import beside_published
from geopar.reproduce.store import Measured


class Fake:
    key, weights, error = "fake", "", None

    def measure(self, name, context) -> Measured:
        if self.error is not None:
            raise self.error
        return Measured({"objective": context.seed + 0.5, "instances": 1.0})


@pytest.fixture
def fake(monkeypatch) -> Fake:
    subject = Fake()
    experiment = Experiment(
        "ham", "Table 8", "A title", ("objective",),
        lambda context: [Line("omdcpdp/50/5", "HAM", subject)],
        beside_published("objective", ""), dict,
    )  # fmt: skip
    monkeypatch.setattr(registry, "_load", lambda name: experiment)
    return subject


def test_the_list(run) -> None:
    done = run("reproduce", "--list")
    assert done.exit_code == 0
    assert all(name in done.stdout for name in registry.names())
    assert "Table 8" in done.stdout


def test_an_experiment(run, fake, tmp_path: Path) -> None:
    done = run("reproduce", "ham", "--quick", "--out", tmp_path / "made", "--seed", 3)
    assert done.exit_code == 0
    assert "[1/1] ham omdcpdp/50/5 HAM: objective 3.5" in done.stderr
    assert "3.500" in (tmp_path / "made" / "ham.md").read_text()


def test_an_unknown_one(run, tmp_path: Path) -> None:
    done = run("reproduce", "hamm", "--out", tmp_path / "made")
    assert done.exit_code == 2
    assert "Maybe ham" in done.stderr
    assert not (tmp_path / "made").exists()


def test_none_and_too_much(run) -> None:
    done = run("reproduce", "--quick", "--full")
    assert done.exit_code == 2
    assert "missing-option" in done.stderr
    assert "exclude each other" in done.stderr


def test_stopped_by_the_user(run, fake, tmp_path: Path) -> None:
    fake.error = KeyboardInterrupt()
    done = run("reproduce", "ham", "--out", tmp_path)
    assert done.exit_code == INTERRUPTED
    assert "the same command goes on" in done.stderr


def test_a_folder_that_is_damaged(run, fake, tmp_path: Path) -> None:
    (tmp_path / "measured.csv").write_text("something else\n")
    done = run("reproduce", "ham", "--out", tmp_path)
    assert done.exit_code == 2
    assert "damaged-results" in done.stderr
    assert (tmp_path / "measured.csv").read_text() == "something else\n"


def test_weights_that_do_not_fit(run, tmp_path: Path) -> None:
    done = run("reproduce", "decoding", "--quick", "--weights", "pointer", "--out", tmp_path)
    assert done.exit_code == 2
    assert "other-network" in done.stderr
