"""How long the checker takes on large plans, good ones and hopeless ones.

The promise is that 100,000 tasks are checked in under a second.
"""

import argparse
import time

import numpy as np

from geopar.checking import check
from geopar.plan import Plan
from geopar.problems import HCVRP, OMDCPDP, Problem
from geopar.problems.setting import Setting


def simple_plan(problem: Problem) -> Plan:
    """Tasks in the order of their numbers, a trip ended when it is full."""
    routes: list[list[list[int]]] = [[] for _ in range(problem.num_vehicles)]
    if isinstance(problem, OMDCPDP):
        half = problem.num_orders
        for v, orders in enumerate(np.array_split(np.arange(half), problem.num_vehicles)):
            routes[v] = [[task for k in orders for task in (int(k), half + int(k))]]
        return Plan.from_indices(problem, routes)
    v, load = 0, np.inf
    for task, demand in enumerate(problem.demand):
        if load + demand > problem.capacity[v]:
            v, load = (v + 1) % problem.num_vehicles, 0.0
            routes[v].append([])
        routes[v][-1].append(task)
        load += demand
    return Plan.from_indices(problem, routes)


def hopeless(plan: Plan) -> Plan:
    """Every route given to its neighbour backwards: nearly every rule is broken."""
    names = [route.vehicle for route in plan.routes]
    routes = tuple(
        type(route)(name, (route.tasks[::-1], *route.trips))
        for name, route in zip(names[1:] + names[:1], plan.routes, strict=True)
    )
    return Plan(plan.kind, routes, 1.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=100_000)
    parser.add_argument("--vehicles", type=int, default=2_000)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    for kind in (HCVRP.kind, OMDCPDP.kind):
        setting = Setting(kind, arguments.tasks, arguments.vehicles)
        problem = setting.generate(np.random.default_rng(0))
        good = simple_plan(problem)
        for label, plan in (("good", good), ("hopeless", hopeless(good))):
            seconds = []
            for _ in range(arguments.repeat):
                began = time.perf_counter()
                report = check(problem, plan)
                seconds.append(time.perf_counter() - began)
            print(
                f"{setting} {label}: {min(seconds):.3f} to {max(seconds):.3f} s, "
                f"{len(report.violations)} violations"
            )


if __name__ == "__main__":
    main()
