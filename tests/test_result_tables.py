"""Tables of README and documentation are those of the files under ``benchmarks/results``."""

import csv
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
BENCHMARKS = ROOT / "benchmarks"
FILES = sorted((BENCHMARKS / "results").glob("*.csv"))


@pytest.fixture(scope="module")
def writer() -> dict[str, Any]:
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return runpy.run_path(str(BENCHMARKS / "write_tables.py"))
    finally:
        sys.path.remove(str(BENCHMARKS))


def lines(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_no_table_differs_from_its_file(writer: dict[str, Any]) -> None:
    stale = [p.name for p in writer["PAGES"] if writer["renewed"](p.read_text()) != p.read_text()]
    assert stale == [], "run python benchmarks/write_tables.py"


def test_a_changed_number_is_noticed(writer: dict[str, Any]) -> None:
    page = (ROOT / "README.md").read_text()
    (measured,) = (x["objective"] for x in writer["load"]("search") if x["set"] == "hcvrp/60/3")
    assert f"| {measured} ± " in page
    assert writer["renewed"](page.replace(measured, "0.001")) == page


def test_every_table_is_shown_somewhere(writer: dict[str, Any]) -> None:
    shown = {
        name for p in writer["PAGES"] for _, name, _ in writer["REGION"].findall(p.read_text())
    }
    rest = set(writer["tables"]()) - shown
    # Small sets have no ratio to a bound, and neither has OMDCPDP.
    assert all(name.endswith("bound_ratio") for name in rest)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_number_has_an_origin(path: Path) -> None:
    for line in lines(path):
        assert line["command"].split()[0] in ("geopar", "python") or "geopar" in line["command"]
        assert len(line["commit"]) == 7
        assert line["date"].startswith("20")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_scripts_that_made_numbers_are_there(path: Path) -> None:
    scripts = {w for line in lines(path) for w in line["command"].split() if w.endswith(".py")}
    assert all((ROOT / script).is_file() for script in scripts)


def test_steps_of_whole_orders_are_not_set_beside_those_of_single_tasks(
    writer: dict[str, Any],
) -> None:
    table = writer["tables"]()["everybody-omdcpdp-small-steps"]()
    assert "`parco`" in table
    assert "`pointer`" not in table


def rows(table: str) -> dict[str, list[str]]:
    cells = [line.strip("| ").split(" | ") for line in table.splitlines()]
    return {row[0]: row[1:] for row in cells}


@pytest.mark.parametrize(
    ("name", "method"),
    [("table-1-hcvrp-large", "GeoPAR, ca"), ("ablation-steps", "GeoPAR, branch off"),
     ("assignment-utilisation", "Full CA at decoding")],
)  # fmt: skip
def test_a_line_that_the_paper_has_not_has_no_number_of_its(
    writer: dict[str, Any], name: str, method: str
) -> None:
    found = rows(writer["tables"]()[f"paper-{name}"]())
    assert not [cell for cell in found[method] if "(" in cell]
    others = [cells for other, cells in found.items() if other in ("PARCO", "Full CA")]
    assert others
    assert all("(" in cell for cells in others for cell in cells)


def test_objectives_of_hcvrp_are_over_the_bound(writer: dict[str, Any]) -> None:
    tables = writer["tables"]()
    found = rows(tables["paper-table-1-hcvrp-large"]())
    quoted = rows(tables["hcvrp-large"]())["GeoPAR, published"]
    brackets = [float(cell.partition("(")[2].rstrip(")")) for cell in found["GeoPAR"]]
    assert brackets == pytest.approx([float(cell.split()[0]) for cell in quoted], abs=1e-3)
    (line,) = [
        x
        for x in lines(BENCHMARKS / "results" / "paper.csv")
        if (x["experiment"], x["set"], x["method"]) == ("table-1", "hcvrp/1000/20", "GeoPAR")
    ]
    own = float(found["GeoPAR"][0].partition(" ")[0])
    assert own / brackets[0] == pytest.approx(float(line["objective_ratio"]), rel=2e-3)


def test_the_command_checks(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / "write_tables.py"), "--check"], cwd=tmp_path, check=False
    )
    assert done.returncode == 0
