"""One very large problem: a search in parts against one search, in processor time.

    python benchmarks/parts.py hcvrp/200000/4000 --one 60 100 --parts 60 --workers 2

Parts are searched one after the other in this process, on a clock that counts the seconds of this
process, but of those in parts only their share of the workers: what as many workers would do that
are never idle, each with a core of its own. Messages are not in it; they are a few megabytes a
round.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from geopar import check, solve
from geopar.parts import InParts
from geopar.parts.solver import PART_TASKS
from geopar.problems.random import generate
from geopar.search import refine
from geopar.spread import Done
from geopar.spread.serial import Serial
from geopar.stop import MaxRuntime


class Shared(Serial):
    """One after the other, and counts how long that takes."""

    def __init__(self, workers: int) -> None:
        self.workers, self.seconds = workers, 0.0

    def run(self, function: Callable[[Any], Any], tasks: Iterable[Any]) -> Iterator[Done[Any]]:
        """As :meth:`geopar.spread.Executor.run`."""

        def timed(task: Any) -> Any:
            began = time.process_time()
            try:
                return function(task)
            finally:
                self.seconds += time.process_time() - began

        return super().run(timed, tasks)

    def clock(self) -> float:
        """Seconds, where workers share those in tasks."""
        return time.process_time() - self.seconds * (1.0 - 1.0 / self.workers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("setting")
    parser.add_argument("--one", type=float, nargs="*", default=[])
    parser.add_argument("--parts", type=float, nargs="*", default=[])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--part-tasks", type=int, default=PART_TASKS)
    parser.add_argument("--seed", type=int, default=0)
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
            shared.seconds = 0.0
            time.perf_counter = shared.clock
        result = solve(problem, MaxRuntime(limit), options.seed, solver=solver)
        assert check(problem, result.plan).feasible
        told = ", ".join(f"{cost:.4f} after {seconds:.0f}" for seconds, cost in result.history[::3])
        print(
            f"{options.setting} {way} {limit:g} s ({result.seconds:.1f}): {result.objective:.4f}, "
            f"{result.iterations:,} iterations; in parts {shared.seconds:.1f} s; {told[:300]} "
            f"{'; '.join(result.notes)}",
            flush=True,
        )


if __name__ == "__main__":
    main()
