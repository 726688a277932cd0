"""The last return of a delivery day: ``refine`` against PyVRP with ever shorter shifts.

    python benchmarks/makespan_windows.py [--stops 100,200,500,1000] [--seconds 10] [--seeds 3]

Days with a matrix for each kind of van, service, reloads and opening hours, of
:func:`geopar.problems.delivery_day.delivery_day`. Both have as many seconds of the processor;
compiling is not counted. Lines are added to ``benchmarks/results/makespan-windows.csv``.
"""

from __future__ import annotations

import argparse

from geopar.checking import check
from geopar.problems.delivery_day import delivery_day
from provenance import RESULTS, origin, read, write
from pyvrp_days import makespan
from windows import searched

TABLE = RESULTS / "makespan-windows.csv"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stops", default="100,200,500,1000", help="separated by commas")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    options = parser.parse_args()
    for stops in map(int, options.stops.split(",")):
        for seed in range(options.first, options.first + options.seeds):
            line = measured(stops, options.seconds, seed)
            print(*line.values(), flush=True)
            write(TABLE, [*read(TABLE), {**line, **origin()}])


def measured(stops: int, seconds: float, seed: int) -> dict[str, str]:
    """Both makespans of a day."""
    problem = delivery_day(stops, seed)
    plan, rate = searched(problem, seconds, seed)
    report = check(problem, plan)
    theirs = makespan(problem, seconds, seed)
    return {
        "stops": str(stops), "vans": str(problem.num_vehicles), "seed": str(seed),
        "seconds": f"{seconds:g}", "refine": f"{report.objective:.0f}",
        "left_out": str(len(report.left_out)), "pyvrp": f"{theirs:.0f}",
        "below": f"{100.0 * (1.0 - report.objective / theirs):.1f}",
        "iterations_a_second": f"{rate:.0f}",
    }  # fmt: skip


if __name__ == "__main__":
    main()
