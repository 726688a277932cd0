"""What the search and the rule reach on the bundled examples, over seeds.

python benchmarks/examples.py      # writes benchmarks/results/examples.csv, in two minutes

By iterations, so that any machine gives the same numbers.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import geopar
from provenance import RESULTS, origin, write

ROOT = Path(__file__).parents[1]
EXAMPLES = (
    "examples/deliveries.json",
    "examples/day-of-deliveries/stops.csv",
    "examples/pickup-and-delivery/orders.csv",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=1_000_000)
    parser.add_argument("--seeds", type=int, default=10)
    options = parser.parse_args()
    lines = []
    for name in EXAMPLES:
        problem = geopar.read(ROOT / name)
        for solver, seeds in (("refine", options.seeds), ("dispatch", 1)):
            for seed in range(seeds):
                rule = geopar.MaxIterations(options.iterations)
                found = geopar.solve(problem, rule, seed, solver=solver)
                count = f" --iterations {options.iterations}" if solver == "refine" else ""
                command = f"geopar solve {name} --solver {solver}{count} --seed {seed}"
                lines.append(
                    {"file": name, "solver": solver, "iterations": found.iterations or "",
                     "seed": seed, "objective": f"{found.objective:.6g}"} | origin(command)
                )  # fmt: skip
                print(*list(lines[-1].values())[:5], f"{found.seconds:.1f} s", flush=True)
    write(RESULTS / "examples.csv", lines)


if __name__ == "__main__":
    main()
