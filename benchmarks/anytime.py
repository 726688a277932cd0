"""The anytime curve: what each solver reaches after 0.1 s to 60 s, on the same instances.

Every point is a run of its own with that time limit, because a search that knows its limit plans
for it. Prints a table of mean objectives and, for HCVRP, of mean ratios to the lower bound; writes
the rows as CSV and the curves as a picture.

    python benchmarks/anytime.py hcvrp/1000/20 --solvers refine,dispatch --seconds 0.1,1,10
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table

from geopar.problems import HCVRP, Problem
from geopar.problems.frozen import frozen
from geopar.problems.hcvrp.bound import lower_bound
from geopar.solve import load, run
from geopar.solvers import solvers

SECONDS = "0.1,0.3,1,3,10,30,60"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("settings", nargs="+", help="frozen sets such as hcvrp/1000/20")
    parser.add_argument("--solvers", help="names, separated by commas; all by default")
    parser.add_argument("--seconds", default=SECONDS)
    parser.add_argument("--count", type=int, default=4, help="instances of each set")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out/anytime"))
    options = parser.parse_args()
    seconds = [float(s) for s in options.seconds.split(",")]
    options.out.parent.mkdir(parents=True, exist_ok=True)
    rows = []
    for setting in options.settings:
        problems = list(frozen(setting, options.count))
        names = options.solvers.split(",") if options.solvers else list(solvers(problems[0].kind))
        results = measure(problems, names, seconds, options.seed, options.threads)
        show(setting, names, seconds, results)
        rows += [
            (setting, name, limit, row, *results[i, j, row])
            for i, name in enumerate(names)
            for j, limit in enumerate(seconds)
            for row in range(len(problems))
        ]
        draw(setting, names, seconds, results, options.out.with_suffix(".png"))
    with options.out.with_suffix(".csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("set", "solver", "limit", "instance", "objective", "ratio", "seconds"))
        writer.writerows(rows)


def measure(
    problems: list[Problem], names: list[str], seconds: list[float], seed: int, threads: int
) -> np.ndarray:
    """Objective, ratio to the bound and time taken, by solver, limit and instance.

    Solvers take turns on each instance, so that a busy minute of the machine hits all alike.
    """
    loaded = [load(name, problems[0].kind, print) for name in names]
    results = np.full((len(names), len(seconds), len(problems), 3), np.nan)
    for row, problem in enumerate(problems):
        bound = lower_bound(problem) if isinstance(problem, HCVRP) else np.nan
        for j, limit in enumerate(seconds):
            for i, solver in enumerate(loaded):
                result = run(problem, limit, seed, solver=solver, threads=threads)
                results[i, j, row] = result.objective, result.objective / bound, result.seconds
    return results


def show(setting: str, names: list[str], seconds: list[float], results: np.ndarray) -> None:
    table = Table(title=f"{setting}, {results.shape[2]} instances", title_justify="left")
    table.add_column("solver")
    for limit in seconds:
        table.add_column(f"{limit:g} s", justify="right")
    for i, name in enumerate(names):
        table.add_row(name, *(f"{value:.3f}" for value in results[i, :, :, 0].mean(axis=1)))
        if not np.isnan(results[i, :, :, 1]).any():
            table.add_row("  / bound", *(f"{v:.4f}" for v in results[i, :, :, 1].mean(axis=1)))
    Console(width=120).print(table)


def draw(
    setting: str, names: list[str], seconds: list[float], results: np.ndarray, path: Path
) -> None:
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.add_subplot()
    column = 0 if np.isnan(results[..., 1]).any() else 1
    for i, name in enumerate(names):
        axes.plot(seconds, results[i, :, :, column].mean(axis=1), "o-", label=name)
    axes.set_xscale("log")
    axes.set_xlabel("time limit in seconds")
    axes.set_ylabel("objective" if column == 0 else "objective / lower bound")
    axes.set_title(f"{setting}, mean of {results.shape[2]} instances")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path.with_stem(f"{path.stem}-{setting.replace('/', '-')}"), dpi=120)


if __name__ == "__main__":
    main()
