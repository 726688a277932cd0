import csv
import json
from pathlib import Path

import pytest

from geopar.cli.networks import NetworkOptions
from geopar.errors import InputError

SET = "hcvrp/12/3"


@pytest.fixture
def evaluated(run, monkeypatch):
    """The objective that `evaluate` gives with random weights, and some options."""

    def call(*options: object, solver: str = "geopar") -> float:
        done = run(
            "evaluate", SET, "--solver", solver, "--count", 2, "--weights", "random", "--json",
            *options,
        )  # fmt: skip
        assert done.exit_code == 0, done.output
        return float(json.loads(done.stdout)["objective"])

    return call


def test_settings_need_a_value() -> None:
    with pytest.raises(InputError, match="has no value"):
        NetworkOptions(settings=["model.radius"]).given()
    found = NetworkOptions("random", settings=["model.radius=4"], augment=2).given()
    assert found.given() == {"weights": "random", "settings": {"model.radius": "4"}, "augment": 2}


def test_ways_of_decoding_differ(evaluated) -> None:
    greedy = evaluated("--mode", "greedy")
    always = evaluated("--mode", "ca-always", "--assignment", "paper")
    other = evaluated("--mode", "ca-always", "--set", "assignment.time_weight=50")
    assert len({greedy, always, other}) == 3


def test_more_copies_and_samples_are_never_worse(evaluated) -> None:
    assert evaluated("--augment", 8) <= evaluated()
    one = evaluated("--mode", "sample", "--samples", 1)
    assert evaluated("--mode", "sample", "--samples", 16) <= one
    assert evaluated("--augment", 8, solver="parco") <= evaluated(solver="parco")


def test_solve_takes_the_same(run, square_file: Path) -> None:
    done = run(
        "solve", square_file, "--solver", "geopar", "--weights", "random", "--mode", "ca-always",
        "--set", "model.radius=1", "--augment", 8, "--json",
    )  # fmt: skip
    assert done.exit_code == 0
    assert json.loads(done.stdout)["solver"] == "geopar"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--solver", "refine", "--mode", "greedy"), "unused-option"),
        (("--weights", "random"), "unused-option"),
        (("--solver", "parco", "--assignment", "paper"), "unused-option"),
        (("--solver", "parco", "--mode", "ca"), "unknown-value"),
        (("--solver", "pointer", "--mode", "greedy"), "unknown-value"),
        (("--solver", "geopar", "--mode", "greddy"), "unknown-value"),
        (("--solver", "geopar", "--assignment", "geopol"), "unknown-value"),
        (("--solver", "geopar", "--set", "radius=4"), "unknown-setting"),
        (("--solver", "geopar", "--set", "assignment.radius=4"), "unknown-setting"),
        (("--solver", "geopar", "--set", "model.width=4"), "unknown-setting"),
        (("--solver", "geopar", "--set", "model.radius=far"), "wrong-type"),
        (("--solver", "geopar", "--set", "model.radius"), "bad-setting"),
        (("--solver", "geopar", "--weights", "nothing"), "no-weights"),
        (("--solver", "geopar", "--weights", "pointer"), "other-network"),
        (("--solver", "geopar", "--samples", "4"), "out-of-range"),
        (("--solver", "geopar", "--augment", "9"), "out-of-range"),
    ],
)
def test_what_does_not_fit_is_told(run, options: tuple[str, ...], code: str) -> None:
    done = run("evaluate", SET, "--count", 1, *options)
    assert done.exit_code == 2
    assert f"[{code}]" in done.stderr


def test_all_solvers_have_no_options(run) -> None:
    done = run("evaluate", SET, "--solver", "all", "--mode", "greedy", "--out", "table.txt")
    assert done.exit_code == 2
    assert "unused-option" in done.stderr
    assert "unknown-format" in done.stderr


def test_tables(run, tmp_path: Path) -> None:
    texts = {}
    for suffix in ("csv", "md", "tex"):
        path = tmp_path / f"table.{suffix}"
        done = run("evaluate", SET, "--solver", "dispatch", "--count", 2, "--out", path)
        assert done.exit_code == 0
        texts[suffix] = path.read_text()
    (row,) = csv.DictReader(texts["csv"].splitlines())
    assert (row["set"], row["solver"], row["count"], row["steps"]) == (SET, "dispatch", "2", "")
    assert texts["md"].startswith("| set | solver | count |")
    assert f"{SET} & dispatch & 2" in texts["tex"]
