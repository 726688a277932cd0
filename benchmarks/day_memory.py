"""The memory of solving a large day by matrices of times and lengths, at its height.

    python benchmarks/day_memory.py [--stops 5000] [--vehicles 400] [--windows] [--seconds 5]

The problem is written as npz by another process and then read, solved and checked, as a user would.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import tempfile
from pathlib import Path

import numpy as np

import geopar
from geopar.files import write_problem
from geopar.problems import HCVRP
from geopar.problems.day import Day
from geopar.problems.setting import Setting


def write(path: Path, stops: int, vehicles: int, *, windows: bool) -> None:
    """A day with service times, durations and distances, and windows if asked for."""
    rng = np.random.default_rng(0)
    problem = Setting.parse(f"hcvrp/{stops}/{vehicles}").generate(rng)
    assert isinstance(problem, HCVRP)
    places = np.vstack([problem.depot_xy[None], problem.customers_xy])
    lines = np.hypot(*(places[:, None, :] - places[None, :, :]).transpose(2, 0, 1))
    streets = (lines * rng.uniform(1.0, 1.3, lines.shape), lines * rng.uniform(1.0, 1.3))
    begin = rng.uniform(0.0, 3.0, stops)
    hours = [[(b, b + 2.0)] for b in begin.tolist()] if windows else None
    day = Day(matrices={"car": streets}, service=rng.uniform(0.0, 0.1, stops), windows=hours)
    write_problem(problem.replace(day=day), path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stops", type=int, default=5000)
    parser.add_argument("--vehicles", type=int, default=400)
    parser.add_argument("--windows", action="store_true")
    parser.add_argument("--seconds", type=float, default=5.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "day.npz"
        writer = multiprocessing.get_context("spawn").Process(
            target=write, args=(path, options.stops, options.vehicles),
            kwargs={"windows": options.windows},
        )  # fmt: skip
        writer.start()
        writer.join()
        problem = geopar.read(path)
    read = peak()
    result = geopar.solve(problem, geopar.MaxRuntime(options.seconds))
    print(f"read {read:,.0f} MiB, solved and checked {peak():,.0f} MiB at most")
    print(f"{result.iterations:,} iterations, feasible: {result.feasible}")


def peak() -> float:
    """The memory of this process at its height so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
