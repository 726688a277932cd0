"""Where a measured number comes from, for the CSV files under ``benchmarks/results``."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path

from geopar.reproduce.published import FOLDER

RESULTS = Path(__file__).with_name("results")
# What the paper prints comes with the package.
PUBLISHED = FOLDER / "tables.csv"
# The last columns of every file of results.
ORIGIN = ("commit", "date", "command")

Cell = dict[str, str]


def _commit() -> str:
    found = subprocess.run(
        ["git", "rev-parse", "--short=7", "HEAD"],
        cwd=RESULTS.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return found.stdout.strip()


# When a run begins: its code is that of then, whatever is committed meanwhile.
COMMIT = _commit()


def origin(command: str | None = None) -> Cell:
    """The commit, the day and the command of what is measured now."""
    command = command or " ".join(["python", *map(_anywhere, sys.argv)])
    return {"commit": COMMIT, "date": f"{date.today()}", "command": command}


def _anywhere(argument: str) -> str:
    """An argument without the folders of this machine: of an absolute path only its name."""
    path = Path(argument)
    return path.name if path.is_absolute() else argument


def read(path: Path) -> list[Cell]:
    """The lines of a CSV file; none if there is no such file."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def published() -> list[Cell]:
    """The lines of the paper's Table 1 and of its table of HAM."""
    return [x for x in read(PUBLISHED) if x["experiment"] in ("table-1", "ham")]


def append(path: Path, lines: Iterable[Mapping[str, object]]) -> None:
    """Add lines to a CSV file that has the same names, or begin it."""
    write(path, [*read(path), *lines])


def write(path: Path, lines: Iterable[Mapping[str, object]]) -> None:
    """A CSV file of these lines, which all have the same names."""
    kept = list(lines)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(kept[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)
