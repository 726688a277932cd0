"""How long the floor takes and how high it is: dispatch on random instances of growing size.

Compiling (the first line) is paid once and kept on disk. HCVRP objectives are also told as a
multiple of the lower bound.
"""

import argparse
import time

import numpy as np

from geopar.checking import check
from geopar.problems import HCVRP
from geopar.problems.hcvrp.bound import lower_bound
from geopar.problems.setting import Setting
from geopar.search.dispatch import dispatch, warm_up
from geopar.solver import Request
from geopar.stop import Budget, MaxRuntime

SETTINGS = (
    "hcvrp/60/3", "hcvrp/1000/20", "hcvrp/1000/80", "hcvrp/5000/400", "hcvrp/100000/2000",
    "omdcpdp/50/5", "omdcpdp/1000/20", "omdcpdp/4000/80", "omdcpdp/100000/2000",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("settings", nargs="*", default=SETTINGS)
    parser.add_argument("--count", type=int, default=3, help="instances of each setting")
    arguments = parser.parse_args()
    began = time.perf_counter()
    for kind in ("hcvrp", "omdcpdp"):
        warm_up(kind, print)
    print(f"warm-up: {time.perf_counter() - began:.2f} s")
    for name in arguments.settings:
        costs, ratios, seconds = [], [], []
        for seed in range(arguments.count):
            problem = Setting.parse(name).generate(np.random.default_rng(seed))
            began = time.perf_counter()
            plan = dispatch(Request(problem, Budget(MaxRuntime(0)), seed)).plan
            seconds.append(time.perf_counter() - began)
            costs.append(check(problem, plan).objective)
            if isinstance(problem, HCVRP):
                ratios.append(costs[-1] / lower_bound(problem))
        bound = f", {np.mean(ratios):.2f} × bound" if ratios else ""
        print(f"{name}: {np.median(seconds):.4f} s, objective {np.mean(costs):.5g}{bound}")


if __name__ == "__main__":
    main()
