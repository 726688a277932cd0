"""What knowing service times is worth: the same day planned with and without them.

    python benchmarks/ordinary_day.py [--days 10] [--seconds 5]

Sixty stops of 3, 5 or 10 minutes in a town, five vans of unlike size, a quarter of an hour for each
reload. Both plans are driven by the checker on the real day; the ratio of the last return is told,
and whether the schedule of the plan that knows says what happens, to a second.
"""

from __future__ import annotations

import argparse

import numpy as np

from geopar import HCVRP, check, solve
from geopar.problems.day import Day


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
    """Print a row for each day, and the mean."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=5.0)
    given = parser.parse_args()
    ratios = []
    print("day  told without  happens  with  ratio  schedule off by (s)")
    for seed in range(given.days):
        day = ordinary_day(seed)
        blind = solve(day.replace(day=None), given.seconds, seed)
        happens = check(day, blind.plan.with_objective(None)).objective
        knowing = solve(day, given.seconds, seed)
        finish = max(table.finish for table in knowing.timetables)
        off = 3600 * abs(finish - check(day, knowing.plan).objective)
        ratios.append(knowing.objective / happens)
        print(
            f"{seed:3}  {blind.objective:12.3f}  {happens:7.3f}  {knowing.objective:.3f}  "
            f"{ratios[-1]:.3f}  {off:.6f}"
        )
    print(f"mean ratio {np.mean(ratios):.3f}, worst {max(ratios):.3f}")


if __name__ == "__main__":
    main()
