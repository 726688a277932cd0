"""From columns of numbers to a problem, with the constructor's faults told in the file's words.

A reader notes what it cannot read, fills the hole with a harmless number, and builds all the same:
so the user hears at once of what the reader found and of what the constructor finds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from geopar.errors import Faults, InputError, Place
from geopar.problems import HCVRP, OMDCPDP
from geopar.problems.validation import LARGEST_NUMBER, Coordinates, Floats

Built = TypeVar("Built", HCVRP, OMDCPDP)

# Where a number of the problem stands in the file, in words.
Where = Callable[[Place], str]

# What stands in for a number that could not be read. An unreadable capacity may be enough for
# every demand, so it counts as large.
HOLES = {"demand": 0.0, "capacity": LARGEST_NUMBER, "speed": 1.0}


def build(
    kind: type[Built],
    faults: Faults,
    where: Where,
    columns: Mapping[str, Floats],
    ids: Mapping[str, Sequence[str] | None],
    coordinates: Coordinates,
    name: str,
    about: Mapping[str, Any] | None = None,
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
    about
        Further arguments: the day, and what drivers are told.
    """
    given: dict[str, Any] = {**columns, "coordinates": coordinates, "name": name, **(about or {})}
    if not faults:  # else the ids may be what is wrong, and that is told
        given |= ids
    try:
        problem = kind(**given)
    except InputError as error:
        faults.include(relocated(error, where))
    faults.raise_if_any()
    return problem


def relocated(error: InputError, where: Where) -> InputError:
    """A constructor's error with the places of the file."""
    moved = [
        fault if fault.place is None else replace(fault, field=where(fault.place))
        for fault in error.faults
    ]
    return InputError(moved, error.left_out)


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
