"""How far our search is above the best possible, at most: its plans beside proven bounds.

    python benchmarks/gaps.py                             # writes benchmarks/results/gaps.csv
    python benchmarks/gaps.py hcvrp/60/3 --count 4

Each set is one line: what the search reaches in ``--seconds`` on its first instances, how soon the
last vehicle could be home by the quick bound and by that of ``geopar.bound``, and what the latter
takes, in processor seconds.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from geopar import MaxRuntime, bound, read, solve
from geopar.problems import HCVRP, Problem
from geopar.problems.frozen import frozen
from geopar.problems.hcvrp.bound import lower_bound
from provenance import RESULTS, Cell, origin, write

SETS = ("hcvrp/60/3", "hcvrp/60/5", "hcvrp/100/5", "hcvrp/100/7")
EXAMPLE = "examples/deliveries.json"
# Longer than any of them takes.
LIMIT = 60.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=[EXAMPLE, *SETS])
    parser.add_argument("--count", type=int, default=8, help="instances of each set")
    parser.add_argument("--seconds", type=float, default=2.0, help="of search")
    options = parser.parse_args()
    time.perf_counter = time.process_time
    lines = [line_of(name, options.count, options.seconds) for name in options.sets]
    write(RESULTS / "gaps.csv", lines)


def line_of(name: str, count: int, seconds: float) -> Cell:
    """What is known of the instances of a set, or of a file."""
    problems: list[Problem] = (
        list(frozen(name, count)) if name.startswith("hcvrp/") else [read(name)]
    )
    bound(problems[0])  # compiled before the clock
    rows = []
    for problem in problems:
        assert isinstance(problem, HCVRP)
        best = solve(problem, MaxRuntime(seconds), threads=1).objective
        found = bound(problem, LIMIT)
        rows.append((
            best / lower_bound(problem) - 1.0, found.above(best), found.seconds,
        ))  # fmt: skip
    quick, above, taken = np.transpose(rows) * np.array([[100.0], [100.0], [1.0]])
    line = {
        "set": name, "instances": str(len(problems)), "seconds": f"{seconds:g}",
        "quick": f"{quick.mean():.1f}", "above": f"{above.mean():.1f}",
        "worst": f"{above.max():.1f}", "taken": f"{taken.mean():.1f}",
    }  # fmt: skip
    print(*line.values(), flush=True)
    return line | origin()


if __name__ == "__main__":
    main()
