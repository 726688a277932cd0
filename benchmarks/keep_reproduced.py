"""Keeps what ``geopar reproduce`` measured, for the tables of the documentation.

    geopar reproduce all --quick --out reproduced
    python benchmarks/keep_reproduced.py reproduced --command "geopar reproduce all --quick"

Writes ``benchmarks/results/paper.csv``: a line for each line of each experiment. Experiments that
are not in the folder stay as they were.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from geopar.reproduce.registry import names
from provenance import ORIGIN, RESULTS, Cell, origin, read, write

LAST = ("note", *ORIGIN)
FIRST = ("experiment", "source", "set", "method", "measured", "weights", "instances")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--command", required=True, help="that made them")
    options = parser.parse_args()
    old, about = read(RESULTS / "paper.csv"), origin(options.command)
    found: list[Cell] = []
    for name in names():
        measured = read(options.folder / f"{name}.csv")
        kept = [line for line in old if line["experiment"] == name]
        found += [{"experiment": name} | line | about for line in measured] or kept
    measures = dict.fromkeys(column for line in found for column in line)
    columns = [*FIRST, *(c for c in measures if c not in (*FIRST, *LAST)), *LAST]
    write(RESULTS / "paper.csv", [{c: line.get(c, "") for c in columns} for line in found])


if __name__ == "__main__":
    main()
