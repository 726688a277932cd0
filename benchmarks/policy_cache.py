"""What the projection-window cache costs and finds, against a matrix of distances and a k-d tree.

For each size: the time of the cache (sorting, slots, validity, distances and scores), of a dense
distance matrix with top-k, and of a k-d tree with the same number of neighbours as the cache has
different ones; and recall, the share of each task's true nearest neighbours that the cache has.

    python benchmarks/policy_cache.py 1000 5000 20000 100000
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from scipy.spatial import cKDTree

from geopar.paper.windows import build_cache
from geopar.problems.batch import make_batch
from geopar.problems.random import generate
from provenance import RESULTS, append, origin

MOST_DENSE = 20_000


def fastest(call: Callable[[], Any], repeats: int, clock: Callable[[], float]) -> float:
    best = float("inf")
    for _ in range(repeats):
        before = clock()
        call()
        best = min(best, clock() - before)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sizes", nargs="+", type=int)
    parser.add_argument("--directions", type=int, default=4)
    parser.add_argument("--radius", type=int, default=8)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--cpu-time", action="store_true")
    parser.add_argument("--keep", action="store_true", help="recall, in windows-recall.csv")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    clock = time.process_time if arguments.cpu_time else time.perf_counter
    print("   tasks  cache ms  dense ms   tree ms   different   recall of the nearest 1, 8, 16")
    for size in arguments.sizes:
        batch = make_batch([generate(f"hcvrp/{size}/1")])

        def build(batch: Any = batch) -> Any:
            cache = build_cache(batch, arguments.directions, arguments.radius)
            _ = cache.index, cache.valid, cache.score
            return cache

        cache_time = fastest(build, arguments.repeats, clock)
        cache = build()
        slots, tasks = cache.index[0].numpy(), batch.tasks[0]
        sample = np.random.default_rng(0).choice(size, min(size, 2000), replace=False)
        different = np.mean([len(set(slots[i].tolist())) for i in sample])
        count = int(different)

        def dense(tasks: torch.Tensor = tasks, count: int = count) -> Any:
            return torch.cdist(tasks, tasks).topk(count, largest=False)

        def tree(tasks: torch.Tensor = tasks, count: int = count) -> Any:
            places = tasks.numpy()
            return cKDTree(places).query(places, k=count, workers=arguments.threads)

        dense_time = float("nan")
        if size <= MOST_DENSE:
            dense_time = fastest(dense, min(arguments.repeats, 3), clock)
        tree_time = fastest(tree, min(arguments.repeats, 3), clock)
        _, nearest = cKDTree(tasks.numpy()).query(tasks.numpy()[sample], k=17)
        recall = [
            np.mean([
                len(set(near[1 : k + 1]) & set(slots[i].tolist())) / k
                for i, near in zip(sample.tolist(), nearest.tolist(), strict=True)
            ])
            for k in (1, 8, 16)
        ]  # fmt: skip
        print(
            f"{size:8} {cache_time * 1e3:9.1f} {dense_time * 1e3:9.1f} {tree_time * 1e3:9.1f}"
            f" {different:10.1f}   " + ", ".join(f"{value:.2f}" for value in recall),
            flush=True,
        )
        if arguments.keep:
            told = {"tasks": str(size), "nearest": f"{recall[0]:.2f}"}
            told["eight_nearest"] = f"{recall[1]:.2f}"
            append(RESULTS / "windows-recall.csv", [told | origin()])


if __name__ == "__main__":
    main()
