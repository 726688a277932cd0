"""How long files take: reading (validation and construction included) and writing of each format.

Example: ``python benchmarks/read_speed.py --tasks 100000``.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from geopar.files import read_plan, read_problem, write_plan, write_problem
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.problems.hcvrp.generate import generate as generate_hcvrp
from geopar.problems.omdcpdp.generate import generate as generate_omdcpdp


def best_seconds(action: Callable[[], object], repeats: int) -> float:
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def any_plan(problem: Problem) -> Plan:
    """Tasks dealt out in turn; neither good nor feasible, but as long as a real plan."""
    shares = np.array_split(np.arange(problem.num_tasks), problem.num_vehicles)
    if problem.kind == "omdcpdp":
        return Plan.from_indices(problem, [[share] for share in shares])
    return Plan.from_indices(
        problem, [np.array_split(share, max(1, len(share) // 8)) for share in shares]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=100_000)
    parser.add_argument("--vehicles", type=int, default=1_000)
    parser.add_argument("--repeats", type=int, default=3, help="the best of so many is told")
    options = parser.parse_args()

    rng = np.random.default_rng(1)
    hcvrp = generate_hcvrp(options.tasks, options.vehicles, rng)
    even = hcvrp.replace(
        capacity=np.full(options.vehicles, 40), speed=np.ones(options.vehicles)
    )  # what VRPLIB can say
    omdcpdp = generate_omdcpdp(options.tasks, options.vehicles, rng)
    print(f"{'file':<16}{'megabytes':>10}{'write s':>10}{'read s':>10}")
    with tempfile.TemporaryDirectory() as folder:
        for problem, name in (
            (hcvrp, "hcvrp.json"), (omdcpdp, "omdcpdp.json"), (hcvrp, "hcvrp.csv"),
            (omdcpdp, "omdcpdp.csv"), (hcvrp, "hcvrp.npz"), (even, "hcvrp.vrp"),
        ):  # fmt: skip
            path = Path(folder, name)
            write = best_seconds(lambda p=problem, f=path: write_problem(p, f), options.repeats)
            read = best_seconds(lambda f=path: read_problem(f), options.repeats)
            size = path.stat().st_size / 1e6
            print(f"{name:<16}{size:>10.1f}{write:>10.2f}{read:>10.2f}")
        plan = any_plan(hcvrp)
        for name in ("plan.json", "plan.sol", "plan.geojson"):
            path = Path(folder, name)
            write = best_seconds(lambda f=path: write_plan(plan, f, hcvrp), options.repeats)
            size = path.stat().st_size / 1e6
            line = f"{name:<16}{size:>10.1f}{write:>10.2f}"
            if name != "plan.geojson":  # is only written
                line += (
                    f"{best_seconds(lambda f=path: read_plan(f, hcvrp), options.repeats):>10.2f}"
                )
            print(line)


if __name__ == "__main__":
    main()
