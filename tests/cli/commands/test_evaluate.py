import csv
import importlib
import json
import sys
from pathlib import Path
from types import ModuleType

import instances
from geopar.errors import Faults
from geopar.files import write_batch
from geopar.plan import Plan
from geopar.solver import Outcome, SolverInfo


def use(monkeypatch, name, solver) -> None:
    monkeypatch.setattr("geopar.many.solving.configured", lambda *_: (name, solver))
    monkeypatch.setattr("geopar.many.solving._made", {})


solvers_module = importlib.import_module("geopar.solver")

KEYS = [
    "set", "solver", "count", "objective", "objective_stderr", "bound_ratio", "steps", "seconds",
    "median_seconds", "infeasible",
]  # fmt: skip


def test_one_json_object(run) -> None:
    done = run("evaluate", "hcvrp/10/2", "--solver", "dispatch", "--count", 2, "--json")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert list(found) == KEYS
    assert (found["set"], found["count"], found["infeasible"]) == ("hcvrp/10/2", 2, 0)


def test_a_table_for_people(run) -> None:
    done = run("evaluate", "omdcpdp/10/2", "--solver", "dispatch", "--count", 2)
    assert done.exit_code == 0
    assert "omdcpdp/10/2" in done.stdout
    assert "dispatch" in done.stdout
    assert "bound" not in done.stdout


def test_an_npz_file(run, tmp_path: Path) -> None:
    path = tmp_path / "mine.npz"
    write_batch([instances.square()] * 3, path)
    found = json.loads(run("evaluate", path, "--solver", "dispatch", "--json").stdout)
    assert (found["set"], found["count"]) == ("mine.npz", 3)


def test_rows(run, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    run("evaluate", "hcvrp/10/2", "--solver", "dispatch", "--count", 2, "--rows", path)
    with path.open() as file:
        rows = list(csv.DictReader(file))
    assert [row["instance"] for row in rows] == ["hcvrp/10/2#0", "hcvrp/10/2#1"]
    assert {row["solver"] for row in rows} == {"dispatch"}


def test_all_solvers_but_those_that_are_not_installed(run, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(
        solvers_module,
        "_ALL",
        (
            SolverInfo("dispatch", "", "geopar.search.dispatch:dispatch"),
            SolverInfo("again", "", "geopar.search.dispatch:dispatch"),
            SolverInfo("pickups", "", "geopar.search.dispatch:dispatch", kinds=("omdcpdp",)),
            SolverInfo("absent", "", "no_such_package:solve", extra="peers"),
        ),
    )
    rows = tmp_path / "rows.csv"
    done = run(
        "evaluate", "hcvrp/10/2", "--solver", "all", "--count", 1, "--json", "--rows", rows
    )  # fmt: skip
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert [row["solver"] for row in found["evaluations"]] == ["dispatch", "again"]
    assert "geopar[peers]" in done.stderr
    assert len(rows.read_text().splitlines()) == 3


def untaught(*args, **options):
    faults = Faults()
    faults.add("no-weights", "weights", ..., "are not installed.", "Train some.")
    faults.raise_now()


def test_those_without_weights_are_left_out_of_all(run, monkeypatch) -> None:
    module = ModuleType("untaught_network")
    monkeypatch.setattr(module, "solve", untaught, raising=False)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    network = SolverInfo("network", "", "untaught_network:solve")
    dispatch = SolverInfo("dispatch", "", "geopar.search.dispatch:dispatch")
    monkeypatch.setattr(solvers_module, "_ALL", (network, dispatch))
    done = run("evaluate", "hcvrp/10/2", "--solver", "all", "--count", 1, "--json")
    assert [row["solver"] for row in json.loads(done.stdout)["evaluations"]] == ["dispatch"]
    assert "no-weights" in done.stderr
    assert run("evaluate", "hcvrp/10/2", "--solver", "network", "--count", 1).exit_code == 2


def test_one_that_is_not_installed(run, monkeypatch) -> None:
    absent = SolverInfo("absent", "", "no_such_package:solve", extra="peers")
    monkeypatch.setattr(solvers_module, "_ALL", (absent,))
    done = run("evaluate", "hcvrp/10/2", "--solver", "absent", "--count", 1)
    assert done.exit_code == 2
    assert "geopar[peers]" in done.stderr


def test_infeasible_plans_end_with_1(run, monkeypatch) -> None:
    empty = ("empty", lambda *args, **options: Outcome(Plan("hcvrp", ())))
    use(monkeypatch, *empty)
    done = run("evaluate", "hcvrp/10/2", "--count", 1, "--json")
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    assert found["infeasible"] == 1
    assert found["objective"] is None


def test_an_interrupt_is_told(run, monkeypatch) -> None:
    calls = []

    def interrupted(request):
        calls.append(request)
        request.budget.interrupted = len(calls) == 2
        return Outcome(Plan.from_indices(request.problem, [[[i] for i in range(10)], []]))

    use(monkeypatch, "fake", interrupted)
    done = run("evaluate", "hcvrp/10/2", "--count", 5, "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["count"] == 1
    assert "1 of 5" in done.stderr


def test_bad_input(run, tmp_path: Path) -> None:
    for arguments, code in (
        (("tsp/10/2",), "unknown-problem"),
        (("hcvrp/10/2", "--count", "0"), "bad-count"),
        (("hcvrp/10/2", "--solver", "oracle"), "unknown-solver"),
        (("hcvrp/10/2", "--time-limit", "-1"), "bad-limit"),
        (("hcvrp/10/2", "--rows", tmp_path), "is-a-directory"),
        (("hcvrp/10/2", "--solver", "dispatch", "--device", "cuda"), "bad-device"),
        (("hcvrp/10/2", "--solver", "dispatch", "--threads", "0"), "bad-threads"),
        (("nothing.npz",), "no-such-file"),
    ):
        done = run("evaluate", *arguments)
        assert done.exit_code == 2, arguments
        assert f"[{code}]" in done.stderr
        assert done.stdout == ""
