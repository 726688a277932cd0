"""The paper's classical solvers on the first instances of its small sets, beside what it printed.

The paper's means are over whole sets, so those of a few instances are also shown corrected: the
objective is regressed on the lower bound of the instances run and read off at the set's mean
bound.

    python benchmarks/classical.py --count 16 --factors sisr=0.02,ga=1,sa=1
"""

from __future__ import annotations

import argparse
import functools
import time

import numpy as np
from rich.console import Console
from rich.table import Table

from geopar.peers.classical.annealing import AnnealingParameters, annealing
from geopar.peers.classical.genetic import GeneticParameters, genetic
from geopar.peers.classical.sisr import SisrParameters, sisr
from geopar.problems.frozen import frozen
from geopar.problems.hcvrp.bound import lower_bound
from geopar.solving import load, run
from geopar.stop import NoImprovement

SETS = "60/3,60/5,100/5,100/7"
SOLVERS = {
    "sisr": (sisr, SisrParameters),
    "ga": (genetic, GeneticParameters),
    "sa": (annealing, AnnealingParameters),
}
PRINTED = {
    "sisr": {"60/3": 6.57, "60/5": 4.00, "100/5": 6.17, "100/7": 4.45},
    "ga": {"60/3": 9.21, "60/5": 6.89, "100/5": 10.93, "100/7": 9.10},
    "sa": {"60/3": 7.04, "60/5": 4.39, "100/5": 6.80, "100/7": 5.01},
}
# Ends no run: the solver's own budget does.
UNTIL_DONE = NoImprovement(iterations=1e18)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--count", type=int, default=16, help="instances of each set, 3 or more")
    parser.add_argument("--factors", default="sisr=0.02,ga=1,sa=1", help="parts of full budgets")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    table = Table("solver", "factor", "set", "mean", "corrected", "±", "paper", "CPU s", "it/s")
    for pair in options.factors.split(","):
        name, _, factor = pair.partition("=")
        for size in options.sets.split(","):
            row = measure(name, float(factor), size, options.count, options.seed)
            table.add_row(name, factor, size, *row)
            print(name, factor, size, *row, flush=True)
    Console().print(table)


def measure(name: str, factor: float, size: str, count: int, seed: int) -> list[str]:
    solver, parameters = SOLVERS[name]
    call = functools.partial(solver, parameters=parameters(factor=factor))
    load(name, "hcvrp")
    began, iterations, costs = time.process_time(), 0, []
    for problem in frozen(f"hcvrp/{size}", count):
        result = run(problem, UNTIL_DONE, seed, solver=(name, call))
        costs.append(result.objective)
        iterations += result.iterations or 0
    seconds = time.process_time() - began
    corrected, error = at_mean_bound(size, np.array(costs))
    return [
        f"{np.mean(costs):.3f}", f"{corrected:.3f}", f"{error:.3f}", f"{PRINTED[name][size]:.2f}",
        f"{seconds / count:.2f}", f"{iterations / seconds:,.0f}",
    ]  # fmt: skip


def at_mean_bound(size: str, costs: np.ndarray) -> tuple[float, float]:
    """The mean that the whole set would have, and its standard error."""
    bounds = np.array([lower_bound(problem) for problem in frozen(f"hcvrp/{size}")])
    own = bounds[: len(costs)]
    slope, intercept = np.polyfit(own, costs, 1)
    scatter = costs - (slope * own + intercept)
    error = np.sqrt((scatter**2).sum() / (len(costs) - 2) / len(costs))
    return float(slope * bounds.mean() + intercept), float(error)


if __name__ == "__main__":
    main()
