"""One very large problem: a search in parts against one search, by the clock.

    python benchmarks/parts.py hcvrp/200000/4000 --one 60 100 --parts 60 --workers 2

Wants as many free cores as there are workers; compiling comes before the clock starts.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from geopar import check, solve
from geopar.parts import InParts
from geopar.parts.solver import PART_TASKS
from geopar.problems.random import generate
from geopar.result import Result
from geopar.search import refine
from geopar.spread import open_executor
from geopar.stop import MaxRuntime
from provenance import RESULTS, append, origin


def one(setting: str, seconds: float, options: argparse.Namespace) -> Result:
    """The search on one core."""
    problem = generate(setting, seed=1)
    refine.warm_up(problem.kind, print)
    return solve(problem, MaxRuntime(seconds), options.seed, solver="refine", threads=1)


def in_parts(setting: str, seconds: float, options: argparse.Namespace) -> Result:
    """The search in parts, each worker a process."""
    problem = generate(setting, seed=1)
    with open_executor(f"processes:{options.workers}") as executor:
        solver = InParts(executor, options.part_tasks)
        solver.warm_up(problem, print)
        # A worker is up when it has done something.
        solve(generate(f"{problem.kind}/400/20"), MaxRuntime(2.0), 0,
              solver=("refine in parts", InParts(executor, 100)))  # fmt: skip
        named = ("refine in parts", solver)
        return solve(problem, MaxRuntime(seconds), options.seed, solver=named)


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
    for way, limits in (("one", options.one), ("parts", options.parts)):
        for limit in limits:
            run = one if way == "one" else in_parts
            result = run(options.setting, limit, options)
            assert check(generate(options.setting, seed=1), result.plan).feasible
            told = ", ".join(f"{cost:.4f} at {at:.0f}" for at, cost in result.history[::3])
            print(
                f"{options.setting} {way} {limit:g} s ({result.seconds:.1f}): "
                f"{result.objective:.4f}, {result.iterations:,} iterations; {told[:300]} "
                f"{'; '.join(result.notes)}",
                flush=True,
            )
            row = {
                "set": options.setting, "way": way,
                "workers": options.workers if way == "parts" else 1, "seconds": f"{limit:g}",
                "objective": f"{result.objective:.4f}", "iterations": result.iterations,
                "seed": options.seed,
            }  # fmt: skip
            append(options.out, [{name: str(value) for name, value in row.items()} | origin()])


if __name__ == "__main__":
    main()
