"""Problems from and to Python objects as JSON has them.

The formats are written down in ``schemas/problem.schema.json`` and ``docs/use/files.md``.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from geopar.errors import Faults
from geopar.files.building import check_text
from geopar.files.columns import plain
from geopar.files.forms import forms_of
from geopar.files.json_objects import check_object
from geopar.files.wording import maybe, shown
from geopar.problems import Problem
from geopar.problems.kinds import KINDS, Kind


def problem_from_json(value: Any) -> Problem:
    """The problem that a parsed JSON object describes.

    Parameters
    ----------
    value
        ``{"problem": "hcvrp", "depot": …, "customers": […], "vehicles": […]}`` or
        ``{"problem": "omdcpdp", "orders": […], "vehicles": […]}``.

    Raises
    ------
    geopar.errors.InputError
        With every fault found, each with its path.
    """
    faults = Faults()
    top = check_object(faults, value, "problem file", 'Write {"problem": "hcvrp", …}.')
    name = value.get("name", "")
    if not isinstance(name, str):
        faults.add("wrong-type", "name", shown(name), "must be text.", "Put it in quotes.")
        name = ""
    check_text(faults, "name", name)
    return forms_of(_kind(faults, value)).from_json(faults, top, name)


def _kind(faults: Faults, value: dict[str, Any]) -> Kind:
    """What it says, or else what it looks like."""
    looks_like = next((kind for kind in KINDS if forms_of(kind).LISTED in value), KINDS[0])
    if "problem" not in value:  # that is told with the other fields
        return looks_like
    return read_kind(faults, value["problem"], looks_like)


def read_kind(faults: Faults, value: Any, otherwise: Kind = KINDS[0]) -> Kind:
    """The kind of that name, or ``otherwise`` after noting that there is none."""
    for kind in KINDS:
        if value == kind:
            return kind
    hint = maybe(value if isinstance(value, str) else "", KINDS)
    faults.add("unknown-problem", "problem", shown(value), "is no problem known here.", hint)
    return otherwise


def problem_to_json(problem: Problem) -> dict[str, Any]:
    """The problem as an object for JSON; :func:`problem_from_json` gives it back to the bit."""
    top = _with_arrays(problem)
    for tables in top.get("matrices", {}).values():
        tables |= {name: list(map(plain, table)) for name, table in tables.items()}
    return top


def problem_text(problem: Problem) -> str:
    """The problem as JSON text."""
    return object_text(_with_arrays(problem))


def _with_arrays(problem: Problem) -> dict[str, Any]:
    """As :func:`problem_to_json`, with arrays for matrices, which take a fifth of the memory."""
    top: dict[str, Any] = {"problem": problem.kind}
    if problem.name:
        top["name"] = problem.name
    return top | forms_of(problem.kind).to_json(problem)


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def object_text(top: dict[str, Any]) -> str:
    """JSON text of an object, with each entry of its lists on a line of its own."""
    return "{\n" + ",\n".join(f" {_encode(key)}: {_lines(top[key])}" for key in top) + "\n}\n"


def _lines(value: Any) -> str:
    if isinstance(value, list) and value:
        rows = ",\n  ".join(map(_encode, value))
        return f"[\n  {rows}\n ]"
    if isinstance(value, np.ndarray):
        rows = ",\n  ".join(_encode(plain(row)) for row in value)
        return f"[\n  {rows}\n ]"
    if isinstance(value, dict) and any(
        isinstance(one, dict | np.ndarray) for one in value.values()
    ):
        return "{" + ",\n".join(f"{_encode(key)}: {_lines(value[key])}" for key in value) + "}"
    return _encode(value)
