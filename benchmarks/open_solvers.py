"""``refine`` beside open solvers by time limit: PyVRP, OR-Tools and vrp-cli.

    pip install -e '.[bench]'
    python benchmarks/open_solvers.py hcvrp/60/3 hcvrp/100/7 --count 3 --seeds 3 --seconds 3,10,30

Sets, or files of problems; several trips with one depot (HCVRP). None of the others minimises the
last return: PyVRP and vrp-cli are given ever shorter shifts for as long as they find a plan,
OR-Tools a price on the longest route. Every plan is checked by ours, and counts by what the checker
says.

Every cell is a run of its own. Time is that of the processor on one thread, after compiling. Lines
are added to ``benchmarks/results/open-solvers.csv``; what is there is not run again. The picture
has a band from the best to the worst seed.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pyvrp
from matplotlib.figure import Figure

from geopar.checking import check
from geopar.files import read_problem
from geopar.plan import Plan
from geopar.problems import HCVRP
from geopar.problems.frozen import frozen
from geopar.solving import load, run
from ortools_search import CpuTime
from provenance import RESULTS, Cell, origin, read, write
from pyvrp_days import lowered as lowered_by_pyvrp
from vrp_cli_fleet import lowered as lowered_by_vrp_cli
from windows import searched
from write_tables import over_best

TABLE = RESULTS / "open-solvers.csv"
PICTURE = Path(__file__).parents[1] / "docs" / "images" / "open-solvers.png"
# PyVRP counts in whole numbers: so many for the longest leg of the slowest vehicle.
LONGEST_LEG = 1_000_000.0


def by_refine(problem: HCVRP, seconds: float, seed: int) -> Plan | None:
    return searched(problem, seconds, seed)[0]


def by_ortools(problem: HCVRP, seconds: float, seed: int) -> Plan | None:
    loaded = load("ortools", problem.kind)
    return run(problem, CpuTime(seconds), seed, solver=loaded).plan


def by_vrp_cli(problem: HCVRP, seconds: float, seed: int) -> Plan | None:
    del seed  # it has none: every run is another
    return lowered_by_vrp_cli(problem, seconds)


def by_pyvrp(problem: HCVRP, seconds: float, seed: int) -> Plan | None:
    places = np.vstack([problem.depot, problem.customers])
    gaps = np.linalg.norm(places[:, None] - places[None], axis=-1)
    unit = LONGEST_LEG / float(gaps.max() / problem.speed.min())
    speeds, profile = np.unique(problem.speed, return_inverse=True)
    durations = [np.rint(gaps * unit / speed).astype(np.int64) for speed in speeds]

    def fleet(shift: float | None) -> list[pyvrp.VehicleType]:
        limits = {} if shift is None else {"tw_late": int(shift)}
        return [
            pyvrp.VehicleType(
                capacity=[int(problem.capacity[v])], profile=int(profile[v]), reload_depots=[0],
                unit_distance_cost=0, unit_duration_cost=1, **limits,
            )
            for v in range(problem.num_vehicles)
        ]  # fmt: skip

    data = pyvrp.ProblemData(
        locations=[pyvrp.Location(*place) for place in places],
        clients=[
            pyvrp.Client(location=c + 1, delivery=[int(problem.demand[c])])
            for c in range(problem.num_tasks)
        ],
        depots=[pyvrp.Depot(location=0)],
        vehicle_types=fleet(None),
        distance_matrices=durations,
        duration_matrices=durations,
    )
    found = lowered_by_pyvrp(data, fleet, seconds, seed)
    if found is None:
        return None
    routes: list[list[list[int]]] = [[] for _ in range(problem.num_vehicles)]
    for route in found.routes():
        trips: list[list[int]] = [[]]
        for activity in route:
            if activity.is_client():
                trips[-1].append(activity.idx)
            else:
                trips.append([])
        routes[route.vehicle_type()] = [trip for trip in trips if trip]
    return Plan.from_indices(problem, routes)


SOLVERS: dict[str, Callable[[HCVRP, float, int], Plan | None]] = {
    "refine": by_refine, "pyvrp": by_pyvrp, "ortools": by_ortools, "vrp-cli": by_vrp_cli,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("problems", nargs="*", help="sets such as hcvrp/60/3, or files")
    parser.add_argument("--solvers", default=",".join(SOLVERS))
    parser.add_argument("--seconds", default="3,10,30")
    parser.add_argument("--count", type=int, default=3, help="instances of each set")
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    cells = itertools.product(
        options.seconds.split(","), range(options.seeds), options.solvers.split(",")
    )
    for given, (limit, seed, solver) in itertools.product(options.problems, cells):
        name = Path(given).stem if Path(given).exists() else given
        for number, problem in enumerate(opened(given, options.count)):
            asked = {
                "problems": name, "number": str(number), "seconds": limit, "seed": str(seed),
                "solver": solver,
            }  # fmt: skip
            lines = read(TABLE)
            if any(asked.items() <= line.items() for line in lines):
                continue
            found = asked | measured(problem, solver, float(limit), seed) | origin()
            print(*list(found.values())[:8], flush=True)
            write(TABLE, [*lines, found])
    draw(read(TABLE), PICTURE)


def opened(given: str, count: int) -> list[HCVRP]:
    """The problems of a set or file."""
    problems = [read_problem(given)] if Path(given).exists() else list(frozen(given, count))
    return [problem for problem in problems if isinstance(problem, HCVRP)]


def measured(problem: HCVRP, solver: str, seconds: float, seed: int) -> Cell:
    """What a solver reaches; nothing where it finds no plan, or one that breaks a rule."""
    began = time.process_time()
    plan = SOLVERS[solver](problem, seconds, seed)
    used = time.process_time() - began
    objective = ""
    if plan is not None:
        report = check(problem, plan)
        objective = f"{report.objective:.4f}" if report.feasible else ""
    name = {"refine": "geopar"}.get(solver, solver)
    return {"objective": objective, "processor": f"{used:.1f}", "version": version(name)}


def draw(lines: list[Cell], path: Path) -> None:
    """A panel for each set: the mean over instances, and a band over seeds."""
    ratios = over_best(lines)
    sets = list(dict.fromkeys(key[0] for key in ratios))
    figure = Figure(figsize=(1.0 + 3.4 * len(sets), 3.6), layout="constrained")
    curves = {}
    for place, name in enumerate(sets, start=1):
        axes = figure.add_subplot(1, len(sets), place)
        for i, solver in enumerate(SOLVERS):
            limits = sorted({key[2] for key in ratios if key[:2] == (name, solver)})
            rows = [
                [np.mean(found) for key, found in ratios.items() if key[:3] == (name, solver, x)]
                for x in limits
            ]
            kept = [(x, row) for x, row in zip(limits, rows, strict=True) if np.isfinite(row).all()]
            if not kept:
                continue
            across = [x for x, _ in kept]
            low, mid, high = ([f(row) for _, row in kept] for f in (min, np.mean, max))
            (curves[solver],) = axes.plot(across, mid, "o-", color=f"C{i}", markersize=3.5)
            axes.fill_between(across, low, high, color=f"C{i}", alpha=0.2, linewidth=0)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter("")
        axes.set_title(name, fontsize=9)
        axes.grid(alpha=0.3)
        axes.tick_params(labelsize=7)
    figure.legend(curves.values(), curves.keys(), loc="outside upper center", ncols=len(curves))
    figure.supxlabel("seconds", fontsize=9)
    figure.supylabel("last return over the best found", fontsize=9)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
