"""Very many tasks: how long until a checked plan, whether a time limit is kept, and the memory.

Run: ``python benchmarks/very_large.py`` (two minutes a row on one core). Each row is a process of
its own, which generates the problem, solves it and checks the plan once more. ``--interrupt``
presses Ctrl-C after so many seconds instead. ``--processor`` lets every clock tell processor time:
what a machine would do that others did not use as well.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import signal
import threading
import time
from typing import Any

from geopar import solve
from geopar.checking import check
from geopar.problems.random import generate
from geopar.search import refine
from geopar.stop import MaxIterations, MaxRuntime

SETTINGS = [f"{kind}/{size}" for size in ("100000/2000", "1000000/20000")
            for kind in ("hcvrp", "omdcpdp")]  # fmt: skip


def row(
    setting: str, limit: float | None, interrupt: float | None, threads: int, processor: bool
) -> dict[str, Any]:
    """Solve once: by the clock and in processor time, what was over the limit, and how good."""
    if processor:
        time.perf_counter = time.process_time
    problem = generate(setting, seed=1)
    refine.warm_up(problem.kind, print)
    stop = MaxIterations(0) if limit is None else MaxRuntime(limit)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
    clock, used = time.perf_counter(), time.process_time()

    def press() -> None:
        while time.perf_counter() - clock < (interrupt or 0.0):
            time.sleep(0.01)
        signal.raise_signal(signal.SIGINT)

    if interrupt:
        threading.Thread(target=press, daemon=True).start()
    result = solve(problem, stop, threads=threads)
    seconds, used = time.perf_counter() - clock, time.process_time() - used
    assert check(problem, result.plan).feasible
    asked = interrupt or limit
    return {
        "setting": setting,
        "limit": limit,
        "interrupt": interrupt,
        "seconds": round(seconds, 2),
        "over": None if asked is None else round(seconds - asked, 2),
        "processor": round(used, 2),
        "first": round(result.history[0][0], 2) if result.history else None,
        "objective": result.objective,
        "iterations": result.iterations,
        "notes": list(result.notes),
        "gib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
    }


def main() -> None:
    """Print a line of JSON for each setting."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("settings", nargs="*", default=SETTINGS)
    parser.add_argument("--limit", type=float, help="seconds; the first plan alone when left out")
    parser.add_argument("--interrupt", type=float, help="press Ctrl-C after so many seconds")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--processor", action="store_true", help="clocks tell processor time")
    options = parser.parse_args()
    for setting in options.settings:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            asked = (
                setting, options.limit, options.interrupt, options.threads, options.processor,
            )  # fmt: skip
            print(json.dumps(pool.apply(row, asked)), flush=True)


if __name__ == "__main__":
    main()
