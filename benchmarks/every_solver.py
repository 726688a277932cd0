"""Every solver on every setting of the paper's Table 1.

Appends one line for each set and solver to a CSV file as it comes, but for those that it has, so
that a run that was cut short goes on where it was. A search gets ``--seconds`` for each instance, a
network as long as its pass takes. What would take a network longer than ``--patience``, by its time
on a smaller set, is left out.

    python benchmarks/every_solver.py --patience 25
    python benchmarks/every_solver.py hcvrp/60/3 --solvers refine,am --count 64

From ``benchmarks/results/every-solver.csv`` come tables of the documentation; ``--out`` names
another file.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

from geopar.errors import GeoparError
from geopar.evaluate import evaluate
from geopar.problems.setting import Setting
from geopar.solver import solvers
from provenance import ORIGIN, RESULTS, Cell, origin, published, read

COLUMNS = ("set", "solver", "instances", "objective", "bound_ratio", "steps", "seconds")
# How many digits of each are worth keeping.
DIGITS = {"objective": 4, "bound_ratio": 4, "steps": 3, "seconds": 2}
NETWORKS = ("pointer", "geopar", "parco", "am", "2d-ptr", "dpn", "ham", "mapdp")
# How many instances of a set: by the most tasks for which it holds.
COUNTS = ((100, 16), (1000, 4), (10**9, 2))
# A pass of a network takes at least as much longer as this power of the number of tasks.
POWER = 1.5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    sets = list(dict.fromkeys(line["set"] for line in published()))
    parser.add_argument("sets", nargs="*", default=sets)
    parser.add_argument("--solvers", help="names, separated by commas; all by default")
    parser.add_argument("--count", type=int, help="instances; by default fewer of larger sets")
    parser.add_argument("--seconds", type=float, default=1.0, help="of search for each instance")
    parser.add_argument("--patience", type=float, default=120.0, help="of a pass, in seconds")
    parser.add_argument("--out", type=Path, default=RESULTS / "every-solver.csv")
    options = parser.parse_args()
    wanted = options.solvers.split(",") if options.solvers else None
    for name in options.sets:
        setting = Setting.parse(name)
        count = options.count or next(c for most, c in COUNTS if setting.num_tasks <= most)
        for solver in solvers(setting.kind):
            if wanted and solver not in wanted:
                continue
            known = read(options.out)
            if any((line["set"], line["solver"]) == (name, solver) for line in known):
                continue
            if solver in NETWORKS and expected(known, setting, solver) > options.patience:
                print(f"{name} {solver}: left out, it would take too long", flush=True)
                continue
            limit = options.seconds
            if solver in NETWORKS:
                limit = 100 * options.patience
            try:
                found = evaluate(name, solver, count, limit, announce=print).to_json()
            except GeoparError as error:
                print(f"{name} {solver}: {error}", flush=True)
                continue
            rounded = {name: shortened(found.get(name), most) for name, most in DIGITS.items()}
            append(options.out, found | rounded | {"instances": found["count"]} | origin())
            print(*(found.get(column) for column in COLUMNS), flush=True)


def shortened(value: object, digits: int) -> str:
    """A number with so many digits, or more before its point."""
    if value is None:
        return ""
    number = float(str(value))
    return f"{number:.{digits}g}" if abs(number) < 10.0**digits else f"{number:.0f}"


def append(path: Path, found: dict[str, object]) -> None:
    """One more line, under a line of names."""
    fresh = not path.exists()
    with path.open("a", newline="") as file:
        names = (*COLUMNS, *ORIGIN)
        writer = csv.DictWriter(file, names, extrasaction="ignore", lineterminator="\n")
        if fresh:
            writer.writeheader()
        writer.writerow(found)


def expected(known: list[Cell], setting: Setting, solver: str) -> float:
    """Seconds that a pass may take, by those on smaller sets."""
    longest = 0.0
    for line in known:
        other = Setting.parse(line["set"])
        if (line["solver"], other.kind) == (solver, setting.kind):
            grown = setting.num_tasks / other.num_tasks
            if grown >= 1:
                longest = max(longest, float(line["seconds"]) * grown**POWER)
    return longest


if __name__ == "__main__":
    main()
