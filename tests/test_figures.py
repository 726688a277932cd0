"""Which kept numbers are stale, and that they can be made again."""

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(scope="module")
def figures():
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return runpy.run_path(str(BENCHMARKS / "figures.py"))
    finally:
        sys.path.remove(str(BENCHMARKS))


@pytest.fixture
def repository(tmp_path):
    """Three commits: the search of HCVRP, a change of it, and of how it is divided."""

    def git(*words: str) -> str:
        about = ["-c", "user.name=a", "-c", "user.email=a@b"]
        return subprocess.run(
            ["git", *about, *words], cwd=tmp_path, check=True, capture_output=True, text=True
        ).stdout.strip()

    git("init", "-q")
    search = tmp_path / "src/geopar/search/hcvrp/anneal.py"
    search.parent.mkdir(parents=True)
    for path, text in (
        (search, "one"),
        (search, "two"),
        (search.with_name("division.py"), "three"),
    ):
        path.write_text(text)
        git("add", ".")
        git("commit", "-qm", text)
    return tmp_path, *(git("rev-parse", "--short=7", f"HEAD~{ago}") for ago in (2, 1))


def test_a_line_is_stale_when_its_sources_have_changed(figures, repository):
    root, first, second = repository
    history = figures["History"](root)

    def stale(solver: str, commit: str) -> bool:
        return figures["is_stale"]("search", {"solver": solver, "commit": commit}, history)

    assert stale("refine", first)
    assert not stale("refine", second)
    divided = {"solver": "refine", "commit": second}
    assert not figures["is_stale"]("search", divided, history)
    assert figures["is_stale"]("threads", divided, history)
    assert not stale("sisr", first)
    assert not stale("PyVRP 0.14.1", first)
    assert stale("refine", "0123456"), "of an unknown commit nothing is known"


def test_what_is_of_one_problem_alone_leaves_lines_of_the_other_as_they_are(figures, repository):
    root, first, _ = repository
    history = figures["History"](root)

    def stale(name: str) -> bool:
        line = {"set": name, "solver": "refine", "commit": first}
        return figures["is_stale"]("search", line, history)

    assert stale("hcvrp/60/3")
    assert not stale("omdcpdp/50/5")


def test_what_training_gave_stands(figures, repository):
    root, first, _ = repository
    line = {"solver": "pointer", "commit": first, "set": "hcvrp/60/3"}
    assert figures["is_stale"]("search", line | {"solver": "refine"}, figures["History"](root))
    assert not figures["is_stale"]("equal-budget", line, figures["History"](root))


def test_every_line_says_where_it_comes_from(figures):
    for path in sorted(figures["RESULTS"].glob("*.csv")):
        for line in figures["read"](path):
            assert line["commit"], path.name
            assert line["command"], path.name
            paths = [p.removeprefix(":(exclude)") for p in figures["sources"](path.stem, line)]
            assert all((BENCHMARKS.parent / p).exists() for p in paths), (path.name, paths)


def test_a_line_is_measured_again(figures):
    line = {
        "set": "hcvrp/60/3", "solver": "dispatch", "instances": "2", "seconds": "0.01",
        "objective": "1.00", "error": "0.1", "bound_ratio": "", "commit": "0123456",
        "date": "2020-01-01", "command": "geopar evaluate hcvrp/60/3",
    }  # fmt: skip
    renewed = figures["measure"](line)
    assert float(renewed["objective"]) > 5
    assert len(renewed["objective"].partition(".")[2]) == 2
    assert {key for key in line if line[key] == renewed[key]} == {
        "set", "solver", "instances", "seconds", "bound_ratio", "command"
    }  # fmt: skip


def test_seconds_that_came_out_are_not_taken_for_a_limit(figures):
    line = {"set": "hcvrp/60/3", "instances": "2", "solver": "pointer", "seconds": "0.002"}
    assert not figures["by_sets"]([line | {"command": "python benchmarks/every_solver.py"}])
    assert figures["by_sets"]([line | {"command": "geopar evaluate x --time-limit 1"}])


def test_weights_of_a_line_are_not_those_of_what_comes_after(figures, monkeypatch):
    monkeypatch.delenv("GEOPAR_WEIGHTS", raising=False)
    line = {
        "set": "hcvrp/60/3", "weights": "pointer-small", "instances": "1", "seconds": "",
        "objective": "1.00", "commit": "0123456", "date": "2020-01-01", "command": "geopar",
    }  # fmt: skip
    assert float(figures["measure"](line)["objective"]) > 5
    assert "GEOPAR_WEIGHTS" not in os.environ


@pytest.fixture
def tables(figures, tmp_path, monkeypatch):
    """A folder of results with two lines, of which ``make.py`` measures again what is missing."""
    for name in ("RESULTS", "ROOT"):
        monkeypatch.setitem(figures["remake"].__globals__, name, tmp_path)
    (tmp_path / "make.py").write_text(
        "import csv, sys\n"
        "lines = list(csv.DictReader(open('ortools.csv')))\n"
        "known = {line['solver'] for line in lines}\n"
        "for solver in ('b', 'a')[: int(sys.argv[1])]:\n"
        "    if solver not in known:\n"
        "        lines.append({'set': 'x', 'solver': solver, 'seconds': '1', 'objective': '2'})\n"
        "writer = csv.DictWriter(open('ortools.csv', 'w'), ['set', 'solver', 'seconds', "
        "'objective', 'command'])\n"
        "writer.writeheader()\n"
        "writer.writerows(lines)\n"
        "sys.exit(int(sys.argv[1]) < 2)\n"
    )

    def fill(count: int) -> None:
        line = {"set": "x", "seconds": "1", "objective": "9", "command": f"python make.py {count}"}
        figures["write"](tmp_path / "ortools.csv", [line | {"solver": s} for s in ("a", "b", "c")])

    def told() -> list[tuple[str, str]]:
        lines = figures["read"](tmp_path / "ortools.csv")
        return [(line["solver"], line["objective"]) for line in lines]

    return fill, told


def test_lines_are_made_again_by_their_commands_and_keep_their_places(figures, tables):
    fill, told = tables
    fill(2)
    assert figures["remake"]("ortools", [0, 1], None, float("inf"))
    assert told() == [("a", "2"), ("b", "2"), ("c", "9")]


def test_what_a_command_failed_to_measure_stays_as_it_was(figures, tables):
    fill, told = tables
    fill(1)
    figures["remake"]("ortools", [0, 1], None, float("inf"))
    assert told() == [("a", "9"), ("b", "2"), ("c", "9")]
