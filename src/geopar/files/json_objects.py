"""Lists of JSON objects read column by column: fast when all is well, exact when it is not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

from geopar.errors import Faults
from geopar.files.building import HOLES, check_ids, check_text
from geopar.files.columns import DEGREES, PLANE
from geopar.files.wording import maybe, printable, shown
from geopar.problems.validation import Coordinates, Floats


class Objects:
    """Rows of one kind, such as all customers.

    Parameters
    ----------
    faults
        Where to note what is wrong.
    values
        What the file has; a value that is no object is noted and read as holes.
    path
        The place of a row, such as ``customers[3]``.
    told
        Rows of which a fault has been noted already, so that nothing more is said of them.
    """

    def __init__(
        self,
        faults: Faults,
        values: Sequence[Any],
        path: Callable[[int], str],
        told: frozenset[int] = frozenset(),
    ) -> None:
        self.faults, self.path, self.told = faults, path, told
        self.rows: Sequence[dict[str, Any]] = values
        if set(map(type, values)) - {dict}:
            wrong = {row for row, value in enumerate(values) if not isinstance(value, dict)}
            for row in sorted(wrong - told):
                faults.add(
                    "wrong-type", path(row), shown(values[row]), "must be an object.",
                    'Write {"name": value, …}.',
                )  # fmt: skip
            self.told = told | wrong
            self.rows = [{} if row in wrong else value for row, value in enumerate(values)]

    @cached_property
    def key_sets(self) -> set[tuple[str, ...]]:
        """The different sets of fields: few, however many rows there are."""
        return set(map(tuple, self.rows))

    def has(self, *names: str) -> bool:
        """Whether any row has any of these fields."""
        return any(name in keys for keys in self.key_sets for name in names)

    def first_with(self, *names: str) -> str:
        """The place of the first row that has one of these fields."""
        return self.path(next(i for i, r in enumerate(self.rows) if any(n in r for n in names)))

    def field(self, row: int, name: str) -> str:
        """The place of one value."""
        path = self.path(row)
        return f"{path}.{name}" if path else name

    def span_fields(self, row: int, name: str, at: int | None = None) -> tuple[str, str, str]:
        """The places of a span, of its begin and of its end; ``at`` says which of several."""
        field = self.field(row, name) + ("" if at is None else f"[{at}]")
        return field, f"{field}[0]", f"{field}[1]"

    def check_fields(self, required: Sequence[str], optional: Sequence[str] = ()) -> None:
        """Note what is missing and what nobody knows."""
        needed, known = set(required), {*required, *optional}
        bad = {keys for keys in self.key_sets if needed - set(keys) or set(keys) - known}
        if not bad:
            return
        for row, value in enumerate(self.rows):
            if tuple(value) not in bad or row in self.told:
                continue
            for name in required:
                if name not in value:
                    hint = "Give x and y, or lat and lon." if name in PLANE else "Add it."
                    field = self.field(row, name)
                    self.faults.add("missing-field", field, ..., "is missing.", hint)
            unknown = [name for name in value if name not in known]
            for name in self.faults.first_few("unknown-field", unknown):
                self.faults.add(
                    "unknown-field", self.field(row, printable(str(name))), shown(value[name]),
                    "is not a field here.", maybe(name, known, value),
                )  # fmt: skip

    def values(self, name: str) -> list[Any]:
        """The field in every row; ``...`` where a row lacks it."""
        return [row.get(name, ...) for row in self.rows]

    def numbers(self, name: str, hole: float | None = None) -> Floats:
        """The field as numbers, with holes filled.

        With a ``hole`` of one's own the field is optional: ``null`` is one as well.
        """
        values = self.values(name)
        if hole is not None:
            values = [hole if value is None or value is ... else value for value in values]
        if set(map(type, values)) <= {int, float}:
            try:
                return np.array(values, dtype=np.float64)
            except OverflowError:
                pass  # found again below, where its row is known
        return np.array([self._number(row, name, v) for row, v in enumerate(values)], np.float64)

    def _number(self, row: int, name: str, value: Any) -> float:
        if isinstance(value, Real) and not _is_bool(value):
            try:
                return float(value)
            except OverflowError:
                self.faults.add(
                    "out-of-range", self.field(row, name), shown(value), "is far too large.",
                    "Maybe the unit or the column is wrong.",
                )  # fmt: skip
        elif value is not ...:
            hint = "Remove the quotes." if isinstance(value, str) else "Give a plain number."
            field = self.field(row, name)
            self.faults.add("not-a-number", field, shown(value), "is not a number.", hint)
        return HOLES.get(name, 0.0)

    def ids(self) -> list[str] | None:
        """The ids as text, or None when no row has one."""
        if not self.has("id"):
            return None
        return self.names("id")

    def names(self, name: str) -> list[str]:
        """A field of text or whole numbers, as text, each used once."""
        values = self.values(name)
        if set(map(type, values)) != {str}:
            values = [self._name(row, name, value) for row, value in enumerate(values)]
        check_ids(self.faults, values, lambda row: self.field(row, name))
        return values

    def _name(self, row: int, name: str, value: Any) -> str:
        field = self.field(row, name)
        if value is ... and row not in self.told:
            self.faults.add(
                "missing-field", field, ..., "is missing, but others have one.",
                "Give all an id, or none.",
            )  # fmt: skip
        elif value is not ...:
            text = as_id(self.faults, field, value)
            if text is not None:
                return text
        return f"\0row {row}"  # unlike any other, so that it is not called a duplicate

    def children(self, name: str, optional: bool = False) -> Objects:
        """The objects in a field of every row; an ``optional`` one may be ``null``."""
        values = self.values(name)
        if optional:
            values = [... if value is None else value for value in values]
        missing = frozenset(row for row, value in enumerate(values) if value is ...)
        return Objects(self.faults, values, lambda row: self.field(row, name), missing | self.told)


def _is_bool(value: object) -> bool:
    return isinstance(value, bool)  # which Python takes for a number


def as_id(faults: Faults, field: str, value: Any) -> str | None:
    """Text or a whole number, as text."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            return str(value)
        except ValueError:
            pass  # thousands of digits
    faults.add("wrong-type", field, shown(value), "must be text or a whole number.", 'Maybe "1".')
    return None


def as_name(faults: Faults, field: str, value: Any) -> str:
    """An id as text of whole characters; empty after noting what else it is."""
    text = as_id(faults, field, value) or ""
    if not text.isascii():
        check_text(faults, field, text)
    return text


def rows_of(faults: Faults, top: Objects, name: str, most: int) -> Objects:
    """A list of objects; one row of holes where it is missing, so that reading can go on."""
    value = top.rows[0].get(name, ...)
    rows = None if value is ... else check_list(faults, value, name, most)
    if rows is None:
        return Objects(faults, [{}], lambda row: f"{name}[{row}]", frozenset({0}))
    return Objects(faults, rows, lambda row: f"{name}[{row}]")


def check_object(faults: Faults, value: Any, what: str, hint: str) -> Objects:
    """The one object that a file holds.

    Raises
    ------
    geopar.errors.InputError
        When it is something else.
    """
    if not isinstance(value, dict):
        faults.refuse("wrong-type", what, shown(value), "must be an object.", hint)
    return Objects(faults, [value], lambda _: "")


def check_list(
    faults: Faults, value: Any, name: str, most: int | None = None, least: int = 1
) -> list[Any] | None:
    """A list of ``least`` to ``most`` entries, or None after noting what else it is.

    Raises
    ------
    geopar.errors.InputError
        At once when there are too many: looking at each would take long.
    """
    if not isinstance(value, list | tuple):
        faults.add("wrong-type", name, shown(value), "must be a list.", "Write […].")
        return None
    if len(value) < least:
        faults.add("empty", name, ..., "is empty; at least one is needed.", "Add one.")
        return None
    if most is not None and len(value) > most:
        faults.refuse(
            "too-many", name, len(value), f"are more than the limit of {most:,}.", "Split it up."
        )
    return list(value) if isinstance(value, tuple) else value


def axes_of(faults: Faults, places: Sequence[Objects]) -> tuple[Sequence[str], Coordinates]:
    """Which names the coordinates have, and what that makes of them.

    No names when both kinds are used, which is noted.
    """
    plane = [place for place in places if place.has(*PLANE)]
    degrees = [place for place in places if place.has(*DEGREES)]
    if plane and degrees:
        faults.add(
            "mixed-coordinates", degrees[0].first_with(*DEGREES), ...,
            f"has lat/lon, but {plane[0].first_with(*PLANE)} has x/y.", "Use one of them.",
        )  # fmt: skip
        return (), "plane"
    return (DEGREES, "lonlat") if degrees else (PLANE, "plane")


def points(places: Objects, axes: Sequence[str]) -> Floats:
    """The coordinates of each row, ``(x, y)`` or ``(lon, lat)``."""
    if not axes:
        return np.zeros((len(places.rows), 2))
    return np.column_stack([places.numbers(axis) for axis in axes])


def own_points(places: Objects, axes: Sequence[str], otherwise: float) -> Floats:
    """As :func:`points`, with ``otherwise`` in rows that have no place."""
    found = points(places, axes)
    found[sorted(places.told)] = otherwise
    return found
