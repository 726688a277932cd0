"""The program as a shell runs it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import instances
from geopar.__about__ import __version__
from geopar.cli import main
from geopar.files import write_problem

# Where the tests run with Ctrl-C ignored, the program would inherit that.
PROGRAM = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
{setup}
from geopar.cli import main
main()
"""

# A solver that runs until it is told to stop.
PATIENT = """
import time
from geopar import solvers as _
import sys
listed = sys.modules["geopar.solver"]
listed._ALL = (listed.SolverInfo("dispatch", "", "__main__:patient"),)

def patient(request):
    from geopar.plan import Plan
    from geopar.solver import Outcome
    outcome = Outcome(Plan.from_indices(request.problem, [[[0, 1]], [[2, 3]]]))
    print("running", file=sys.stderr, flush=True)
    while not request.budget.done:
        time.sleep(0.01)
    return outcome
"""


def command(*arguments: object, setup: str = "") -> list[str]:
    code = PROGRAM.format(setup=setup)
    return [sys.executable, "-c", code, *map(str, arguments)]


def run(*arguments: object, **options) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k != "GEOPAR_TRACEBACK"}
    return subprocess.run(
        command(*arguments), capture_output=True, text=True, timeout=120, env=environment, **options
    )


def test_version(monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "argv", ["geopar", "--version"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    assert capsys.readouterr().out == f"geopar {__version__}\n"


def test_help_without_arguments_and_on_demand() -> None:
    done = run("--help")
    assert done.returncode == 0
    for name in ("generate", "check", "convert", "plot", "solve", "evaluate", "solvers", "info"):
        assert name in done.stdout


def test_exit_codes(square_file: Path, broken_plan: Path) -> None:
    assert run("check", square_file, broken_plan).returncode == 1
    done = run("check", square_file, "nothing.json")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert run("no-such-command").returncode == 2


def test_ctrl_c_returns_the_best_plan_so_far(square_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "plan.json"
    with subprocess.Popen(
        command(
            "solve", square_file, "--time-limit", 100, "--json", "--out", out, setup=PATIENT
        ),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as program:  # fmt: skip
        assert program.stderr is not None
        assert program.stderr.readline() == "running\n"
        program.send_signal(signal.SIGINT)
        stdout, _ = program.communicate(timeout=60)
    assert program.returncode == 0
    found = json.loads(stdout)
    assert found["interrupted"] is True
    assert found["feasible"] is True
    assert out.exists()


def test_ctrl_c_twice_ends_at_once(square_file: Path, tmp_path: Path) -> None:
    after = 'print("told", file=sys.stderr, flush=True)\n    while True:\n        time.sleep(0.01)'
    stubborn = PATIENT.replace("return outcome", after)
    out = tmp_path / "plan.json"
    with subprocess.Popen(
        command("solve", square_file, "--time-limit", 100, "--out", out, setup=stubborn),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as program:  # fmt: skip
        assert program.stderr is not None
        for heard in ("running\n", "told\n"):
            assert program.stderr.readline() == heard
            program.send_signal(signal.SIGINT)
        stdout, stderr = program.communicate(timeout=60)
    assert program.returncode == 130
    assert stdout == ""
    assert "Stopped" in stderr
    assert not out.exists()


def test_nobody_reads_the_output(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            command("generate", "hcvrp/5/2"), stdout=writer, stderr=subprocess.PIPE, text=True
        )
    finally:
        os.close(writer)
    assert done.returncode == 141
    assert done.stderr == ""


def test_ids_that_the_terminal_cannot_show(tmp_path: Path) -> None:
    path = tmp_path / "problem.json"
    write_problem(instances.square().replace(vehicle_ids=["東", "西"]), path)
    done = subprocess.run(
        command("solve", path, "--time-limit", 0, setup=PATIENT),
        capture_output=True, text=True, env=os.environ | {"PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert done.returncode == 0
    assert "\\u6771" in done.stdout


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_place_that_is_read_only(square_file: Path, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    done = run("solve", square_file, "--out", closed / "plan.json")
    assert done.returncode == 2
