"""From columns of numbers to a problem, with the constructor's faults told in the file's words.

A reader notes what it cannot read, fills the hole with a harmless number, and builds all the same:
so the user hears at once of what the reader found and of what the constructor finds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from geopar.errors import Fault, Faults, InputError, short
from geopar.problems import HCVRP, OMDCPDP
from geopar.problems.validation import LARGEST_NUMBER, Coordinates, Floats

Built = TypeVar("Built", HCVRP, OMDCPDP)

# (thing, row, quantity) to a place in the file: ("customer", 3, "demand"), ("order", 0,
# "pickup.x"), ("vehicle", 1, "speed"), ("depot", 0, "x").
Where = Callable[[str, int, str], str]

# What stands in for a number that could not be read. An unreadable capacity may be enough for
# every demand, so it counts as large.
HOLES = {"demand": 0.0, "capacity": LARGEST_NUMBER, "speed": 1.0}

# The constructors' own labels, with the ids that they give when left alone.
_LABEL = re.compile(
    r"(?:(depot)|(customer|order|vehicle) [cov](\d+))(?: (pickup|delivery|start))?"
    r" (\(x, y\)|lon|lat|demand|capacity|speed)"
)
_PLACES = {
    "depot": "depot", "customer": "customers", "pickup": "pickups", "delivery": "deliveries",
    "start": "starts",
}  # fmt: skip


def build(
    kind: type[Built],
    faults: Faults,
    where: Where,
    columns: Mapping[str, Floats],
    ids: Mapping[str, Sequence[str] | None],
    coordinates: Coordinates,
    name: str,
) -> Built:
    """The problem, or every fault of reader and constructor together.

    Parameters
    ----------
    faults
        What the reader found.
    where
        Where things stand in the file.
    columns, ids
        Arguments of the constructor, holes filled.
    """
    given: dict[str, Any] = {**columns, "coordinates": coordinates, "name": name}
    named: dict[str, Any] = {**given, **ids}
    try:
        faults.raise_if_any()
        return kind(**named)
    except InputError as error:
        raise _all_faults(error, bool(faults), lambda: kind(**given), where, columns) from None


def _all_faults(
    first: InputError,
    by_reader: bool,
    build_without_ids: Callable[[], object],
    where: Where,
    columns: Mapping[str, Floats],
) -> InputError:
    try:
        # Without the user's ids the labels hold the row numbers, and nothing is ambiguous.
        build_without_ids()
    except InputError as error:
        moved = relocated(error, where, columns)
        if not by_reader:
            return moved
        return InputError([*first.faults, *moved.faults], first.left_out + moved.left_out)
    return first


def relocated(error: InputError, where: Where, columns: Mapping[str, Floats]) -> InputError:
    """A constructor's error, made without ids, with the places of the file."""
    moved = [one for fault in error.faults for one in _translate(fault, where, columns)]
    return InputError(moved, error.left_out)


def _translate(fault: Fault, where: Where, columns: Mapping[str, Floats]) -> list[Fault]:
    match = _LABEL.fullmatch(fault.field)
    if match is None:
        return [fault]
    depot, thing, number, part, quantity = match.groups()
    thing, row = depot or thing, int(number or 1) - 1
    prefix = f"{part}." if part in ("pickup", "delivery") else ""
    if quantity != "(x, y)":
        return [_moved(fault, where(thing, row, prefix + quantity), fault.value)]
    place = np.atleast_2d(columns[_PLACES[part or thing]])[row]
    return [
        _moved(fault, where(thing, row, prefix + axis), short(value))
        for axis, value in zip("xy", place, strict=True)
        if not abs(value) <= LARGEST_NUMBER
    ]


def _moved(fault: Fault, field: str, value: str) -> Fault:
    return Fault(fault.code, field, value, fault.message, fault.hint)


def check_ids(faults: Faults, ids: Sequence[str], where: Callable[[int], str]) -> None:
    """Every id given, of whole characters, and used once."""
    try:
        "".join(ids).encode()
    except UnicodeEncodeError:
        for row, one in enumerate(ids):
            if any("\ud800" <= character <= "\udfff" for character in one):
                faults.add(
                    "bad-text", where(row), one, "has half a character (a lone surrogate).",
                    "Write it in whole characters.",
                )  # fmt: skip
    first: dict[str, int] = {}
    if len(set(ids)) == len(ids) and "" not in ids:
        return
    for row, one in enumerate(ids):
        if not one:
            faults.add("empty-id", where(row), one, "is empty.", "Give it an id.")
        elif first.setdefault(one, row) != row:
            faults.add(
                "duplicate-id", where(row), one, f"is also {where(first[one])}.",
                "Give each its own id.",
            )  # fmt: skip


def check_text(faults: Faults, field: str, text: str) -> None:
    """A name of whole characters."""
    check_ids(faults, [text or "-"], lambda _: field)
