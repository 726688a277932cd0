"""Keeps what ``geopar reproduce`` measured, for the tables of the documentation.

    geopar reproduce all --quick --out reproduced
    python benchmarks/keep_reproduced.py reproduced --command "geopar reproduce all --quick"

Writes ``benchmarks/results/paper.csv``: a line for each line of each experiment.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from geopar.reproduce.registry import names
from provenance import RESULTS, Cell, origin, read, write

FIRST = ("experiment", "source", "set", "method", "measured", "weights", "instances")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--command", required=True, help="that made them")
    options = parser.parse_args()
    found: list[Cell] = []
    for name in names():
        found += [{"experiment": name} | line for line in read(options.folder / f"{name}.csv")]
    measures = dict.fromkeys(column for line in found for column in line)
    columns = [*FIRST, *(c for c in measures if c not in (*FIRST, "note")), "note"]
    about = origin(options.command)
    lines = [{column: line.get(column, "") for column in columns} | about for line in found]
    write(RESULTS / "paper.csv", lines)


if __name__ == "__main__":
    main()
