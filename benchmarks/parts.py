"""One very large problem: a search in parts against one search, in processor time.

    python benchmarks/parts.py hcvrp/200000/4000 --one 60 100 --parts 60 --workers 2

Parts are searched one after the other in this process, and shared out among as many workers, each
to the one that has had least to do. The clock counts the processor seconds of this process, but of
a round only those of the worker that had most: what as many workers would do, each with a core of
its own. Messages are not in it; they are a few megabytes a round.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from geopar import check, solve
from geopar.parts import InParts, piece
from geopar.parts.solver import PART_TASKS
from geopar.problems.random import generate
from geopar.search import refine
from geopar.spread import Done
from geopar.spread.serial import Serial
from geopar.stop import Budget, MaxRuntime, StopRule
from provenance import RESULTS, append, origin


class Shared(Serial):
    """One after the other, and counts how long that takes each of some workers."""

    def __init__(self, workers: int) -> None:
        self.workers, self.seconds, self.spared = workers, 0.0, 0.0

    def run(self, function: Callable[[Any], Any], tasks: Iterable[Any]) -> Iterator[Done[Any]]:
        """As :meth:`geopar.spread.Executor.run`."""
        busy, before = [0.0] * self.workers, self.spared
        for number, task in enumerate(tasks):
            began = time.process_time()
            value = function(task)
            used = time.process_time() - began
            busy[busy.index(min(busy))] += used
            self.seconds += used
            self.spared = before + sum(busy) - max(busy)
            yield Done(number, value)

    def clock(self) -> float:
        """Seconds, where workers share those in tasks."""
        return time.process_time() - self.spared


def started(rule: StopRule) -> Budget:
    """A budget by the clock of now, not by the one that the module was loaded with."""
    budget = Budget(rule)
    budget.restart()
    return budget


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("setting")
    parser.add_argument("--one", type=float, nargs="*", default=[])
    parser.add_argument("--parts", type=float, nargs="*", default=[])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--part-tasks", type=int, default=PART_TASKS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=RESULTS / "parts.csv")
    options = parser.parse_args()
    problem = generate(options.setting, seed=1)
    runs: list[tuple[str, float]] = [("one", limit) for limit in options.one]
    runs += [("parts", limit) for limit in options.parts]
    for way, limit in runs:
        shared = Shared(options.workers)
        if way == "one":
            refine.warm_up(problem.kind, print)
            solver: Any = ("refine", refine.refine)
            time.perf_counter = time.process_time
        else:
            in_parts = InParts(shared, options.part_tasks)
            in_parts.warm_up(problem, print)
            solver = ("refine in parts", in_parts)
            shared.seconds = shared.spared = 0.0
            time.perf_counter = shared.clock
            piece.Budget = started  # type: ignore[assignment, misc]
        result = solve(problem, MaxRuntime(limit), options.seed, solver=solver, threads=1)
        assert check(problem, result.plan).feasible
        told = ", ".join(f"{cost:.4f} after {seconds:.0f}" for seconds, cost in result.history[::3])
        print(
            f"{options.setting} {way} {limit:g} s ({result.seconds:.1f}): {result.objective:.4f}, "
            f"{result.iterations:,} iterations; in parts {shared.seconds:.1f} s; {told[:300]} "
            f"{'; '.join(result.notes)}",
            flush=True,
        )
        row = {
            "set": options.setting, "way": way, "workers": options.workers if way == "parts" else 1,
            "seconds": f"{limit:g}", "objective": f"{result.objective:.4f}",
            "iterations": result.iterations, "seed": options.seed,
        }  # fmt: skip
        append(options.out, [{name: str(value) for name, value in row.items()} | origin()])


if __name__ == "__main__":
    main()
