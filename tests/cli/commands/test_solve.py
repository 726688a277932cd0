import importlib
import json
from pathlib import Path

import pytest

import geopar
import instances
from geopar.checking import check
from geopar.files import read_plan, write_plan
from geopar.plan import Plan
from geopar.solver import Outcome, Snapshot

solve_module = importlib.import_module("geopar.solving")


def test_a_table_for_people(run, square_file: Path) -> None:
    done = run("solve", square_file, "--solver", "dispatch")
    assert done.exit_code == 0
    for part in ("vehicle", "trips", "tasks", "load", "finish", "share", "red", "blue", "makespan"):
        assert part in done.stdout


def test_one_json_object_for_programs(run, corridor_file: Path) -> None:
    done = run("solve", corridor_file, "--solver", "dispatch", "--seed", 3, "--json")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert {"problem", "solver", "objective", "feasible", "seconds", "seed"} <= set(found)
    assert (found["problem"], found["solver"], found["seed"]) == ("omdcpdp", "dispatch", 3)
    assert found["feasible"] is True


@pytest.mark.parametrize("suffix", ["json", "sol", "geojson"])
def test_the_plan_is_written(run, square_file: Path, tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"plan.{suffix}"
    done = run("solve", square_file, "--solver", "dispatch", "--out", out)
    assert done.exit_code == 0
    assert str(out) in done.stderr
    if suffix != "geojson":
        problem = instances.square()
        assert check(problem, read_plan(out, problem)).feasible


def test_the_picture_is_drawn(run, square_file: Path, tmp_path: Path) -> None:
    picture = tmp_path / "plan.png"
    done = run("solve", square_file, "--solver", "dispatch", "--picture", picture)
    assert done.exit_code == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["plan.png", "square.json"]


def test_a_frozen_instance(run) -> None:
    done = run("solve", "hcvrp/10/2#7", "--solver", "dispatch", "--json")
    assert json.loads(done.stdout)["name"] == "hcvrp/10/2#7"


def test_a_start_is_never_made_worse(run, square_file: Path, square_plan: Path) -> None:
    done = run("solve", square_file, "--solver", "dispatch", "--start", square_plan, "--json")
    assert json.loads(done.stdout)["objective"] <= instances.SQUARE_OPTIMUM + 1e-9


def test_an_infeasible_start_is_mended(run, square_file: Path, broken_plan: Path) -> None:
    done = run("solve", square_file, "--start", broken_plan, "--iterations", 10, "--json")
    assert done.exit_code == 0
    result = json.loads(done.stdout)
    assert result["feasible"]
    assert "[overload]" in result["notes"][-1]
    assert "[unserved]" in result["notes"][-1]


def test_what_has_begun_is_kept(run, square_file: Path, square_plan: Path) -> None:
    start = json.loads(square_plan.read_text())
    done = run(
        "solve", square_file, "--start", square_plan, "--keep", 1000, "--iterations", 10, "--json"
    )
    assert done.exit_code == 0
    assert json.loads(done.stdout)["plan"]["routes"] == start["routes"]


def test_keeping_needs_a_plan(run, square_file: Path) -> None:
    done = run("solve", square_file, "--keep", -1)
    assert done.exit_code == 2
    assert "[missing-option] --start" in done.stderr
    assert "[out-of-range] --keep" in done.stderr


def broken(*args, **options) -> Outcome:
    """A solver that serves nobody."""
    return Outcome(Plan("hcvrp", ()))


def test_instead_of_a_broken_plan_another_is_written_and_what_to_report_is_said(
    run, monkeypatch, square_file: Path, tmp_path: Path
) -> None:
    monkeypatch.setattr(solve_module, "load", lambda *_: ("fake", broken))
    out = tmp_path / "plan.json"
    done = run("solve", square_file, "--seed", 7, "--out", out, "--json")
    assert done.exit_code == 0
    for part in ("[unserved]", "dispatch", "solver fake", "seed 7", geopar.__version__):
        assert part in " ".join(done.stderr.split())
    problem = instances.square()
    written = read_plan(out, problem)
    assert check(problem, written).objective == json.loads(done.stdout)["objective"]


def test_where_no_plan_can_be_made_it_is_an_internal_error_and_nothing_is_written(
    run, monkeypatch, square_file: Path, tmp_path: Path
) -> None:
    monkeypatch.setattr(solve_module, "load", lambda *_: ("fake", broken))
    monkeypatch.setattr("geopar.search.dispatch.dispatch", broken)
    out = tmp_path / "plan.json"
    done = run("solve", square_file, "--out", out)
    assert done.exit_code == 3
    assert "geopar info" in " ".join(done.stderr.split())
    assert not out.exists()


def test_progress_goes_to_stderr(run, monkeypatch, square_file: Path) -> None:
    plan = Plan.from_indices(instances.square(), [[[0, 1]], [[2, 3]]])

    def slow(request):
        request.observe(Snapshot(2.5, 2500, 4.0, True, lambda: plan))
        return Outcome(plan)

    monkeypatch.setattr(solve_module, "load", lambda *_: ("slow", slow))
    done = run("solve", square_file, "--json")
    json.loads(done.stdout)
    assert "1,000 iterations/s" in done.stderr


def test_the_limits_reach_the_solver(run, monkeypatch, square_file: Path) -> None:
    rules = []
    plan = Plan.from_indices(instances.square(), [[[0, 1]], [[2, 3]]])

    def remember(request):
        rules.append((request.budget.rule, request.threads))
        return Outcome(plan)

    monkeypatch.setattr(solve_module, "load", lambda *_: ("remember", remember))
    run(
        "solve", square_file, "--time-limit", 3, "--iterations", 7, "--target", 1.5,
        "--no-improvement", 2, "--threads", 2,
    )  # fmt: skip
    ((rule, threads),) = rules
    assert threads == 2
    for part in ("MaxRuntime(limit=3.0)", "limit=7", "target=1.5", "seconds=2.0"):
        assert part in repr(rule)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--solver", "oracle"), "unknown-solver"),
        (("--time-limit", "-1"), "bad-limit"),
        (("--time-limit", "nan"), "bad-limit"),
        (("--time-limit", "soon"), "--time-limit"),
        (("--iterations", "-1"), "bad-limit"),
        (("--target", "inf"), "bad-limit"),
        (("--seed", "-1"), "bad-seed"),
        (("--threads", "0"), "bad-threads"),
        (("--out", "plan.xls"), "unknown-format"),
        (("--out", "no/such/plan.json"), "no-such-folder"),
        (("--picture", "plan.doc"), "unknown-format"),
        (("--start", "nothing.json"), "no-such-file"),
        (("--num-vehicles", "3"), "unused-option"),
        (("--fast",), "--fast"),
    ],
)
def test_bad_options(run, square_file: Path, tmp_path: Path, monkeypatch, options, said) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("solve", square_file, *options)
    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stdout == ""
    assert [path.name for path in tmp_path.iterdir()] == ["square.json"]


BAD_FILES = {
    "empty.json": b"",
    "blank.json": b"  \n",
    "cut.json": b'{"problem": "hcvrp", "depot"',
    "list.json": b"[1, 2, 3]",
    "junk.json": bytes(range(256)),
    "junk": bytes(range(256)),
    "junk.npz": b"PK\x03\x04 no zip at all",
    "missing.json": b'{"problem": "hcvrp"}',
    "nan.json": b'{"problem": "hcvrp", "depot": {"x": NaN, "y": 0},'
    b'"customers": [{"id": "a", "x": 1, "y": 1, "demand": -1}],'
    b'"vehicles": [{"id": "v", "capacity": 1, "speed": 0}]}',
    "none.json": b'{"problem": "hcvrp", "depot": {"x": 0, "y": 0},'
    b'"customers": [{"id": "a", "x": 1, "y": 1, "demand": 1}], "vehicles": []}',
    "heavy.json": b'{"problem": "hcvrp", "depot": {"x": 0, "y": 0},'
    b'"customers": [{"id": "a", "x": 1, "y": 1, "demand": 5}],'
    b'"vehicles": [{"id": "v", "capacity": 1, "speed": 1}]}',
}


@pytest.mark.parametrize("command", ["solve", "check", "convert", "plot", "evaluate"])
@pytest.mark.parametrize("name", [*BAD_FILES, "a directory", "nothing at all.json"])
def test_bad_files_for_every_command_that_reads_one(
    run, tmp_path: Path, square_plan: Path, command: str, name: str
) -> None:
    path, out = tmp_path / name, tmp_path / "out.json"
    if name in BAD_FILES:
        path.write_bytes(BAD_FILES[name])
    elif name == "a directory":
        path.mkdir()
    more = {
        "solve": ("--out", out, "--json"),
        "check": (square_plan,),
        "convert": (out,),
        "plot": ("--out", tmp_path / "out.png"),
        "evaluate": (),
    }[command]
    before = sorted(tmp_path.iterdir())
    done = run(command, path, *more)
    assert done.exit_code == 2, done.stderr
    assert done.stdout == ""
    assert "Error: [" in done.stderr
    assert sorted(tmp_path.iterdir()) == before


def test_all_faults_at_once(run, tmp_path: Path) -> None:
    path = tmp_path / "nan.json"
    path.write_bytes(BAD_FILES["nan.json"])
    said = run("solve", path).stderr
    for field in ("depot.x", "customers[0].demand", "vehicles[0].speed"):
        assert field in said


def test_a_plan_of_the_other_problem(run, square_plan: Path, corridor_file: Path) -> None:
    done = run("solve", corridor_file, "--start", square_plan)
    assert done.exit_code == 2


def test_units_of_a_town(run, tmp_path: Path) -> None:
    done = run("solve", Path("examples/deliveries.json").resolve(), "--solver", "dispatch")
    assert "finish (h)" in done.stdout


def test_an_older_plan_is_replaced_and_reads_and_writes_as_the_same(
    run, square_file: Path, tmp_path: Path
) -> None:
    out, again = tmp_path / "plan.json", tmp_path / "again.json"
    out.write_text("old")
    assert run("solve", square_file, "--solver", "dispatch", "--out", out).exit_code == 0
    problem = instances.square()
    plan = read_plan(out, problem)
    assert check(problem, plan).feasible
    write_plan(plan, again, problem)
    assert read_plan(again, problem) == plan


@pytest.mark.parametrize("suffix", [".gpx", ".html"])
def test_what_only_sheets_are_is_refused_with_the_command_for_it(
    run, square_file, tmp_path, suffix
):
    done = run("solve", square_file, "--out", tmp_path / f"plan{suffix}")
    assert done.exit_code == 2
    assert f"geopar sheet writes {suffix}" in done.stderr


def test_how_good_it_could_be(run, square_file: Path) -> None:
    done = run("solve", square_file, "--iterations", 10, "--bound", 10, "--json")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert 0.0 < found["bound"]["value"] <= found["objective"]


def test_a_bound_is_refused_before_a_long_run(run, corridor_file: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    done = run("solve", corridor_file, "--time-limit", 1000, "--bound", 10, "--out", plan)
    assert done.exit_code == 2
    assert "no-bound" in done.stderr
    assert not plan.exists()
