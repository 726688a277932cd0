"""From one task to 100,000: the paper's network, untrained, builds a feasible plan, within memory.

Each setting runs in a process of its own, so that the peak of memory is its own. In mode ``sample``
every agent finds something to do, whatever the network thinks, which keeps rollouts short.

    python benchmarks/policy_sizes.py hcvrp/1/1 hcvrp/60/3 hcvrp/5000/400 hcvrp/100000/1000
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time


def run(setting: str, mode: str, threads: int) -> None:
    """Build one plan and print what it took."""
    import torch

    from geopar.checking import check
    from geopar.paper.config import NetworkConfig
    from geopar.paper.policy import Policy
    from geopar.paper.solver import construct
    from geopar.problems.random import generate

    torch.set_num_threads(threads)
    kind = setting.partition("/")[0]
    policy = Policy.untrained(NetworkConfig(kind))
    construct([generate(f"{kind}/4/2")], policy, mode)
    problem = generate(setting)
    before, busy = time.perf_counter(), time.process_time()
    built = construct([problem], policy, mode)
    seconds, busy = time.perf_counter() - before, time.process_time() - busy
    report = check(problem, built.plans[0])
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{setting:22} {'feasible' if report.feasible else 'BROKEN':9}"
        f" {built.steps[0]:6} steps {seconds:8.2f} s ({busy:.2f} s of CPU)  peak {memory:6.2f} GiB",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("settings", nargs="+")
    parser.add_argument("--mode", default="sample")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    for setting in arguments.settings:
        process = context.Process(target=run, args=(setting, arguments.mode, arguments.threads))
        process.start()
        process.join()
        if process.exitcode:
            print(f"{setting:22} ended with {process.exitcode}", flush=True)


if __name__ == "__main__":
    main()
