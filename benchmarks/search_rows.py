"""What ``refine`` reaches in a few seconds on fleets of every shape, before and after a change.

    python benchmarks/search_rows.py deliveries small --against ../before/src
    python benchmarks/search_rows.py one mtsp --instances FOLDER

Each row is a set of problems, a time and some seeds. With ``--against`` the same is run with the
sources of another version, taking turns, so that both meet the same machine. Time is processor
time, so that a busy machine does not count; one thread. Objectives are compared with the best known
value where there is one (``best_known.csv`` in the folder of instances, with columns ``file``,
``n``, ``m`` and ``best_known``), with the lower bound above 200 customers, and otherwise with the
best that any of the runs at hand has found.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

import geopar
from geopar.problems import HCVRP, Problem
from geopar.problems.hcvrp.bound import lower_bound
from geopar.search.refine import refine
from geopar.solver import Request
from geopar.stop import Budget, MaxIterations, MaxRuntime

DELIVERIES = Path(__file__).parents[1] / "examples" / "deliveries.json"
# The best that a long run has found.
BEST_DELIVERIES = 1.2630


class Row(NamedTuple):
    """Names of problems and what their objectives are measured by; 0 for what the runs find."""

    problems: dict[str, float]
    seconds: float
    seeds: int


class ProcessorBudget(Budget):
    """A budget whose clock is the processor's."""

    def restart(self, spent: float = 0.0) -> None:
        """Start the clock now, so many seconds on."""
        self._started = time.process_time() - spent

    @property
    def seconds(self) -> float:
        """Processor time since the start."""
        return time.process_time() - self._started


def rows(instances: Path | None) -> dict[str, Row]:
    """By name; those of published instances only with a folder that has them."""
    sets = [f"hcvrp/{size}" for size in ("60/3", "60/5", "100/5", "100/7")]
    large = [f"hcvrp/{size}" for size in ("1000/20", "1000/80", "5000/400")]
    found = {
        "deliveries": Row({str(DELIVERIES): BEST_DELIVERIES}, 5.0, 10),
        "small": Row({f"{name}#{i}": 0.0 for name in sets for i in range(32, 40)}, 1.0, 1),
        "large": Row({f"{name}#{i}": -1.0 for name in large for i in range(4, 6)}, 1.0, 1),
        "orders": Row({f"omdcpdp/{s}#4": 0.0 for s in ("1000/20", "4000/80")}, 10.0, 1),
    }
    if instances is not None:
        known = list(csv.DictReader((instances / "best_known.csv").open()))

        def chosen(folder: str, fewest: int, most: int, vehicles: range) -> dict[str, float]:
            return {
                str(instances / one["file"]): float(one["best_known"])
                for one in known
                if one["file"].startswith(folder)
                and fewest <= int(one["n"]) <= most
                and int(one["m"]) in vehicles
            }

        found["one"] = Row(chosen("mtvrp/", 1, 500, range(1, 2)), 10.0, 1)
        found["trips"] = Row(chosen("mtvrp/", 1, 500, range(2, 99)), 5.0, 1)
        found["mtsp"] = Row(chosen("mtsp/", 1, 1200, range(1, 99)), 5.0, 1)
    return found


def problem_of(name: str) -> Problem:
    if "#" in name:
        setting, _, number = name.partition("#")
        return geopar.frozen(setting, int(number) + 1)[int(number)]
    return geopar.read(name)


def work() -> None:
    """Answer requests on standard input, one objective each: for another version's sources too."""
    for line in sys.stdin:
        name, seconds, seed = json.loads(line)
        problem = problem_of(name)
        # Compiling does not count.
        plan = refine(Request(problem, Budget(MaxIterations(2)))).plan
        refine(Request(problem, Budget(MaxIterations(2)), start=plan))
        budget = ProcessorBudget(MaxRuntime(seconds))
        budget.restart()
        plan = refine(Request(problem, budget, seed=seed)).plan
        report = geopar.check(problem, plan)
        assert report.feasible
        print(json.dumps(report.objective), flush=True)


def ask(workers: list[subprocess.Popen[str]], row: Row) -> Iterator[tuple[str, list[float]]]:
    """Objectives of one problem and seed, one for each version."""
    for name in row.problems:
        for seed in range(row.seeds):
            values = []
            for worker in workers:
                assert worker.stdin is not None
                assert worker.stdout is not None
                worker.stdin.write(json.dumps([name, row.seconds, seed]) + "\n")
                worker.stdin.flush()
                values.append(float(json.loads(worker.stdout.readline())))
            yield name, values


def measure(workers: list[subprocess.Popen[str]], title: str, row: Row) -> None:
    found: dict[str, list[list[float]]] = {}
    for name, values in ask(workers, row):
        found.setdefault(name, []).append(values)
    gaps = []
    for name, values in found.items():
        by = row.problems[name] or float(np.min(values))
        if by < 0.0:
            problem = problem_of(name)
            assert isinstance(problem, HCVRP)
            by = lower_bound(problem)
        share = np.array(values) / by
        gaps.append(share)
        short = Path(name).name if "#" not in name else name
        print(f"  {short:22}", " | ".join(f"{one:.4f}" for one in share.mean(axis=0)), flush=True)
    every = np.concatenate(gaps)
    means, worst = every.mean(axis=0), every.max(axis=0)
    for i in range(len(workers)):
        version = "this version" if i == 0 else "the other version"
        print(f"{title}, {row.seconds:g} s, {version}: mean {means[i]:.4f}, worst {worst[i]:.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", help="names; all by default")
    parser.add_argument("--instances", type=Path, help="a folder with best_known.csv")
    parser.add_argument("--against", type=Path, help="sources of another version: its src folder")
    parser.add_argument("--seconds", type=float, help="instead of the row's own")
    parser.add_argument("--seeds", type=int, help="instead of the row's own")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work()
        return
    folders = [os.environ.get("PYTHONPATH", "")]
    if options.against:
        folders.append(str(options.against.resolve()))
    workers = [
        subprocess.Popen(
            [sys.executable, __file__, "--work"],
            env=os.environ | {"PYTHONPATH": folder},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for folder in folders
    ]  # fmt: skip
    table = rows(options.instances)
    for title in options.rows or table:
        row = table[title]
        row = row._replace(seconds=options.seconds or row.seconds, seeds=options.seeds or row.seeds)
        measure(workers, title, row)
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.close()
        worker.wait()


if __name__ == "__main__":
    main()
