"""Checks that both problems make of their numbers, each telling all that is wrong at once."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from geopar.errors import Faults

Floats = NDArray[np.float64]
Coordinates = Literal["plane", "lonlat"]
Instance = TypeVar("Instance")

MOST_TASKS = 1_000_000
MOST_VEHICLES = 100_000
LARGEST_NUMBER = 1e12
SMALLEST_POSITIVE = 1e-12


def as_floats(faults: Faults, name: str, value: Any, columns: int | None = None) -> Floats:
    """``value`` as a read-only float64 array of rank 1, or 2 with ``columns`` columns."""
    empty = np.zeros((0,) if columns is None else (0, columns))
    try:
        array = np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError):
        faults.add("not-a-number", name, value, "is not made of numbers.", "Give plain numbers.")
        return empty
    if array.size == 0 and array.ndim <= 2:
        array = empty
    expected = "a list of numbers" if columns is None else f"a list of {columns} numbers each"
    if array.ndim != empty.ndim or (columns is not None and array.shape[1] != columns):
        faults.add("wrong-shape", name, array.shape, f"has the wrong shape; need {expected}.")
        return empty
    return read_only(array)


def read_only(array: Floats) -> Floats:
    """The array itself, closed to changes: problems are immutable, and so is what they derive."""
    array.flags.writeable = False
    return array


def as_point(faults: Faults, name: str, value: Any) -> Floats:
    """``value`` as one read-only place."""
    point = as_floats(faults, name, value)
    if not faults and point.shape != (2,):
        faults.add("wrong-shape", name, value, "must be two numbers.")
    return point


def check_range(
    faults: Faults, label: str, ids: Sequence[str], values: Floats, low: float, high: float
) -> None:
    """Every value finite and within ``[low, high]``; faults name the element by its id."""
    if values.size and low <= values.min() and values.max() <= high:
        return  # NaN is neither
    with np.errstate(invalid="ignore"):
        wrong = ~((values >= low) & (values <= high))
    infinite = ~np.isfinite(values)
    rows = np.flatnonzero(wrong if wrong.ndim == 1 else wrong.any(axis=1))
    unbounded = set(np.flatnonzero(infinite if wrong.ndim == 1 else infinite.any(axis=1)).tolist())
    for row in rows.tolist():
        value = values[row].tolist()
        name = label.format(id_at(ids, row))
        if row in unbounded:
            faults.add("not-finite", name, value, "must be a finite number.", "Fill it in.")
        else:
            faults.add(
                "out-of-range", name, value, f"must lie between {low:g} and {high:g}.",
                "Maybe the unit or the column is wrong.",
            )  # fmt: skip


def check_count(faults: Faults, name: str, count: int, most: int) -> None:
    """At least one and at most ``most``."""
    if count == 0:
        faults.add("empty", name, ..., "is empty; at least one is needed.", "Add one.")
    elif count > most:
        faults.add("too-many", name, count, f"are more than the limit of {most:,}.", "Split it up.")


def check_same_length(faults: Faults, name: str, count: int, other: str, expected: int) -> None:
    """Two fields that must be equally long."""
    if count != expected:
        faults.add("wrong-length", name, count, f"entries, but {other} has {expected}.")


def clean_ids(faults: Faults, name: str, ids: Any, count: int, prefix: str) -> tuple[str, ...]:
    """The ids as text, unique; ``prefix1``, ``prefix2``, … when none are given."""
    if ids is None:
        return tuple(f"{prefix}{i + 1}" for i in range(count))
    try:
        clean = tuple(str(i) for i in ids)
    except TypeError:
        faults.add("not-a-list", name, ids, "must be a list of ids.", "Or leave it out.")
        return ()
    check_same_length(faults, name, len(clean), "what they name", count)
    if len(set(clean)) != len(clean):
        seen: set[str] = set()
        for i in clean:
            if i in seen:
                faults.add("duplicate-id", name, i, "is used twice.", "Give each its own id.")
            seen.add(i)
    for row, i in enumerate(clean):
        if not i:
            faults.add("empty-id", f"{name}[{row}]", i, "is empty.", "Give it an id.")
    return clean


def id_at(ids: Sequence[str], row: int) -> str:
    """The id of an element, or its number when there are too few ids: a fault told elsewhere."""
    return ids[row] if row < len(ids) else str(row)


def check_coordinates(
    faults: Faults, coordinates: str, label: str, ids: Sequence[str], points: Floats
) -> None:
    """Places in the plane, or longitudes and latitudes in degrees."""
    if coordinates == "plane":
        check_range(faults, label + " (x, y)", ids, points, -LARGEST_NUMBER, LARGEST_NUMBER)
    elif coordinates == "lonlat":
        check_range(faults, label + " lon", ids, points[:, 0], -180.0, 180.0)
        check_range(faults, label + " lat", ids, points[:, 1], -90.0, 90.0)
    elif not any(fault.field == "coordinates" for fault in faults.found):
        faults.add("unknown-value", "coordinates", coordinates, 'must be "plane" or "lonlat".')


def set_fields(instance: Any, **values: Any) -> None:
    """Set fields of a frozen dataclass, while it is being made."""
    for name, value in values.items():
        object.__setattr__(instance, name, value)


def same_fields(one: Any, other: Any) -> bool:
    """Whether two instances of one dataclass hold the same values, arrays included."""
    return all(
        np.array_equal(getattr(one, f.name), getattr(other, f.name))
        for f in dataclasses.fields(one)
    )


def replaced(instance: Instance, changes: dict[str, Any]) -> Instance:
    """A changed copy, through the constructor and so through its validation."""
    fields = {f.name: getattr(instance, f.name) for f in dataclasses.fields(instance)}  # type: ignore[arg-type]
    return type(instance)(**(fields | changes))
