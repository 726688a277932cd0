"""Iterations per second of ``refine`` by the size of the instance: it should hardly fall.

    python benchmarks/search_speed.py [--seconds 2] [--largest 100000]

Also shows when the first plan stands, and the memory of the process at its height.
"""

from __future__ import annotations

import argparse
import resource

import numpy as np
from rich.console import Console
from rich.table import Table

from geopar.problems.setting import Setting
from geopar.solving import load, run

SETTINGS = (
    "hcvrp/60/3", "hcvrp/1000/20", "hcvrp/5000/400", "hcvrp/20000/400", "hcvrp/100000/2000",
    "omdcpdp/50/5", "omdcpdp/1000/20", "omdcpdp/4000/80", "omdcpdp/20000/400",
    "omdcpdp/100000/2000",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--largest", type=int, default=100_000)
    options = parser.parse_args()
    table = Table()
    for title in ("set", "iterations/s", "first plan after s", "first", "last", "peak MiB so far"):
        table.add_column(title, justify="right")
    for name in SETTINGS:
        setting = Setting.parse(name)
        if setting.num_tasks > options.largest:
            continue
        problem = setting.generate(np.random.default_rng(0))
        solver = load("refine", setting.kind, print)
        seen = []
        limit = options.seconds + setting.num_tasks * 5e-5
        run(problem, limit, 0, solver=solver, observe=seen.append)
        first, last = seen[0], seen[-1]
        rate = last.iterations / max(last.seconds - first.seconds, 1e-9)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        table.add_row(
            name, f"{rate:,.0f}", f"{first.seconds:.2f}", f"{first.cost:.2f}", f"{last.cost:.2f}",
            f"{peak:,.0f}",
        )  # fmt: skip
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
