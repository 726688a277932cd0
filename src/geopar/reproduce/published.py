"""What the paper prints, as data: its tables, and the numbers that its figures come with in words.

``published/tables.csv`` holds every cell of its tables of results, ``published/statements.csv``
what is said in words; curves without numbers are named there and have no value.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).with_name("published")
# Measures that tables.csv has columns for.
PRINTED = ("objective", "gap_percent", "steps", "slots", "utilisation", "seconds", "amortised")


@dataclass(frozen=True)
class Printed:
    """One line of one of the paper's tables.

    Parameters
    ----------
    source
        Such as ``Table 1``.
    experiment
        Whose it is, by our name.
    set, method
        Where and by whom.
    values
        By measure; times in seconds, ``seconds`` one instance at a time, ``amortised`` in batches.
    """

    source: str
    experiment: str
    set: str
    method: str
    values: dict[str, float]


@dataclass(frozen=True)
class Statement:
    """A number that the paper says in words; none where it draws a curve only."""

    source: str
    experiment: str
    set: str
    method: str
    measure: str
    value: float | None
    words: str


def printed(experiment: str) -> list[Printed]:
    """The lines of an experiment's table, in the paper's order."""
    return [line for line in _tables() if line.experiment == experiment]


def statements(experiment: str) -> list[Statement]:
    """What the paper says about an experiment in words."""
    return [line for line in _statements() if line.experiment == experiment]


@cache
def _tables() -> tuple[Printed, ...]:
    return tuple(
        Printed(
            line["source"], line["experiment"], line["set"], line["method"],
            {name: float(line[name]) for name in PRINTED if line[name]},
        )
        for line in _lines("tables.csv")
    )  # fmt: skip


@cache
def _statements() -> tuple[Statement, ...]:
    return tuple(
        Statement(
            line["source"], line["experiment"], line["set"], line["method"], line["measure"],
            float(line["value"]) if line["value"] else None, line["words"],
        )
        for line in _lines("statements.csv")
    )  # fmt: skip


def _lines(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
