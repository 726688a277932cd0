"""The field's npz batches: many instances of one size in a few arrays.

Which arrays a problem has, its ``arrays`` module says (2D-Ptr, Liu et al. 2024; PARCO, Berto et al.
2025), each with the instance as first axis. Names, ids, longitudes and working days, which the
field does not have, go to an extra text member that others can ignore, matrices to arrays.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, overload

import numpy as np

from geopar.errors import Faults, InputError
from geopar.files.building import relocated
from geopar.files.day_npz import PREFIXES, day_arrays, day_from, day_values
from geopar.files.json_objects import Objects, check_list
from geopar.files.json_text import parse_json
from geopar.files.npz_archive import Array, Header, NpzArchive
from geopar.files.wording import maybe, shown
from geopar.problems import Problem
from geopar.problems.kinds import KINDS, PROBLEM_KINDS, Kind
from geopar.problems.validation import MOST_TASKS, MOST_VEHICLES, check_count

DETAILS = "geopar"


@dataclass(frozen=True)
class Batch(Sequence[Problem]):
    """The problems of one npz file, each built and validated when asked for.

    Parameters
    ----------
    name
        The file's, without folder and suffix.
    kind
        Of all its problems.
    arrays
        The field's arrays.
    details
        For each instance what the arrays do not hold: fields of the problem to set. May be empty.
    """

    name: str
    kind: Kind
    arrays: dict[str, Array]
    details: list[dict[str, Any]]

    def __len__(self) -> int:
        return len(self.arrays["locs"])

    @overload
    def __getitem__(self, row: int) -> Problem: ...

    @overload
    def __getitem__(self, row: slice) -> list[Problem]: ...

    def __getitem__(self, row: int | slice) -> Problem | list[Problem]:
        if isinstance(row, slice):
            return [self[one] for one in range(*row.indices(len(self)))]
        if row < 0:
            row += len(self)
        if not 0 <= row < len(self):
            raise IndexError(f"{self.name} has no instance {row}; it has {len(self)}")
        details: dict[str, Any] = {"name": f"{self.name}#{row}" if len(self) > 1 else self.name}
        details |= self.details[row] if self.details else {}
        form = _form(self.kind)
        try:
            asked = details.pop("day", {})
            details["day"] = day_from(asked, self.arrays, row, f"{DETAILS}[{row}].day")
            problem: Problem = form.problem_at(self.arrays, row, **details)
        except InputError as error:
            num_tasks = self.arrays["locs"].shape[1]
            raise relocated(error, lambda at: form.member_at(row, at, num_tasks)) from None
        return problem

    def __iter__(self) -> Iterator[Problem]:
        return (self[row] for row in range(len(self)))


def batch_from_npz(data: bytes, name: str, title: str) -> Batch:
    """The problems in the file.

    Parameters
    ----------
    data
        The file's content.
    name
        What faults call it.
    title
        What the problems are called.

    Raises
    ------
    geopar.errors.InputError
        When members are missing, unknown, pickled, or of the wrong shape or size. Numbers are
        checked when an instance is asked for.
    """
    faults = Faults()
    with NpzArchive(faults, data, name) as archive:
        kind = _kind(archive.members)
        form = _form(kind)
        _check_members(faults, archive.members, kind, name)
        headers = archive.headers()
        shapes = form.SHAPES
        if len(headers["locs"].shape) == 2:  # a single instance without the first axis
            shapes = {one: axes[1:] for one, axes in shapes.items()}
        _check_shapes(faults, headers, shapes, PROBLEM_KINDS[kind].tasks_per_order)
        archive.check_size(headers)
        arrays = {one: archive.array(one) for one in archive.members}
    faults.raise_if_any()
    details = _details(faults, arrays.pop(DETAILS, None), kind)
    for one, expected in form.TOLERATED.items():
        most = headers["capacity"].shape[-1] if expected == "M" else expected
        if one in arrays and np.any(arrays.pop(one) != most):
            faults.add("unsupported", one, ..., f"must be {most} everywhere.", "Remove it.")
    if shapes is not form.SHAPES:
        arrays = {one: array[None] for one, array in arrays.items()}
    if details and len(details) != len(arrays["locs"]):
        faults.add("wrong-length", DETAILS, len(details), "entries, but not as many instances.")
    faults.raise_if_any()
    return Batch(title, kind, arrays, details)


def _form(kind: Kind) -> Any:
    """The module of a problem's arrays."""
    return PROBLEM_KINDS[kind].arrays.load()


def _kind(members: Sequence[str]) -> Kind:
    """The first kind that has a member which no other has; the first of all when none has."""
    for kind in KINDS:
        others = {member for other in KINDS if other != kind for member in _form(other).SHAPES}
        if any(member in members for member in set(_form(kind).SHAPES) - others):
            return kind
    return KINDS[0]


def _check_members(faults: Faults, members: Sequence[str], kind: Kind, name: str) -> None:
    form = _form(kind)
    known = {*form.SHAPES, *form.TOLERATED, DETAILS}
    for member in form.SHAPES:
        if member not in members:
            field = f"{name} member {member}"
            faults.add("missing-field", field, ..., f"is missing for {kind}.", "Add it.")
    unknown = [
        member for member in members if member not in known and not member.startswith(PREFIXES)
    ]
    for member in faults.first_few("unknown-field", unknown):
        faults.add(
            "unknown-field", f"{name} member", shown(member), f"is not known for {kind}.",
            maybe(member, known),
        )  # fmt: skip
    faults.raise_if_any()


def _check_shapes(
    faults: Faults, headers: dict[str, Header], shapes: dict[str, str], tasks_per_order: int
) -> None:
    """Every array with the axes it should have, equally long wherever they mean the same."""
    sizes: dict[str, tuple[int, str]] = {"2": (2, "a place")}
    for member in ("locs", *shapes):  # locs first: it is right more often than the others
        shape, axes = headers[member].shape, shapes[member]
        if len(shape) != len(axes):
            faults.add(
                "wrong-shape", member, shape, f"must have {len(axes)} axes.",
                "See docs/use/files.md for the shapes.",
            )  # fmt: skip
            continue
        for axis, size in zip(axes, shape, strict=True):
            expected, other = sizes.setdefault(axis, (size, member))
            if size != expected:
                faults.add(
                    "wrong-shape", member, shape, f"has {size} where {other} has {expected}."
                )
    for axis, name, most in (("N", "locs", MOST_TASKS), ("M", "capacity", MOST_VEHICLES)):
        size = sizes.get(axis, (1, ""))[0]
        check_count(faults, name, size, most)
        if axis == "N" and size % tasks_per_order:
            faults.add(
                "odd-tasks", "locs", size, "is odd; every order has two tasks.",
                "Give all pickups, then their deliveries.",
            )  # fmt: skip
    if sizes.get("B", (1, ""))[0] == 0:
        faults.add("empty", "locs", headers["locs"].shape, "has no instances.", "Add one.")
    faults.raise_if_any()


def _details(faults: Faults, array: Array | None, kind: Kind) -> list[dict[str, Any]]:
    if array is None:
        return []
    named: str = PROBLEM_KINDS[kind].instance.load().named
    told: tuple[str, ...] = ("details", "vehicle_details")
    if PROBLEM_KINDS[kind].instance.load().comes_home:
        told += ("depot_details",)
    known = ("name", "coordinates", f"{named}_ids", "vehicle_ids", "day", "load_names", *told)
    value = parse_json(array.astype(np.uint8).tobytes(), DETAILS)
    rows = Objects(faults, check_list(faults, value, DETAILS) or [], lambda i: f"{DETAILS}[{i}]")
    rows.check_fields((), known)
    for row, entry in enumerate(rows.rows):
        for name, one in entry.items():
            if name == "day" and isinstance(one, dict):
                continue
            if name in told and isinstance(one, dict):
                texts = list(
                    chain.from_iterable(t if isinstance(t, list) else [t] for t in one.values())
                )
            else:
                texts = one if name.endswith(("_ids", "_names")) else [one]
            if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
                field = rows.field(row, name)
                faults.add("wrong-type", field, shown(one), "must be text.", "Write it anew.")
    faults.raise_if_any()
    return list(rows.rows)


def batch_to_npz(problems: Sequence[Problem]) -> bytes:
    """Problems of one kind and size as an npz file.

    Raises
    ------
    geopar.errors.InputError
        When there are none, or they differ in kind or size.
    """
    faults = Faults()
    sizes = {(one.kind, one.num_tasks, one.num_vehicles) for one in problems}
    if len(sizes) != 1:
        faults.refuse(
            "not-expressible", "problems", len(sizes), "different sizes; npz needs exactly one.",
            "Write one file for each size.",
        )  # fmt: skip
    rows = [_form(problem.kind).arrays_of(problem) for problem in problems]
    arrays = {name: _narrow(np.stack([row[name] for row in rows])) for name in rows[0]}
    arrays |= {name: _narrow(tables) for name, tables in day_arrays(problems).items()}
    details = [_extra(problem) for problem in problems]
    if any(details):
        text = json.dumps(details)
        arrays[DETAILS] = np.frombuffer(text.encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def _narrow(array: Array) -> Array:
    """As float32, the field's type, where that loses nothing."""
    narrow = array.astype(np.float32)
    return narrow if np.all(narrow == array) else array


def _extra(problem: Problem) -> dict[str, Any]:
    """What the arrays do not hold, where it is not what a reader would assume."""
    extra: dict[str, Any] = {}
    if problem.name:
        extra["name"] = problem.name
    if problem.coordinates != "plane":
        extra["coordinates"] = problem.coordinates
    for thing in (problem.named, "vehicle"):
        ids = getattr(problem, f"{thing}_ids")
        if ids != tuple(f"{thing[0]}{i}" for i in range(1, len(ids) + 1)):
            extra[f"{thing}_ids"] = ids
    for told in ("details", "vehicle_details", "load_names"):
        if getattr(problem, told):
            extra[told] = getattr(problem, told)
    if depot := problem.details_of_depot():
        extra["depot_details"] = depot
    if problem.day is not None and (values := day_values(problem.day)):
        extra["day"] = values
    return extra
