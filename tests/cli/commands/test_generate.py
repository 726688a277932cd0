import json
from pathlib import Path

import pytest

import geopar
from geopar.files import problem_from_json, read_batch, read_problem


def test_to_stdout_and_the_same_as_in_python(run) -> None:
    done = run("generate", "hcvrp/5/2", "--seed", 4)
    assert done.exit_code == 0
    assert problem_from_json(json.loads(done.stdout)) == geopar.generate("hcvrp/5/2", 4)


@pytest.mark.parametrize("suffix", ["json", "csv", "npz"])
def test_to_a_file(run, tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"problem.{suffix}"
    done = run("generate", "omdcpdp/6/2", "--out", out)
    assert done.exit_code == 0
    assert done.stdout == ""
    problem, drawn = read_problem(out), geopar.generate("omdcpdp/6/2", 0)
    assert problem.pickups.tolist() == drawn.pickups.tolist()


def test_many_into_one_file(run, tmp_path: Path) -> None:
    out = tmp_path / "problems.npz"
    assert run("generate", "hcvrp/5/2", "--count", 3, "--out", out).exit_code == 0
    batch = read_batch(out)
    assert len(batch) == 3
    first = geopar.generate("hcvrp/5/2", 0)
    assert batch[0].customers.tolist() == first.customers.tolist()
    assert batch[1].customers.tolist() != first.customers.tolist()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("tsp/5/2",), "unknown-problem"),
        (("hcvrp/x/2",), "bad-setting"),
        (("hcvrp/10000000/2",), "bad-setting"),
        (("omdcpdp/5/2",), "odd-tasks"),
        (("hcvrp/5/2", "--seed", "-1"), "bad-seed"),
        (("hcvrp/5/2", "--count", "0"), "bad-count"),
        (("hcvrp/5/2", "--count", "99999999", "--out", "many.npz"), "bad-count"),
        (("hcvrp/1000000/20000", "--count", "20", "--out", "many.npz"), "bad-count"),
        (("hcvrp/5/2", "--count", "2"), "needs-npz"),
        (("hcvrp/5/2", "--count", "2", "--out", "two.json"), "needs-npz"),
        (("hcvrp/5/2", "--out", "x.doc"), "unknown-format"),
        (("hcvrp/5/2", "--out", "no/such/x.json"), "no-such-folder"),
        (("hcvrp/5/2", "--out", "."), "is-a-directory"),
    ],
)
def test_bad_input(run, tmp_path: Path, monkeypatch, arguments, code: str) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("generate", *arguments)
    assert done.exit_code == 2
    assert f"[{code}]" in done.stderr
    assert done.stdout == ""
    assert not list(tmp_path.iterdir())
