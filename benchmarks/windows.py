"""Windows, trips and release dates, for distance: ``refine`` and PyVRP against best known plans.

    python benchmarks/windows.py FOLDER [--seconds 10] [--names C201R0.25,RC1_10_5] [--seeds 3]

FOLDER has VRPLIB files with a ``.sol`` beside each, as PyVRP publishes them. Distances and times
are cut to one decimal, as the DIMACS challenge does. Seconds are those of the processor, so that a
busy machine does not matter; compiling is not counted. Lines are added to
``benchmarks/results/windows.csv``, but for those that it has.
"""

from __future__ import annotations

import argparse
import re
import time
from pathlib import Path

from geopar.checking import check
from geopar.files import read_problem
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.search.engines import make_engine, operations_of
from provenance import RESULTS, origin, read, write

# Between two looks at the clock.
PIECE = 0.1
TABLE = RESULTS / "windows.csv"
OURS = "refine"
SOLVERS = (OURS, "PyVRP 0.14.1")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--names", help="separated by commas; all by default")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--alone", action="store_true", help="without PyVRP")
    options = parser.parse_args()
    chosen = options.names.split(",") if options.names else None
    for path in sorted(options.folder.glob("*.vrp")):
        if chosen is not None and path.stem not in chosen:
            continue
        for seed in range(options.seeds):
            asked = {"file": path.stem, "seconds": f"{options.seconds:g}", "seed": f"{seed}"}
            known = {x["solver"] for x in read(TABLE) if asked.items() <= x.items()}
            wanted = [OURS] if options.alone else SOLVERS
            for name in wanted:
                if name in known:
                    continue
                line = measured(path, name, options.seconds, seed)
                print(*line.values(), flush=True)
                write(TABLE, [*read(TABLE), {**line, **origin()}])


def measured(path: Path, solver: str, seconds: float, seed: int) -> dict[str, str]:
    """What a solver reaches."""
    left_out = 0
    if solver == OURS:
        problem = read_problem(path, rounding="dimacs", minimise="distance")
        plan, rate = searched(problem, seconds, seed)
        report = check(problem, plan)
        length, left_out = report.objective, len(report.left_out)
    else:
        from pyvrp_days import distance

        length, iterations = distance(path, seconds, seed)
        rate = iterations / seconds
    best = best_known(path.with_suffix(".sol"))
    return {
        "file": path.stem, "stops": str(stops_of(path)), "seconds": f"{seconds:g}",
        "seed": str(seed), "solver": solver, "distance": f"{length:.1f}",
        "best_known": f"{best:.1f}", "above": f"{100.0 * (length / best - 1.0):.2f}",
        "left_out": str(left_out), "iterations_a_second": f"{rate:.0f}",
    }  # fmt: skip


def stops_of(path: Path) -> int:
    """How many stops a file has."""
    return read_problem(path, rounding="dimacs", minimise="distance").num_tasks


def best_known(path: Path) -> float:
    """From a solution; those of several trips count in tenths."""
    found = re.search(r"Cost(:?)\s*([\d.]+)", path.read_text())
    assert found is not None
    return float(found[2]) / (10.0 if found[1] else 1.0)


def searched(problem: Problem, seconds: float, seed: int) -> tuple[Plan, float]:
    """The best plan after so many seconds of the processor, and iterations a second."""
    rate = 1.0 / operations_of(problem).seconds_per_iteration
    make_engine(problem, None, seed, rate, 1).advance(1, 0.0, 1.0)  # compiled before the clock
    begin, spent, done = time.process_time(), 0.0, 0
    engine = make_engine(problem, None, seed, seconds * rate, 1)
    while spent < seconds:
        count = max(1, int(rate * min(PIECE, seconds - spent)))
        end = min(1.0, (spent + count / rate) / seconds)
        engine.advance(count, min(end, spent / seconds), end)
        done, spent = done + count, time.process_time() - begin
        rate = done / spent
    return Plan.from_indices(problem, engine.best_routes()), rate


if __name__ == "__main__":
    main()
