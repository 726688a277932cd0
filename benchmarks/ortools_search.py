"""OR-Tools beside our search, on the first instances of the frozen sets.

Seconds are of CPU on one core, so that a busy machine gives the same figures: OR-Tools stops by
that clock, and ``refine``, which cools by what is left, gets the iterations that it does in so many
seconds. The last column is OR-Tools' mean over that of ``refine``. Lines are added to
``benchmarks/results/ortools.csv``.

    python benchmarks/ortools_search.py --sets omdcpdp/50/5,hcvrp/60/3 --count 8
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field

import numpy as np
from rich.console import Console
from rich.table import Table

from geopar.problems.frozen import frozen
from geopar.solver import solvers
from geopar.solving import load, run
from geopar.stop import MaxIterations, Progress, StopRule
from provenance import RESULTS, append, origin

NAMES = ("ortools", "ortools-span")
# What the paper prints for OR-Tools, over whole sets.
PRINTED = {
    "omdcpdp/50/5": 37.61, "omdcpdp/50/7": 30.18, "omdcpdp/100/10": 66.78, "omdcpdp/100/15": 51.49
}  # fmt: skip


@dataclass(frozen=True)
class CpuTime(StopRule):
    """Stop after so many seconds of this process's CPU time."""

    limit: float
    _began: float = field(default_factory=time.process_time)

    def fraction(self, progress: Progress) -> float:
        """CPU seconds passed over the limit."""
        return (time.process_time() - self._began) / self.limit


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default="omdcpdp/50/5,hcvrp/60/3")
    parser.add_argument("--count", type=int, default=8, help="instances of each set")
    parser.add_argument("--seconds", type=float, default=30.0, help="for OR-Tools")
    parser.add_argument("--solvers", default=",".join(NAMES))
    parser.add_argument("--ours", type=float, default=10.0, help="seconds for refine")
    options = parser.parse_args()
    table = Table("set", "solver", "seconds", "mean", "paper", "over refine")
    for name in options.sets.split(","):
        kind = name.split("/")[0]
        names = [one for one in options.solvers.split(",") if one in solvers(kind)]
        costs: dict[str, list[float]] = {one: [] for one in ("refine", *names)}
        for problem in frozen(name, options.count):
            costs["refine"].append(refined(problem, options.ours))
            for one in names:
                loaded = load(one, kind)
                result = run(problem, CpuTime(options.seconds), solver=loaded)
                costs[one].append(result.objective)
            print(problem.name, *(f"{one} {costs[one][-1]:.3f}" for one in costs), flush=True)
        for one, found in costs.items():
            seconds = options.ours if one == "refine" else options.seconds
            printed = str(PRINTED.get(name, "")) if one == "ortools-span" else ""
            ratio = np.mean(found) / np.mean(costs["refine"])
            mean = f"{np.mean(found):.3f}"
            line = {"set": name, "solver": one, "seconds": f"{seconds:g}"}
            line |= {"instances": str(options.count), "objective": mean}
            append(RESULTS / "ortools.csv", [line | origin()])
            table.add_row(name, one, f"{seconds:g}", mean, printed, f"{ratio:.3f}")
    Console().print(table)


def refined(problem, seconds: float) -> float:
    """What refine reaches in so many seconds of CPU time."""
    loaded = load("refine", problem.kind)
    few = 20_000
    began = time.process_time()
    run(problem, MaxIterations(few), solver=loaded)
    rate = few / (time.process_time() - began)
    return run(problem, MaxIterations(int(rate * seconds)), solver=loaded).objective


if __name__ == "__main__":
    main()
