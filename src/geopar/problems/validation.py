"""Checks that all problems make of their numbers, each telling all that is wrong at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.errors import Faults, Place

Floats = NDArray[np.float64]
Coordinates = Literal["plane", "lonlat"]
Details = Mapping[str, tuple[str, ...]]

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


class Column(NamedTuple):
    """Numbers of one quantity, one for each of some things: all demands of all customers.

    ``ids`` are the things' names, None where there is only one of them.
    """

    thing: str
    quantity: str
    ids: Sequence[str] | None
    values: Floats

    def add(self, code: str, faults: Faults, row: int, message: str, hint: str) -> None:
        """Note what is wrong with one of the numbers."""
        thing = self.thing if self.ids is None else f"{self.thing} {_id_at(self.ids, row)}"
        field = f"{thing} {self.quantity.replace('.', ' ')}"
        place = Place(self.thing, row, self.quantity)
        faults.add(code, field, self.values[row], message, hint, place)


def check_range(faults: Faults, column: Column, low: float, high: float) -> None:
    """Every value finite and within ``[low, high]``."""
    values = column.values
    if values.size and low <= values.min() and values.max() <= high:
        return  # NaN is neither
    with np.errstate(invalid="ignore"):
        wrong = ~((values >= low) & (values <= high))
    for row in np.flatnonzero(wrong).tolist():
        if np.isfinite(values[row]):
            message = f"must lie between {low:g} and {high:g}."
            hint = "Maybe the unit or the column is wrong."
            column.add("out-of-range", faults, row, message, hint)
        else:
            column.add("not-finite", faults, row, "must be a finite number.", "Fill it in.")


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


def as_details(
    faults: Faults, field: str, details: Mapping[str, Sequence[str]] | None, count: int
) -> Details:
    """Texts by name, one for each of ``count`` things."""
    found = {str(name): tuple(map(str, texts)) for name, texts in (details or {}).items()}
    for name, texts in found.items():
        check_same_length(faults, f"{field} {name}", len(texts), "what they are of", count)
    return found


def selected_details(details: Details, rows: Iterable[int]) -> Details:
    """Those of some things."""
    return {name: tuple(texts[row] for row in rows) for name, texts in details.items()}


def _id_at(ids: Sequence[str], row: int) -> str:
    """The id of an element, or its number when there are too few ids: a fault told elsewhere."""
    return ids[row] if row < len(ids) else str(row)


def check_coordinates(
    faults: Faults,
    coordinates: str,
    thing: str,
    ids: Sequence[str] | None,
    points: Floats,
    part: str = "",
) -> None:
    """Places in the plane, or longitudes and latitudes in degrees.

    ``part`` is which place of the thing, with a dot: ``"pickup."``.
    """
    limits = {
        "plane": {"x": LARGEST_NUMBER, "y": LARGEST_NUMBER},
        "lonlat": {"lon": 180.0, "lat": 90.0},
    }.get(coordinates)
    if limits is None:
        if not any(fault.field == "coordinates" for fault in faults.found):
            faults.add("unknown-value", "coordinates", coordinates, 'must be "plane" or "lonlat".')
        return
    for (axis, limit), values in zip(limits.items(), points.T, strict=True):
        check_range(faults, Column(thing, part + axis, ids, values), -limit, limit)


def set_fields(instance: Any, **values: Any) -> None:
    """Set fields of a frozen dataclass, while it is being made."""
    for name, value in values.items():
        object.__setattr__(instance, name, value)
