"""Every solver on every setting of the paper's Table 1, beside what is published.

Appends one line for each set and solver to a CSV file as it comes, so that a run that was cut short
goes on where it was; then prints the tables in Markdown. A search gets ``--seconds`` for each
instance, a network as long as its pass takes. What would take a network longer than ``--patience``,
by its time on a smaller set, is left out.

    python benchmarks/tables.py --out benchmarks/out/tables.csv
    python benchmarks/tables.py hcvrp/60/3 --solvers refine,am --count 64

``benchmarks/published.csv`` holds the numbers of that table, and of the one on HAM at large sizes,
as they stand in the paper.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

from geopar.errors import GeoparError
from geopar.evaluate import evaluate
from geopar.problems.setting import Setting
from geopar.solvers import solvers

PUBLISHED = Path(__file__).with_name("published.csv")
COLUMNS = ("set", "solver", "count", "objective", "bound_ratio", "steps", "seconds", "infeasible")
# By the paper's names.
METHODS = {
    "construct": "GeoPAR", "parco": "PARCO", "am": "AM", "2d-ptr": "2D-Ptr", "dpn": "DPN",
    "ham": "HAM", "mapdp": "MAPDP", "sisr": "SISRs", "ga": "GA", "sa": "SA",
    "ortools-span": "OR-Tools",
}  # fmt: skip
NETWORKS = ("construct", "parco", "am", "2d-ptr", "dpn", "ham", "mapdp")
# How many instances of a set: by the most tasks for which it holds.
COUNTS = ((100, 16), (1000, 4), (10**9, 2))
SMALL = COUNTS[0][0]
# What is told, with so many digits.
MEASURES = {"objective": 4, "bound_ratio": 4, "steps": 3, "seconds": 2}
# A pass of a network takes at least as much longer as this power of the number of tasks.
POWER = 1.5

Cell = dict[str, str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    published = read(PUBLISHED)
    sets = list(dict.fromkeys(line["set"] for line in published))
    parser.add_argument("sets", nargs="*", default=sets)
    parser.add_argument("--solvers", help="names, separated by commas; all by default")
    parser.add_argument("--count", type=int, help="instances; by default fewer of larger sets")
    parser.add_argument("--seconds", type=float, default=1.0, help="of search for each instance")
    parser.add_argument("--patience", type=float, default=120.0, help="of a pass, in seconds")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out/tables.csv"))
    options = parser.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)
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
            append(options.out, found)
            print(name, solver, *(found[column] for column in COLUMNS[2:]), flush=True)
    lines = read(options.out)
    for kind in ("hcvrp", "omdcpdp"):
        chosen = [Setting.parse(name) for name in options.sets if name.startswith(kind)]
        for small in (True, False):
            print(markdown([at for at in chosen if (at.num_tasks <= SMALL) == small], lines))


def read(path: Path) -> list[Cell]:
    """The lines of a CSV file; none if there is no such file."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def append(path: Path, found: dict[str, object]) -> None:
    """One more line, under a line of names."""
    fresh = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore", lineterminator="\n")
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


def markdown(settings: list[Setting], lines: list[Cell]) -> str:
    """Objectives, steps and seconds: a line for each solver, in brackets what is published."""
    published = {(line["set"], line["method"]): line for line in read(PUBLISHED)}
    ours = {(line["set"], line["solver"]): line for line in lines}
    names = [name for name in map(str, settings) if any(name == at for at, _ in ours)]
    solvers_run = [
        s for s in dict.fromkeys(s for _, s in ours) if any((n, s) in ours for n in names)
    ]
    text = []
    for measure, digits in MEASURES.items():
        rows = []
        for solver in solvers_run:
            cells = []
            for name in names:
                own = number(ours.get((name, solver), {}).get(measure, ""), digits) or "–"
                told = published.get((name, METHODS.get(solver, "")), {}).get(measure, "")
                cells.append(f"{own} ({told})" if told else own)
            if any(cell != "–" for cell in cells):
                rows.append(f"| `{solver}` | {' | '.join(cells)} |")
        if rows:
            text += ["", f"| {measure} | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
            text += rows
    return "\n".join(text)


def number(text: str, digits: int) -> str:
    """With so many digits, as a plain decimal."""
    return f"{float(f'{float(text):.{digits}g}'):g}" if text else ""


if __name__ == "__main__":
    main()
