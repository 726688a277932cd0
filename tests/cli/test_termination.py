"""A real process that is asked to end."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from geopar.checking import check
from geopar.files import read_plan, write_problem
from instances import handful

PATIENCE = 300.0
# `geopar solve` as it is, but for a word on stderr as soon as there is a plan.
SOLVE = """
import sys
from geopar.cli import main
from geopar.cli.commands import solve as module

def solve(*given, observe, usual=module.solve_problem, **options):
    def look(snapshot):
        if not said:
            said.append(print("there is a plan", file=sys.stderr, flush=True))
        return observe(snapshot)

    said = []
    return usual(*given, observe=look, **options)

module.solve_problem = solve
main()
"""
# What scripts run in the background has Ctrl-C ignored, and can only be terminated.
WITHOUT_CTRL_C = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("before", ["", WITHOUT_CTRL_C])
def test_sigterm_keeps_the_best_plan(tmp_path: Path, before: str) -> None:
    problem, plan = tmp_path / "day.json", tmp_path / "plan.json"
    write_problem(handful(), problem)
    options = ["--time-limit", "600", "--solver", "refine", "--threads", "1", "--json"]
    command = [sys.executable, "-c", before + SOLVE, "solve", str(problem), *options]
    run = subprocess.Popen(
        [*command, "--out", str(plan)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert run.stderr is not None
        heard = [line for line in iter(run.stderr.readline, "there is a plan\n") if line]
        run.send_signal(signal.SIGTERM)
        out, told = run.communicate(timeout=PATIENCE)
    finally:
        run.kill()
    assert (run.returncode, "Traceback" in told) == (0, False), (heard, told)
    assert json.loads(out)["interrupted"] is True
    assert check(handful(), read_plan(plan)).feasible


def test_sigterm_before_there_is_a_plan(tmp_path: Path) -> None:
    source = "import signal\nfrom geopar.cli import inputs, main\n"
    source += "inputs.FleetOptions.problem = lambda *_: signal.raise_signal(signal.SIGTERM)\nmain()"
    command = [sys.executable, "-c", source, "solve", "hcvrp/10/2#0", "--out", "plan.json"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "Stopped before there was a result.\n"
    assert list(tmp_path.iterdir()) == []
