"""Problems by name: a file, or an instance of a frozen set or a batch such as ``hcvrp/60/3#7``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from geopar.errors import Faults, refuse
from geopar.files.formats import read_problem
from geopar.files.vrplib_day import ROUNDINGS
from geopar.files.wording import maybe
from geopar.problems import Problem
from geopar.problems.day import GOALS, PER_HOUR
from geopar.problems.frozen import FrozenSet, frozen, set_size
from geopar.problems.kinds import KINDS
from geopar.problems.setting import Setting


@dataclass(frozen=True)
class Reading:
    """What has to be said to read a file that does not say it."""

    vehicles: Path | None = None
    num_vehicles: int | None = None
    capacity: str | None = None
    speed: str | None = None
    matrix: Path | None = None
    time_unit: str | None = None
    minimise: str | None = None
    rounding: str | None = None

    def problem(self, name: str) -> Problem:
        """The problem of that name.

        Raises
        ------
        geopar.errors.InputError
            With every fault found.
        """
        if not is_frozen_name(name):
            path, index = _split(name)
            faults = Faults()
            options: dict[str, Any] = {
                "vehicles": self.vehicles,
                "num_vehicles": self.num_vehicles,
                "capacity": _numbers(faults, "--capacity", self.capacity),
                "speed": _numbers(faults, "--speed", self.speed),
                "matrix": self.matrix,
                "time_unit": _word(faults, "--time-unit", self.time_unit, tuple(PER_HOUR)),
                "minimise": _word(faults, "--minimise", self.minimise, GOALS),
                "rounding": _word(faults, "--rounding", self.rounding, ROUNDINGS),
            }
            faults.raise_if_any()
            return read_problem(path, index=index or 0, **options)
        given = [field for field, value in vars(self).items() if value is not None]
        faults = Faults()
        for field in given:
            option = f"--{field.replace('_', '-')}"
            faults.add("unused-option", option, ..., f"has no meaning for {name}.", "Remove it.")
        faults.raise_if_any()
        return _frozen_problem(name)


def is_frozen_name(name: str) -> bool:
    """Whether this names a frozen set or an instance of one, and no file."""
    return name.startswith(tuple(f"{kind}/" for kind in KINDS)) and not os.path.exists(name)


def _frozen_problem(name: str) -> Problem:
    set_name, index = _split(name)
    size = set_size(Setting.parse(set_name))
    faults = Faults()
    if index is None:
        faults.add(
            "not-one-problem", "problem", name, f"is a set of {size} problems.",
            f"Maybe {set_name}#0.",
        )  # fmt: skip
    elif index >= size:
        faults.add(
            "bad-index", "problem", name, f"has no instance {index}.",
            f"Its last is {set_name}#{size - 1}.",
        )  # fmt: skip
    faults.raise_if_any()
    return frozen(set_name, (index or 0) + 1)[index or 0]


def _split(name: str) -> tuple[str, int | None]:
    """``name#7`` as a name and a number; a file may have the mark in its own name."""
    base, mark, number = name.rpartition("#")
    if not mark or os.path.exists(name) or not (number.isdecimal() or is_frozen_name(base)):
        return name, None
    if not (number.isascii() and number.isdecimal()):
        refuse("bad-index", "problem", name, "has no whole number after #.", f"Maybe {base}#0.")
    # More digits are out of any set's range; cut, so that reading them stays quick.
    return base, int(number[:12])


def frozen_set(name: str) -> FrozenSet | None:
    """The frozen set, if this is the name of a whole one."""
    return frozen(name) if is_frozen_name(name) and "#" not in name else None


def _word(faults: Faults, option: str, text: str | None, known: tuple[str, ...]) -> str | None:
    if text is not None and text not in known:
        faults.add("unknown-value", option, text, "is not known.", maybe(text, known))
    return text


def _numbers(faults: Faults, option: str, text: str | None) -> float | list[float] | None:
    if text is None:
        return None
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        faults.add("not-a-number", option, text, "is no list of numbers.", "Maybe 30 or 30,45.")
        return None
    return numbers[0] if len(numbers) == 1 else numbers
