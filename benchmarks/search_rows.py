"""What ``refine`` reaches in a few seconds on fleets of every shape, before and after a change.

    python benchmarks/search_rows.py                                   # what needs no other files
    python benchmarks/search_rows.py --instances FOLDER                # and published instances
    python benchmarks/search_rows.py deliveries 60-1s --against ../before/src

Each row is a set of problems, a time and some seeds. With ``--against`` the same is run with the
sources of another version, taking turns, so that both meet the same machine. Time is processor
time, so that a busy machine does not count; one thread. In the end there is a table of what was
measured and what is asked for.

Objectives are compared with the best known value where there is one: for published instances that
of ``best_known.csv`` in their folder, with columns ``file``, ``n``, ``m`` and ``best_known``; for
small problems of our own the best that any run of this program has found, which is kept in
``best_known.csv`` beside this file. Long runs come first (``60-1s 100-1s --seconds 60``), or short
ones are compared with each other only. HCVRP above 200 customers is compared with the lower bound,
and orders with nothing.
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
BEST = Path(__file__).parent / "best_known.csv"


class Row(NamedTuple):
    """Names of problems, and what is asked for."""

    problems: list[str]
    seconds: float
    asked: str
    seeds: int = 1
    by: str = "best"
    """What objectives are measured by: ``best`` known, ``bound`` or ``nothing``."""


class Known:
    """Best known values: published ones, by path, and in a file those that we found, by name."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.published: dict[str, float] = {}
        self._ours: dict[str, float] = {}
        if file.exists():
            with file.open() as lines:
                table = csv.DictReader(lines)
                self._ours = {one["problem"]: float(one["objective"]) for one in table}

    @staticmethod
    def key(name: str) -> str:
        """What a problem is called in the file."""
        return name if "#" in name else Path(name).name

    def best_of(self, name: str, found: float) -> float:
        """The best known value of a problem, now that a run has found a plan of this cost."""
        if name in self.published:
            return self.published[name]
        key = self.key(name)
        self._ours[key] = min(found, self._ours.get(key, found))
        return self._ours[key]

    def write(self) -> None:
        """Keep what we found."""
        with self._file.open("w", newline="") as lines:
            out = csv.writer(lines, lineterminator="\n")
            out.writerow(["problem", "objective"])
            out.writerows(sorted((key, repr(value)) for key, value in self._ours.items()))


class ProcessorBudget(Budget):
    """A budget whose clock is the processor's."""

    def restart(self, spent: float = 0.0, after: float = 0.0) -> None:
        """Start the clock now, so many seconds on; nothing is set aside."""
        self._started = time.process_time() - spent

    @property
    def seconds(self) -> float:
        """Processor time since the start."""
        return time.process_time() - self._started


def rows(known: Known, instances: Path | None) -> dict[str, Row]:
    """By name; those of published instances, whose values go into ``known``, only with a folder."""

    def sets(names: list[str], numbers: range) -> list[str]:
        return [f"{name}#{i}" for name in names for i in numbers]

    sixty = sets(["hcvrp/60/3", "hcvrp/60/5"], range(32, 40))
    hundred = sets(["hcvrp/100/5", "hcvrp/100/7"], range(32, 40))
    found = {
        "deliveries": Row([str(DELIVERIES)], 5.0, "mean 1.003, worst 1.01", seeds=10),
        "60-1s": Row(sixty, 1.0, "mean 1.003"),
        "60-10s": Row(sixty, 10.0, "mean 1.0005"),
        "100-1s": Row(hundred, 1.0, "mean 1.006"),
        "100-10s": Row(hundred, 10.0, "mean 1.0015"),
    }
    for size, asked in {
        "1000/20": (1.095, 1.083), "1000/80": (1.110, 1.096), "5000/400": (1.070, 1.048)
    }.items():  # fmt: skip
        for seconds, mean in zip((1.0, 10.0), asked, strict=True):
            found[f"{size}-{seconds:g}s"] = Row(
                sets([f"hcvrp/{size}"], range(4, 8)), seconds, f"mean {mean}", by="bound"
            )
    for size, most in {"1000/20": 1490, "4000/80": 5400}.items():
        found[f"orders-{size}"] = Row(
            sets([f"omdcpdp/{size}"], range(4, 6)), 10.0, f"mean {most}", by="nothing"
        )
    if instances is not None:
        table = list(csv.DictReader((instances / "best_known.csv").open()))
        known.published = {str(instances / one["file"]): float(one["best_known"]) for one in table}

        def chosen(folder: str, most: int, vehicles: range) -> list[str]:
            return [
                str(instances / one["file"])
                for one in table
                if one["file"].startswith(folder)
                and int(one["n"]) <= most
                and int(one["m"]) in vehicles
            ]

        found["mtsp"] = Row(chosen("mtsp/", 1200, range(1, 99)), 5.0, "mean 1.003, worst 1.015")
        found["trips"] = Row(chosen("mtvrp/", 500, range(2, 99)), 5.0, "30 of 34 reach 1")
        one = chosen("mtvrp/", 500, range(1, 2))
        found["one-10s"] = Row(one, 10.0, "mean 1.01, worst 1.025")
        found["one-20s"] = Row(one, 20.0, "better than after 10 s")
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


def measure(workers: list[subprocess.Popen[str]], row: Row, known: Known) -> list[str]:
    """What each version reaches, as lines of the table; better values go into ``known``."""
    found: dict[str, list[list[float]]] = {}
    for name, values in ask(workers, row):
        found.setdefault(name, []).append(values)
    shares = []
    for name, several in found.items():
        by = 1.0
        if row.by == "bound":
            problem = problem_of(name)
            assert isinstance(problem, HCVRP)
            by = lower_bound(problem)
        elif row.by == "best":
            by = known.best_of(name, float(np.min(several)))
        share = np.array(several) / by
        shares.append(share)
        print(f"  {Known.key(name):22}", " | ".join(f"{one:.4f}" for one in share.mean(axis=0)))
    every = np.concatenate(shares)
    return [
        f"mean {one.mean():.4f}, worst {one.max():.4f}"
        + (f", {np.sum(one <= 1.0 + 1e-6)} of {len(one)} reach 1" if row.by == "best" else "")
        for one in every.T
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", help="names, or how they begin; all by default")
    parser.add_argument("--instances", type=Path, help="a folder with best_known.csv")
    parser.add_argument("--against", type=Path, help="sources of another version: its src folder")
    parser.add_argument("--seconds", type=float, help="instead of the row's own")
    parser.add_argument("--seeds", type=int, help="instead of the row's own")
    parser.add_argument("--first", type=int, help="only so many problems of each row")
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
    known = Known(BEST)
    table = rows(known, options.instances)
    lines = ["", "| row | this version | the other version | asked |", "|---|---|---|---|"]
    for title, row in table.items():
        if options.rows and not any(title.startswith(name) for name in options.rows):
            continue
        row = row._replace(
            problems=row.problems[: options.first],
            seconds=options.seconds or row.seconds,
            seeds=options.seeds or row.seeds,
        )
        print(f"{title}, {row.seconds:g} s", flush=True)
        reached = measure(workers, row, known)
        lines.append(f"| {title} | {' | '.join([*reached, ''][:2])} | {row.asked} |")
        print(lines[-1], flush=True)
        known.write()
    print("\n".join(lines))
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.close()
        worker.wait()


if __name__ == "__main__":
    main()
