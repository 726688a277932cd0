"""Windows, trips and release dates, for distance: ``refine`` against best known solutions.

    python benchmarks/windows.py FOLDER [--seconds 10] [--names C201R0.25,RC1_10_5]

FOLDER has VRPLIB files with a ``.sol`` beside each, as PyVRP publishes them. Distances and times
are cut to one decimal, as the DIMACS challenge does. Seconds are those of the processor, so that a
busy machine does not matter; compiling is not counted.
"""

from __future__ import annotations

import argparse
import re
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from geopar.check import check
from geopar.files import read_problem
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.search.engines import operations_of

# Between two looks at the clock.
PIECE = 0.1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--names", help="separated by commas; all by default")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chosen = options.names.split(",") if options.names else None
    table = Table()
    for title in ("instance", "best known", "distance", "above by", "left out", "iterations/s"):
        table.add_column(title, justify="right")
    for path in sorted(options.folder.glob("*.vrp")):
        if chosen is None or path.stem in chosen:
            problem = read_problem(path, rounding="dimacs", minimise="distance")
            plan, rate = searched(problem, options.seconds, options.seed)
            report = check(problem, plan)
            best = best_known(path.with_suffix(".sol"))
            above = f"{report.objective / best - 1:+.2%}"
            numbers = f"{best:.1f}", f"{report.objective:.1f}", above, str(len(report.left_out))
            table.add_row(path.stem, *numbers, f"{rate:,.0f}")
    Console().print(table)


def best_known(path: Path) -> float:
    """From a solution; those of several trips count in tenths."""
    found = re.search(r"Cost(:?)\s*([\d.]+)", path.read_text())
    assert found is not None
    return float(found[2]) / (10.0 if found[1] else 1.0)


def searched(problem: Problem, seconds: float, seed: int) -> tuple[Plan, float]:
    """The best plan after so many seconds of the processor, and iterations a second."""
    operations = operations_of(problem)
    data = operations.prepare(problem)
    settings = operations.settings(data, seconds / operations.seconds_per_iteration)
    operations.advance(data, operations.initial(data, seed), settings, 1, 0.0, 1.0)
    state = operations.initial(data, seed)
    begin, spent, done = time.process_time(), 0.0, 0
    rate = 1.0 / operations.seconds_per_iteration
    while spent < seconds:
        count = max(1, int(rate * min(PIECE, seconds - spent)))
        end = min(1.0, (spent + count / rate) / seconds)
        operations.advance(data, state, settings, count, spent / seconds, end)
        done, spent = done + count, time.process_time() - begin
        rate = done / spent
    return Plan.from_indices(problem, operations.best_routes(data, state)), rate


if __name__ == "__main__":
    main()
