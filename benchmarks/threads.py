"""What a second core is worth: two threads for a time against one for longer.

    python benchmarks/threads.py hcvrp/5000/400 --count 6 --seconds 6

Four ways, instance by instance in turn: one thread for so many seconds; two for so many less that
they would be 1.7 times as fast; two for as long; one for twice as long. It needs two cores that do
nothing else; lines are added to ``benchmarks/results/threads.csv``. With ``--iterations`` it counts
those instead, the second way is left out, and nothing is kept: then a busy machine does not matter,
but what dividing the plan takes is not counted.
"""

from __future__ import annotations

import argparse

import numpy as np

from geopar import MaxIterations, MaxRuntime, solve
from geopar.problems.frozen import frozen
from geopar.stop import StopRule
from provenance import RESULTS, append, origin

FASTER = 1.7


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="+", help="frozen sets")
    parser.add_argument("--count", type=int, default=4)
    parser.add_argument("--skip", type=int, default=0, help="so many instances first")
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--iterations", type=int)
    options = parser.parse_args()
    n, t = options.iterations, options.seconds
    ways: dict[str, tuple[StopRule, int]] = {
        "one": (MaxIterations(n), 1),
        "two": (MaxIterations(n), 2),
        "one, twice as long": (MaxIterations(2 * n), 1),
    } if n else {
        "one": (MaxRuntime(t), 1),
        f"two, {FASTER} times shorter": (MaxRuntime(t / FASTER), 2),
        "two": (MaxRuntime(t), 2),
        "one, twice as long": (MaxRuntime(2 * t), 1),
    }  # fmt: skip
    for name in options.sets:
        problems = list(frozen(name, options.skip + options.count))[options.skip :]
        cost = np.array([
            [solve(problem, rule, seed, threads=cores).objective for rule, cores in ways.values()]
            for seed, problem in enumerate(problems)
        ])  # fmt: skip
        change = (cost / cost[:, :1] - 1.0) * 100.0
        error = change.std(axis=0) / len(problems) ** 0.5
        for way, label in enumerate(ways):
            print(
                f"{name} {label:24} {cost[:, way].mean():10.4f} "
                f"{change[:, way].mean():+6.2f} % ± {error[way]:.2f}",
                flush=True,
            )
        if not n:
            told = {"set": name, "instances": str(len(problems)), "seconds": f"{t:g}"}
            for way, column in enumerate(("", "two_shorter", "two", "twice_as_long")):
                if column:
                    told[column] = f"{change[:, way].mean():.2f}"
                    told[f"{column}_error"] = f"{error[way]:.2f}"
            append(RESULTS / "threads.csv", [told | origin()])


if __name__ == "__main__":
    main()
