"""Working days in npz batches: matrices as arrays, everything else as text beside the ids.

``durations_car`` and ``distances_car`` are those of the profile ``car``, one for each instance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from geopar.errors import InputError, refuse
from geopar.files.npz_archive import Array
from geopar.problems import Problem
from geopar.problems.day import Day, Matrix, Windows, vars_of, windows_of
from geopar.problems.validation import Floats

PREFIXES = tuple(f"{part}_" for part in Matrix._fields)


def day_arrays(problems: Sequence[Problem]) -> dict[str, Floats]:
    """The matrices of all instances.

    Raises
    ------
    geopar.errors.InputError
        Where they have different profiles, or matrices of different sizes.
    """
    days = [one.day.matrices if one.day and one.day.matrices else {} for one in problems]
    shapes = {tuple((name, len(table.durations)) for name, table in day.items()) for day in days}
    if len(shapes) > 1:
        refuse(
            "not-expressible", "matrices", len(shapes), "different sets; npz needs exactly one.",
            "Write one file for each.",
        )  # fmt: skip
    found = {}
    for name in days[0]:
        found[f"durations_{name}"] = _stacked([day[name].durations for day in days])
        if any(day[name].distances is not day[name].durations for day in days):
            found[f"distances_{name}"] = _stacked([day[name].distances for day in days])
    return found


def _stacked(tables: Sequence[Floats]) -> Floats:
    """One after the other; a single one is large enough not to be copied."""
    return tables[0][None] if len(tables) == 1 else np.stack(tables)


def day_values(day: Day) -> dict[str, Any]:
    """All other parts, as JSON has values; infinite ones are spelt as Python spells them."""
    asked = {name: value for name, value in vars_of(day).items() if name in day.parts}
    asked.pop("matrices", None)
    return {name: _plain(value) for name, value in asked.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Windows):
        return [windows_of(value, task) for task in range(len(value.offset) - 1)]
    return value.tolist() if isinstance(value, np.ndarray) else value


def day_from(
    values: Mapping[str, Any], arrays: Mapping[str, Array], row: int, field: str
) -> Day | None:
    """The day of one instance, if it has any.

    Raises
    ------
    geopar.errors.InputError
        With every fault found.
    """
    parts = dict(values)
    names = [one.removeprefix("durations_") for one in arrays if one.startswith("durations_")]
    if names:
        parts["matrices"] = {
            name: tuple(
                arrays[f"{part}_{name}"][row] for part in Matrix._fields
                if f"{part}_{name}" in arrays
            )
            for name in names
        }  # fmt: skip
    if not parts:
        return None
    try:
        return Day(**parts)
    except InputError:
        raise
    except (TypeError, ValueError, OverflowError):
        refuse("wrong-type", field, ..., "is not what a day is made of.", "Write it anew.")
