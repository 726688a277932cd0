"""How many plans per second our pointer builds, and what one takes, with everything around it.

Repeats and takes the fastest, since other programs only ever make it slower; ``--cpu-time`` counts
the process's own time instead of the clock, which a busy machine disturbs less.

    python benchmarks/pointer_speed.py hcvrp/60/3 hcvrp/1000/20 omdcpdp/100/15 --count 16
"""

from __future__ import annotations

import argparse
import resource
import time

import torch

from geopar.pointer.network import PointerNetwork
from geopar.pointer.solver import construct
from geopar.problems.random import generate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("settings", nargs="+")
    parser.add_argument("--weights", default="pointer", help="a name or file, or random")
    parser.add_argument("--count", type=int, default=1, help="instances in one batch")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--cpu-time", action="store_true")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    clock = time.process_time if arguments.cpu_time else time.perf_counter
    for setting in arguments.settings:
        network = PointerNetwork.load(setting.partition("/")[0], arguments.weights)
        problems = [generate(setting, seed) for seed in range(arguments.count)]
        built = construct(problems, network)  # compiles, and does not count
        seconds = []
        for _ in range(arguments.repeats):
            before = clock()
            construct(problems, network)
            seconds.append((clock() - before) / arguments.count)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(
            f"{setting:18} {1.0 / min(seconds):9.1f} plans/s  {min(seconds) * 1e3:9.3f} ms each"
            f"  {built.steps.mean():7.1f} steps  peak {memory:.2f} GiB",
            flush=True,
        )


if __name__ == "__main__":
    main()
