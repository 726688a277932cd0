"""Archives of a few kilobytes that claim far more, under names that the reader of problems knows.

What a file claims under any other name is refused before anybody looks how large it is.
"""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable

import numpy as np

from geopar.problems.kinds import PROBLEM_KINDS, Kind
from geopar.problems.validation import MOST_TASKS

# What unpacks to so many bytes is a bomb.
BYTES = 50_000_000
# As many as a problem may have.
TASKS = MOST_TASKS
DETAILS = "geopar"


def _header(shape: tuple[int, ...], descr: str = "<f8") -> bytes:
    file = io.BytesIO()
    layout = {"descr": descr, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, layout)
    return file.getvalue()


def _shapes(kind: Kind, instances: int, tasks: int) -> dict[str, tuple[int, ...]]:
    sizes = {"B": instances, "N": tasks, "M": 2, "2": 2}
    axes = PROBLEM_KINDS[kind].arrays.load().SHAPES
    return {name: tuple(sizes[axis] for axis in text) for name, text in axes.items()}


def _arrays(shapes: dict[str, tuple[int, ...]]) -> dict[str, bytes]:
    return {
        name: _header(shape) + np.ones(shape).tobytes() for name, shape in shapes.items()
    }  # fmt: skip


def _zipped(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            # With a date of its own, so that it is the same file each time.
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), data, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def deflated_tasks(kind: Kind) -> bytes:
    """One honest problem, but for its size: as many tasks as a problem may have."""
    return _zipped(_arrays(_shapes(kind, 1, TASKS)))


def deflated_instances(kind: Kind) -> bytes:
    """As many small problems as take so many bytes."""
    return _zipped(_arrays(_shapes(kind, BYTES // 100, 2)))


def declared_tasks(kind: Kind) -> bytes:
    """Headers of such a problem, and nothing behind them."""
    shapes = _shapes(kind, 1, TASKS)
    return _zipped({name: _header(shape) for name, shape in shapes.items()})


def declared_beyond_all(kind: Kind) -> bytes:
    """Headers of arrays that no machine has room for."""
    shapes = _shapes(kind, 10**9, 10**9)
    return _zipped({name: _header(shape) for name, shape in shapes.items()})


def a_long_header(kind: Kind) -> bytes:
    """An honest small problem, one array of which has a header that goes on and on."""
    members = _arrays(_shapes(kind, 1, 4))
    text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 4, 2), }".ljust(BYTES)
    members["locs"] = b"\x93NUMPY\x02\x00" + struct.pack("<I", BYTES) + text
    return _zipped(members)


def long_details(kind: Kind) -> bytes:
    """An honest small problem, with far too much text beside its arrays."""
    members = _arrays(_shapes(kind, 1, 4))
    members[DETAILS] = _header((BYTES,), "|u1") + b"[{}]".ljust(BYTES)
    return _zipped(members)


BOMBS: tuple[Callable[[Kind], bytes], ...] = (
    deflated_tasks, deflated_instances, declared_tasks, declared_beyond_all, a_long_header,
    long_details,
)  # fmt: skip
