"""The anytime curve: what each solver reaches after 0.1 s to 60 s, on the same instances.

Every point is a run of its own with that time limit, because a search that knows its limit plans
for it. Prints a table of mean objectives and, for HCVRP, of mean ratios to the lower bound; writes
the rows as CSV and the curves as a picture with a panel for each set.

    python benchmarks/anytime.py hcvrp/1000/20 --solvers refine,sisr:10 --seconds 0.1,1,10,60

``sisr:10`` runs that solver no longer than 10 s.
"""

from __future__ import annotations

import argparse
import csv
import math
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table

from geopar.problems import HCVRP, Problem
from geopar.problems.frozen import frozen
from geopar.problems.hcvrp.bound import lower_bound
from geopar.solver import solvers
from geopar.solving import load, run

SECONDS = "0.1,0.3,1,3,10,30,60"
COLUMNS = ("set", "solver", "limit", "instance", "objective", "ratio", "seconds")


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
    panels = {}
    with options.out.with_suffix(".csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for setting in options.settings:
            problems = list(frozen(setting, options.count))
            known = solvers(problems[0].kind)
            longest = longest_runs(options.solvers.split(",") if options.solvers else list(known))
            longest = {name: limit for name, limit in longest.items() if name in known}
            results = measure(problems, longest, seconds, options.seed, options.threads)
            show(setting, list(longest), seconds, results)
            writer.writerows(
                (setting, name, limit, row, *results[i, j, row])
                for i, name in enumerate(longest)
                for j, limit in enumerate(seconds)
                for row in range(len(problems))
                if limit <= longest[name]
            )
            file.flush()
            panels[setting] = list(longest), results
            draw(panels, seconds, options.out.with_suffix(".png"))


def longest_runs(texts: list[str]) -> dict[str, float]:
    """By solver, from ``name`` or ``name:seconds``."""
    parts = [text.partition(":") for text in texts]
    return {name: float(limit) if limit else math.inf for name, _, limit in parts}


def measure(
    problems: list[Problem],
    longest: dict[str, float],
    seconds: list[float],
    seed: int,
    threads: int,
) -> np.ndarray:
    """Objective, ratio to the bound and time taken, by solver, limit and instance.

    Solvers take turns on each instance, so that a busy minute of the machine hits all alike. What
    was not run is not a number.
    """
    loaded = [load(name, problems[0].kind, print) for name in longest]
    results = np.full((len(longest), len(seconds), len(problems), 3), np.nan)
    for row, problem in enumerate(problems):
        bound = lower_bound(problem) if isinstance(problem, HCVRP) else np.nan
        for j, limit in enumerate(seconds):
            for i, (solver, most) in enumerate(zip(loaded, longest.values(), strict=True)):
                if limit <= most:
                    result = run(problem, limit, seed, solver=solver, threads=threads)
                    results[i, j, row] = result.objective, result.objective / bound, result.seconds
    return results


def show(setting: str, names: list[str], seconds: list[float], results: np.ndarray) -> None:
    table = Table(title=f"{setting}, {results.shape[2]} instances", title_justify="left")
    table.add_column("solver")
    for limit in seconds:
        table.add_column(f"{limit:g} s", justify="right")
    means = results.mean(axis=2)
    for i, name in enumerate(names):
        table.add_row(name, *(cell(value, 3) for value in means[i, :, 0]))
        if not np.isnan(means[i, :, 1]).all():
            table.add_row("  / bound", *(cell(value, 4) for value in means[i, :, 1]))
    Console(width=120).print(table)


def cell(value: float, digits: int) -> str:
    return "" if math.isnan(value) else f"{value:.{digits}f}"


def draw(panels: dict[str, tuple[list[str], np.ndarray]], seconds: list[float], path: Path) -> None:
    """One panel for each set; a solver has one colour in all of them."""
    across = min(3, len(panels))
    down = math.ceil(len(panels) / across)
    figure = Figure(figsize=(1.0 + 4.0 * across, 0.8 + 2.9 * down), layout="constrained")
    everyone = list(dict.fromkeys(name for names, _ in panels.values() for name in names))
    curves = {}
    for place, (setting, (names, results)) in enumerate(panels.items(), start=1):
        axes = figure.add_subplot(down, across, place)
        means = results.mean(axis=2)
        column = 0 if np.isnan(means[..., 1]).all() else 1
        for i, name in enumerate(names):
            style = {"label": name, "color": f"C{everyone.index(name)}", "markersize": 3.5}
            (curves[name],) = axes.plot(seconds, means[i, :, column], "o-", **style)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter("")
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter("{x:g}")
        axes.tick_params(which="both", labelsize=7)
        axes.set_title(f"{setting}: objective{' / bound' if column else ''}", fontsize=9)
        axes.grid(alpha=0.3, which="both")
    figure.legend(curves.values(), curves.keys(), loc="outside upper center", ncols=len(curves))
    figure.supxlabel("time limit in seconds", fontsize=9)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
