"""The field's npz batches: many instances of one size in a few arrays.

HCVRP has ``depot, locs, demand, capacity, speed``, OMDCPDP ``depots, locs, capacity``, each with
the instance as first axis (2D-Ptr, Liu et al. 2024; PARCO, Berto et al. 2025). Names, ids and
longitudes, which the field does not have, go to an extra text member that others can ignore.
"""

from __future__ import annotations

import io
import json
import math
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast, overload

import numpy as np
from numpy.typing import NDArray

from geopar.errors import Faults, InputError
from geopar.files.building import relocated
from geopar.files.json_objects import Objects, check_list
from geopar.files.json_text import parse_json
from geopar.files.wording import maybe, printable, shown
from geopar.problems import HCVRP, Problem
from geopar.problems.frozen import Arrays, problem_at
from geopar.problems.validation import MOST_TASKS, MOST_VEHICLES, check_count

Array = NDArray[Any]

# Letters are the axes: B instances, N tasks, M vehicles; digits are sizes.
SHAPES = {
    "hcvrp": {"depot": "B2", "locs": "BN2", "demand": "BN", "capacity": "BM", "speed": "BM"},
    "omdcpdp": {"depots": "BM2", "locs": "BN2", "capacity": "BM"},
}
# PARCO's OMDCPDP files have two members more; they must say what this problem says anyway.
_TOLERATED = {"hcvrp": (), "omdcpdp": ("num_agents", "lateness_weight")}
MOST_ARRAY_BYTES = 2_000_000_000
DETAILS = "geopar"
AXES = {"x": 0, "y": 1, "lon": 0, "lat": 1}


@dataclass(frozen=True)
class Batch(Sequence[Problem]):
    """The problems of one npz file, each built and validated when asked for.

    Parameters
    ----------
    name
        The file's, without folder and suffix.
    arrays
        The field's arrays.
    details
        For each instance what the arrays do not hold: fields of the problem to set. May be empty.
    """

    name: str
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
        name = f"{self.name}#{row}" if len(self) > 1 else self.name
        try:
            problem = problem_at(cast(Arrays, self.arrays), row, name)
        except InputError as error:
            raise self._relocated(error, row) from None
        return problem.replace(**self.details[row]) if self.details else problem

    def __iter__(self) -> Iterator[Problem]:
        return (self[row] for row in range(len(self)))

    def _relocated(self, error: InputError, row: int) -> InputError:
        """The faults in terms of members and indices."""
        here = {name: array[row] for name, array in self.arrays.items()}
        half = here["locs"].shape[0] // 2
        columns = {"customers": here["locs"], **here}
        if "depots" in here:
            ends = {"pickups": here["locs"][:half], "deliveries": here["locs"][half:]}
            columns = {"starts": here["depots"], **ends}

        def where(thing: str, at: int, quantity: str) -> str:
            end, _, axis = quantity.rpartition(".")
            if axis not in AXES:
                return f"{axis}[{row}, {at}]"
            if thing == "depot":
                return f"depot[{row}, {AXES[axis]}]"
            member = "depots" if thing == "vehicle" else "locs"
            return f"{member}[{row}, {at + half * (end == 'delivery')}, {AXES[axis]}]"

        return relocated(error, where, columns)


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
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        members = {one.removesuffix(".npy"): one for one in archive.namelist()}
    except Exception as error:  # zipfile stumbles over junk in many ways
        faults.add(
            "bad-npz", name, ..., f"is no npz file: {printable(str(error))}.", "Use numpy.savez."
        )
        faults.raise_now()
    with archive:
        kind = "omdcpdp" if "depots" in members else "hcvrp"
        _check_members(faults, members, kind, name)
        headers = {one: _header(faults, archive, path, one) for one, path in members.items()}
        faults.raise_if_any()
        shapes = SHAPES[kind]
        if len(headers["locs"].shape) == 2:  # a single instance without the first axis
            shapes = {one: axes[1:] for one, axes in shapes.items()}
        _check_shapes(faults, headers, shapes)
        arrays = {one: _array(faults, archive, path, one) for one, path in members.items()}
    faults.raise_if_any()
    details = _details(faults, arrays.pop(DETAILS, None), kind)
    for one in _TOLERATED[kind]:
        _check_tolerated(faults, one, arrays.pop(one, None), headers["capacity"].shape[-1])
    if shapes is not SHAPES[kind]:
        arrays = {one: array[None] for one, array in arrays.items()}
    if details and len(details) != len(arrays["locs"]):
        faults.add("wrong-length", DETAILS, len(details), "entries, but not as many instances.")
    faults.raise_if_any()
    return Batch(title, arrays, details)


def _check_members(faults: Faults, members: Iterable[str], kind: str, name: str) -> None:
    known = {*SHAPES[kind], *_TOLERATED[kind], DETAILS}
    for member in SHAPES[kind]:
        if member not in members:
            faults.add(
                "missing-field",
                f"{name} member {member}",
                ...,
                f"is missing for {kind}.",
                "Add it.",
            )
    for member in members:
        if member not in known:
            faults.add(
                "unknown-field", f"{name} member", shown(member), f"is not known for {kind}.",
                maybe(member, known),
            )  # fmt: skip
    faults.raise_if_any()


class Header(NamedTuple):
    """What an array is, before it is read."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def num_bytes(self) -> int:
        """Its size."""
        return math.prod(self.shape) * self.dtype.itemsize


def _header(faults: Faults, archive: zipfile.ZipFile, path: str, member: str) -> Header:
    try:
        with archive.open(path) as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            version = np.lib.format.read_magic(file)
            read = np.lib.format.read_array_header_1_0
            if version != (1, 0):
                read = np.lib.format.read_array_header_2_0
            shape, _, dtype = read(file)
        header = Header(tuple(int(size) for size in shape), dtype)
    except Exception as error:  # numpy and zipfile stumble over junk in many ways
        faults.add(
            "bad-npz", member, ..., f"cannot be read: {printable(str(error))}.", "Write it anew."
        )
        return Header((), np.dtype(np.float64))
    if dtype.hasobject:
        faults.add(
            "pickled", member, dtype.str, "holds Python objects, which are never loaded.",
            "Save plain numbers: np.savez(path, **{name: np.asarray(a, float)}).",
        )  # fmt: skip
    elif dtype.kind not in "fiu":
        faults.add("not-a-number", member, dtype.str, "is not an array of numbers.", "Use floats.")
    elif header.num_bytes > MOST_ARRAY_BYTES or min(header.shape, default=0) < 0:
        limit = f"needs more than the limit of {MOST_ARRAY_BYTES:,} bytes."
        faults.add("too-large", member, header.shape, limit, "Split it up.")
    return header


def _check_shapes(faults: Faults, headers: dict[str, Header], shapes: dict[str, str]) -> None:
    """Every array with the axes it should have, equally long wherever they mean the same."""
    sizes: dict[str, tuple[int, str]] = {"2": (2, "a place")}
    for member in ("locs", *shapes):  # locs first: it is right more often than the others
        shape, axes = headers[member].shape, shapes[member]
        if len(shape) != len(axes):
            faults.add(
                "wrong-shape", member, shape, f"must have {len(axes)} axes.",
                "See docs/formats.md for the shapes.",
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
        if axis == "N" and "depots" in shapes and size % 2:
            faults.add(
                "odd-tasks", "locs", size, "is odd; every order has two tasks.",
                "Give all pickups, then their deliveries.",
            )  # fmt: skip
    if sizes.get("B", (1, ""))[0] == 0:
        faults.add("empty", "locs", headers["locs"].shape, "has no instances.", "Add one.")
    faults.raise_if_any()


def _array(faults: Faults, archive: zipfile.ZipFile, path: str, member: str) -> Array:
    try:
        with archive.open(path) as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.asarray(np.lib.format.read_array(file, allow_pickle=False))
    except Exception as error:  # as above
        faults.add(
            "bad-npz", member, ..., f"cannot be read: {printable(str(error))}.", "Write it anew."
        )
        return np.zeros(0)


def _check_tolerated(faults: Faults, member: str, array: Array | None, vehicles: int) -> None:
    expected = vehicles if member == "num_agents" else 1
    if array is not None and np.any(array != expected):
        faults.add("unsupported", member, ..., f"must be {expected} everywhere.", "Remove it.")


def _details(faults: Faults, array: Array | None, kind: str) -> list[dict[str, Any]]:
    if array is None:
        return []
    tasks = "customer_ids" if kind == "hcvrp" else "order_ids"
    known = ("name", "coordinates", tasks, "vehicle_ids")
    value = parse_json(array.astype(np.uint8).tobytes(), DETAILS)
    rows = Objects(faults, check_list(faults, value, DETAILS) or [], lambda i: f"{DETAILS}[{i}]")
    rows.check_fields((), known)
    for row, entry in enumerate(rows.rows):
        for name, one in entry.items():
            texts = one if name.endswith("_ids") else [one]
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
        faults.add(
            "not-expressible", "problems", len(sizes), "different sizes; npz needs exactly one.",
            "Write one file for each size.",
        )  # fmt: skip
        faults.raise_now()
    arrays = {
        name: _narrow(np.stack([_columns(problem)[name] for problem in problems]))
        for name in _columns(problems[0])
    }
    details = [_extra(problem) for problem in problems]
    if any(details):
        text = json.dumps(details)
        arrays[DETAILS] = np.frombuffer(text.encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def _columns(problem: Problem) -> dict[str, Array]:
    if isinstance(problem, HCVRP):
        return {
            "depot": problem.depot,
            "locs": problem.customers,
            "demand": problem.demand,
            "capacity": problem.capacity,
            "speed": problem.speed,
        }
    return {
        "depots": problem.starts,
        "locs": np.concatenate([problem.pickups, problem.deliveries]),
        "capacity": problem.capacity,
    }


def _narrow(array: Array) -> Array:
    """As float32, the field's type, where that loses nothing."""
    narrow = array.astype(np.float32)
    return narrow if np.array_equal(narrow.astype(np.float64), array) else array


def _extra(problem: Problem) -> dict[str, Any]:
    """What the arrays do not hold, where it is not what a reader would assume."""
    extra: dict[str, Any] = {}
    if problem.name:
        extra["name"] = problem.name
    if problem.coordinates != "plane":
        extra["coordinates"] = problem.coordinates
    tasks = "customer_ids" if isinstance(problem, HCVRP) else "order_ids"
    for name, letter in ((tasks, tasks[0]), ("vehicle_ids", "v")):
        ids = getattr(problem, name)
        if ids != tuple(f"{letter}{i}" for i in range(1, len(ids) + 1)):
            extra[name] = ids
    return extra
