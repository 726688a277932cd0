import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import geopar

ROOT = Path(__file__).parent.parent

HEAVY = ("torch", "numba", "scipy", "matplotlib", "rich", "typer", "vrplib")

PROMISED = {
    "read", "HCVRP", "OMDCPDP", "solve", "check", "plot", "Plan", "Result", "MaxRuntime",
    "MaxIterations", "NoImprovement", "TargetCost", "solvers", "frozen", "generate",
}  # fmt: skip


def loaded_by(code: str) -> list[str]:
    """Which of the heavy packages a fresh Python has loaded after this code."""
    code += f"\nimport sys, json; print(json.dumps([m for m in {HEAVY} if m in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_all_that_is_promised_is_there() -> None:
    assert set(geopar.__all__) >= PROMISED
    for name in geopar.__all__:
        assert getattr(geopar, name) is not None


def test_importing_it_loads_nothing_heavy() -> None:
    assert loaded_by("import geopar") == []


def test_nor_do_problems_plans_and_checks() -> None:
    code = (
        "import geopar; p = geopar.generate('hcvrp/5/2'); geopar.MaxRuntime(1);"
        "geopar.check(p, geopar.Plan('hcvrp', ())); geopar.solvers(); geopar.frozen('hcvrp/5/2', 1)"
    )
    assert loaded_by(code) == []


def test_the_commands_load_nothing_that_is_slow() -> None:
    assert set(loaded_by("import geopar.cli")) == {"rich", "typer"}


def test_unknown_names() -> None:
    with pytest.raises(AttributeError, match=r"'sovle'\. Maybe solve\."):
        geopar.sovle  # noqa: B018


def test_dir_lists_the_face() -> None:
    assert set(dir(geopar)) == set(geopar.__all__)


def test_the_example_of_the_readme_runs(tmp_path: Path, monkeypatch) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert len(code.splitlines()) <= 12
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    # What takes long in it is its time limit.
    exec(re.sub(r"MaxRuntime\(\d+\)", "MaxRuntime(0.1)", code), {})
    assert (tmp_path / "plan.png").stat().st_size > 1000


@pytest.mark.parametrize("name", ["deliveries", "couriers"])
def test_the_examples_are_fine(name: str) -> None:
    problem = geopar.read(ROOT / "examples" / f"{name}.json")
    result = geopar.solve(problem, 0.1, solver="dispatch")
    assert geopar.check(problem, result.plan).feasible
