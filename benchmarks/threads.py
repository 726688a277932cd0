"""What a second core is worth, in iterations, so that a busy machine does not count.

    python benchmarks/threads.py hcvrp/1000/80 --count 4 --iterations 100000

Compares one search with two side by side, and with one search of twice the length, which is what
two cores could be worth at most.
"""

from __future__ import annotations

import argparse

import numpy as np

from geopar.problems.frozen import frozen
from geopar.search.engines import make_engine

PIECES = 64


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("set", help="a frozen set")
    parser.add_argument("--count", type=int, default=4)
    parser.add_argument("--iterations", type=int, default=100_000)
    options = parser.parse_args()
    n = options.iterations
    ways = {"one": (n, 1), "two side by side": (n, 2), "one, twice as long": (2 * n, 1)}
    costs = np.zeros((len(ways), options.count))
    for row, problem in enumerate(frozen(options.set, options.count)):
        for way, (length, threads) in enumerate(ways.values()):
            engine = make_engine(problem, None, row, length, threads)
            for k in range(PIECES):
                cost = engine.advance(length // PIECES, k / PIECES, (k + 1) / PIECES)
            costs[way, row] = cost
    change = (costs / costs[0] - 1.0) * 100.0
    for way, name in enumerate(ways):
        error = change[way].std() / options.count**0.5
        print(f"{options.set} {name:20} {costs[way].mean():10.4f}", end=" ")
        print(f"{change[way].mean():+6.2f} % ± {error:.2f}")


if __name__ == "__main__":
    main()
