"""What knowing service times is worth: the same day planned with and without them.

    python benchmarks/ordinary_day.py [--days 10] [--iterations 300000]

Sixty stops of 3, 5 or 10 minutes in a town, five vans of unlike size, a quarter of an hour for each
reload. Both plans are driven on the real day; told is how much earlier the last is home, and by how
much the schedule of the plan that knows is off, against the second checker.
"""

from __future__ import annotations

import argparse

import numpy as np

from geopar import HCVRP, MaxIterations, check, solve
from geopar.problems.day import Day
from geopar.testing.second_checker import second_opinion
from provenance import RESULTS, origin, write


def ordinary_day(seed: int) -> HCVRP:
    """A random one, in hours."""
    rng = np.random.default_rng(seed)
    stops = 60
    return HCVRP(
        depot=[13.40, 52.52],
        customers=np.array([13.40, 52.52]) + rng.normal(0.0, 1.0, (stops, 2)) * [0.08, 0.05],
        demand=rng.integers(1, 10, stops),
        capacity=[40, 60, 80, 30, 20],
        speed=[28, 25, 22, 28, 18],
        coordinates="lonlat",
        day=Day(service=rng.choice([3, 5, 10], stops) / 60, loading=0.25),
    )


def main() -> None:
    """Print a row for each day, and the mean; keep them in ``results/ordinary-day.csv``."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--days", type=int, default=10)
    parser.add_argument("--iterations", type=int, default=300_000)
    given = parser.parse_args()
    stop = MaxIterations(given.iterations)
    lines, ratios = [], []
    for seed in range(given.days):
        day = ordinary_day(seed)
        blind = solve(day.replace(day=None), stop, seed)
        happens = check(day, blind.plan.with_objective(None)).objective
        knowing = solve(day, stop, seed)
        finish = max(table.finish for table in knowing.timetables)
        _, driven = second_opinion(day, knowing.plan)
        ratios.append(knowing.objective / happens)
        line = {
            "day": str(seed), "told": f"{blind.objective:.3f} h", "happens": f"{happens:.3f} h",
            "knowing": f"{knowing.objective:.3f} h", "earlier": f"{1 - ratios[-1]:.1%}",
            "off_by": f"{3600 * abs(finish - driven):.6f} s",
        }  # fmt: skip
        print(*line.values(), flush=True)
        lines.append({**line, **origin()})
    write(RESULTS / "ordinary-day.csv", lines)
    print(f"earlier by {1 - np.mean(ratios):.1%} in the mean, {1 - max(ratios):.1%} at least")


if __name__ == "__main__":
    main()
