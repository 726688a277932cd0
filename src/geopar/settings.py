"""Settings from text: dataclasses of plain values, read by name and type, all faults at once."""

from __future__ import annotations

import dataclasses
import json
import math
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self, TypeVar

from geopar.errors import Faults

T = TypeVar("T")


class Settings:
    """What dataclasses of settings inherit: they are written to cards and read from them.

    ``what`` says what they are settings of, for the messages.
    """

    __slots__ = ()
    what: ClassVar[str] = "network"

    def to_json(self) -> dict[str, Any]:
        """All settings by name."""
        return dataclasses.asdict(self)  # type: ignore[call-overload, no-any-return]

    @classmethod
    def from_json(cls, values: Any) -> Self:
        """The inverse of :meth:`to_json`; unknown names and wrong types are faults."""
        return read_settings(cls, values, cls.what)

    def check_ranges(self, faults: Faults, **ranges: tuple[float, float]) -> None:
        """Tell which settings are not in their range, ends included."""
        for name, (low, high) in ranges.items():
            value = getattr(self, name)
            if not low <= value <= high:
                limits = f"{low:,} or more" if high == math.inf else f"{low} to {high}"
                faults.add("out-of-range", name, value, f"must be {limits}.")

    def check_choices(self, faults: Faults, choices: Mapping[str, Sequence[str]]) -> None:
        """Tell which settings are none of their choices."""
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                value, hint = getattr(self, name), f"Maybe one of: {', '.join(allowed)}."
                faults.add("unknown-value", name, value, "is not known here.", hint)

    def check_positive(self, faults: Faults, name: str) -> None:
        """Tell whether a setting is not more than zero."""
        if not getattr(self, name) > 0.0:
            faults.add("out-of-range", name, getattr(self, name), "must be more than zero.")


def read_settings(cls: type[T], values: Any, what: str, *, prefix: str = "") -> T:
    """A dataclass from its settings by name.

    Parameters
    ----------
    cls
        The dataclass.
    values
        What a file holds: names and values. What is left out has its default.
    what
        What the settings are of, for the messages.
    prefix
        What faults put before a name, such as ``model.``.

    Raises
    ------
    geopar.errors.InputError
        For unknown and missing names and for values of the wrong type.
    """
    faults = Faults()
    if not isinstance(values, dict):
        faults.refuse(
            "wrong-type", prefix or what, values, "must be an object of names and values."
        )
    kinds = typing.get_type_hints(cls)
    fields = {field.name: field for field in dataclasses.fields(cls)}  # type: ignore[arg-type]
    made = {}
    for name in sorted(values):
        if name in fields:
            made[name] = _converted(prefix + name, kinds[name], values[name], faults)
        else:
            message, hint = f"is no setting of the {what}.", maybe_one_of(name, tuple(fields))
            faults.add("unknown-setting", prefix + name, values[name], message, hint)
    for name, field in fields.items():
        has_default = (
            field.default is not dataclasses.MISSING
            or field.default_factory is not dataclasses.MISSING
        )
        if name not in values and not has_default:
            faults.add("missing-setting", prefix + name, ..., "is missing.")
    faults.raise_if_any()
    return cls(**made)


def maybe_one_of(name: str, known: tuple[str, ...]) -> str:
    """A hint: what was probably meant, or all that there is."""
    import difflib

    near = difflib.get_close_matches(name, known, n=3)
    return f"Maybe {', '.join(near)}." if near else f"One of: {', '.join(known)}."


def value_of(text: str) -> Any:
    """What a user wrote as a value: JSON where it is, else the text itself."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _converted(name: str, kind: Any, value: Any, faults: Faults) -> Any:
    """The value in the type of its setting, if it can be."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Literal:
        if value in parts:
            return value
        hint = f"One of: {', '.join(map(str, parts))}."
        faults.add("unknown-value", name, value, "is not known here.", hint)
        return value
    if origin is types.UnionType:
        for part in parts:
            if _fits(part, value):
                return _plain(part, value)
    elif origin is tuple:
        if isinstance(value, list | tuple) and all(_fits(parts[0], one) for one in value):
            return tuple(_plain(parts[0], one) for one in value)
    elif _fits(origin or kind, value):
        return _plain(origin or kind, value)
    faults.add("wrong-type", name, value, f"must be {_called(kind)}.")
    return value


def _fits(kind: Any, value: Any) -> bool:
    if kind is types.NoneType:
        return value is None
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return kind is Any or isinstance(value, kind)


def _plain(kind: Any, value: Any) -> Any:
    return float(value) if kind is float else value


def _called(kind: Any) -> str:
    """A type in a user's words."""
    names = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple:
        return f"a list, each {_called(parts[0])}"
    if origin is types.UnionType:
        return " or ".join("null" if p is types.NoneType else _called(p) for p in parts)
    return names.get(kind, "an object" if (origin or kind) is dict else str(kind))
