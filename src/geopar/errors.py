"""What can go wrong, said so that a person can mend it.

Every class carries the exit code that the command line ends with.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn, TypeVar

MOST_FAULTS_SHOWN = 20

Thing = TypeVar("Thing")


class GeoparError(Exception):
    """Anything that this package raises on purpose."""

    exit_code = 3


class MissingExtraError(GeoparError):
    """A feature needs packages that are not installed."""

    exit_code = 2

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs packages that are not installed. Maybe: pip install 'geopar[{extra}]'"
        )
        self.feature, self.extra = feature, extra

    def __reduce__(self) -> tuple[Any, ...]:
        # Errors cross from one process to another; by default only their text would.
        return type(self), (self.feature, self.extra)


class Place(NamedTuple):
    """Which number of a problem a fault is about, so that a reader can say where it stands.

    Parameters
    ----------
    thing
        ``"depot"``, ``"customer"``, ``"order"`` or ``"vehicle"``.
    row
        Which of them, from 0.
    quantity
        Such as ``"demand"``, ``"x"``, ``"pickup.lat"`` or ``"start.x"``.
    """

    thing: str
    row: int
    quantity: str


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with an input.

    Parameters
    ----------
    code
        Short stable name, listed in ``docs/use/errors.md``.
    field
        Where: a path such as ``customers[3].demand``.
    value
        The offending value, as text.
    message
        What is wrong with it.
    hint
        A way out.
    place
        Where in the problem, for faults that are about one of its numbers.
    """

    code: str
    field: str
    value: str
    message: str
    hint: str
    place: Place | None = dataclasses.field(default=None, kw_only=True)

    def __str__(self) -> str:
        value = f" = {self.value}" if self.value else ""
        hint = f" {self.hint}" if self.hint else ""
        return f"[{self.code}] {self.field}{value}: {self.message}{hint}"

    def texts(self) -> dict[str, str]:
        """What a person is told, by name: all but the place."""
        return {
            "code": self.code,
            "field": self.field,
            "value": self.value,
            "message": self.message,
            "hint": self.hint,
        }


class InputError(GeoparError, ValueError):
    """The input cannot be used; ``faults`` holds every reason found."""

    exit_code = 2

    def __init__(self, faults: list[Fault] | tuple[Fault, ...], left_out: int = 0) -> None:
        self.faults = tuple(faults)
        self.left_out = left_out
        lines = [str(fault) for fault in self.faults[:MOST_FAULTS_SHOWN]]
        more = left_out + max(0, len(self.faults) - MOST_FAULTS_SHOWN)
        if more:
            lines.append(f"… and {more} more")
        super().__init__("\n".join(lines))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.faults, self.left_out)


def short(value: Any, most: int = 60) -> str:
    """The value as text, cut so that a message stays one line."""
    text = repr(value.item() if hasattr(value, "item") and value.size == 1 else value)
    return text if len(text) <= most else text[: most - 1] + "…"


def refuse(code: str, field: str, value: Any, message: str, hint: str = "") -> NoReturn:
    """Raise one fault alone, where there is nothing else to look at."""
    Faults().refuse(code, field, value, message, hint)


@dataclass(slots=True)
class Faults:
    """Gathers faults, so that all are told at once; keeps the first few of each code."""

    found: list[Fault] = dataclasses.field(default_factory=list)
    most_per_code: int = 5
    _count: Counter[str] = dataclasses.field(default_factory=Counter)
    _left_out: int = 0

    def add(
        self,
        code: str,
        field: str,
        value: Any,
        message: str,
        hint: str = "",
        place: Place | None = None,
    ) -> None:
        """Note one fault; ``value`` is shortened, ``...`` means there is none."""
        self._count[code] += 1
        if self._count[code] > self.most_per_code:
            self._left_out += 1
            return
        text = "" if value is ... else short(value)
        self.found.append(Fault(code, field, text, message, hint, place=place))

    def first_few(self, code: str, things: Sequence[Thing]) -> Sequence[Thing]:
        """Those of many faulty things that will be listed; the others are counted as left out.

        For faults whose text takes long to make, since there may be a million of them.
        """
        room = max(0, self.most_per_code - self._count[code])
        self._left_out += len(things[room:])
        return things[:room]

    def include(self, error: InputError) -> None:
        """Note what somebody else found."""
        self.found.extend(error.faults)
        self._left_out += error.left_out

    def __bool__(self) -> bool:
        return bool(self.found)

    def refuse(self, code: str, field: str, value: Any, message: str, hint: str = "") -> NoReturn:
        """Add a fault behind which nothing can be looked at, and raise all."""
        self.add(code, field, value, message, hint)
        self.raise_now()

    def raise_now(self) -> NoReturn:
        """Raise what was found."""
        raise InputError(self.found, self._left_out)

    def raise_if_any(self) -> None:
        """Raise what was found, if anything was."""
        if self.found:
            self.raise_now()
