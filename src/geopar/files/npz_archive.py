"""Arrays out of npz files that nobody need trust: every limit applies before anything is unpacked.

A few kilobytes of zip can claim gigabytes: by what is compressed, by the length of an array's
header, by its shape, or by millions of members. Whatever is declared is looked at first.
"""

from __future__ import annotations

import io
import math
import struct
import warnings
import zipfile
from collections.abc import Mapping
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.errors import Faults
from geopar.files.wording import printable

Array = NDArray[Any]

SUFFIX = ".npy"
MOST_MEMBERS = 100
LONGEST_HEADER = 10_000
# Numbers hardly shrink: what becomes so many times as large as its file is no honest problem ...
MOST_GROWTH = 10
# ... unless it is small anyway.
SMALL_BYTES = 1_000_000
MOST_BYTES = 2_000_000_000

# The record of a member in a zip file's directory.
_DIRECTORY_MARK = b"PK\x01\x02"
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # all that numpy writes
_SPREADSHEET_MARK = "[Content_Types].xml"


class Header(NamedTuple):
    """What an array is, before it is read."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def num_bytes(self) -> int:
        """Its size in memory, where all numbers become float64 in the end."""
        return math.prod(self.shape) * max(8, self.dtype.itemsize)


class NpzArchive:
    """The members of one file; use it as a context manager.

    Parameters
    ----------
    faults
        Where to note what is wrong.
    data
        The file's content.
    name
        What faults call it.

    Raises
    ------
    geopar.errors.InputError
        When it is no npz file, or has too many members.
    """

    def __init__(self, faults: Faults, data: bytes, name: str) -> None:
        self._faults, self._name, self._size = faults, name, len(data)
        # Counted in the bytes themselves: zipfile would make an object of each record.
        members = data.count(_DIRECTORY_MARK)
        if members > MOST_MEMBERS:
            limit = f"members are more than the limit of {MOST_MEMBERS}."
            faults.refuse("too-large", name, members, limit, "A problem needs five.")
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
            paths = self._archive.namelist()
        except Exception as error:  # zipfile stumbles over junk in many ways
            self._add_broken(name, f"is no npz file: {_words(error)}.", "Use numpy.savez.")
            faults.raise_now()
        if not any(path.endswith(SUFFIX) for path in paths):
            is_sheet = _SPREADSHEET_MARK in paths
            what = "a spreadsheet or office document" if is_sheet else "a zip file without arrays"
            hint = "Call it .xlsx." if is_sheet else "Unpack it, or use numpy.savez."
            self._add_broken(name, f"is {what}, no npz file.", hint)
            faults.raise_now()
        self._paths = {path.removesuffix(SUFFIX): path for path in paths}

    def __enter__(self) -> NpzArchive:
        return self

    def __exit__(self, *error: object) -> None:
        self._archive.close()

    @property
    def members(self) -> list[str]:
        """The names of the arrays."""
        return list(self._paths)

    def headers(self) -> dict[str, Header]:
        """What each array is.

        Raises
        ------
        geopar.errors.InputError
            For arrays that cannot be read, or hold something else than numbers.
        """
        headers = {member: self._header(member) for member in self._paths}
        self._faults.raise_if_any()
        return headers

    def _header(self, member: str) -> Header:
        path = self._paths[member]
        try:
            if self._archive.getinfo(path).compress_type not in _METHODS:
                raise ValueError("compressed in a way that numpy does not know")
            with self._archive.open(path) as file, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                header = _read_header(file)
        except Exception as error:  # numpy and zipfile stumble over junk in many ways
            self._add_broken(member, f"cannot be read: {_words(error)}.", "Write it anew.")
            return Header((), np.dtype(np.float64))
        dtype = header.dtype
        if dtype.hasobject:
            self._faults.add(
                "pickled", member, dtype.str, "holds Python objects, which are never loaded.",
                "Save plain numbers: np.savez(path, **{name: np.asarray(a, float)}).",
            )  # fmt: skip
        elif dtype.kind not in "fiu":
            message = "is not an array of numbers."
            self._faults.add("not-a-number", member, dtype.str, message, "Use floats.")
        elif min(header.shape, default=0) < 0:
            message = "has a negative shape."
            self._faults.add("wrong-shape", member, header.shape, message, "Write it anew.")
        return header

    def check_size(self, headers: Mapping[str, Header]) -> None:
        """Refuse arrays that are too large, or far larger than the file.

        Raises
        ------
        geopar.errors.InputError
            If they are.
        """
        needed = sum(header.num_bytes for header in headers.values())
        if needed > MOST_BYTES:
            limit = f"bytes of memory are more than the limit of {MOST_BYTES:,}."
            self._faults.add("too-large", self._name, needed, limit, "Split it up.")
        # float32, the field's type, doubles by itself.
        elif needed > max(SMALL_BYTES, MOST_GROWTH * self._size):
            self._faults.add(
                "too-large", self._name, needed,
                f"bytes of memory are more than {MOST_GROWTH} times the file's {self._size:,}.",
                "Write it anew with numpy.savez, which does not compress.",
            )  # fmt: skip
        self._faults.raise_if_any()

    def array(self, member: str) -> Array:
        """One array; call :meth:`check_size` first."""
        try:
            with self._archive.open(self._paths[member]) as file, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return np.asarray(np.lib.format.read_array(file, allow_pickle=False))
        except Exception as error:  # as above
            self._add_broken(member, f"cannot be read: {_words(error)}.", "Write it anew.")
            return np.zeros(0)

    def _add_broken(self, field: str, message: str, hint: str) -> None:
        self._faults.add("bad-npz", field, ..., message, hint)


def _read_header(file: IO[bytes]) -> Header:
    """The header of an array; its length is looked at before it is read."""
    magic = file.read(np.lib.format.MAGIC_LEN)
    version = np.lib.format.read_magic(io.BytesIO(magic))
    layout = "<H" if version == (1, 0) else "<I"
    length = file.read(struct.calcsize(layout))
    (size,) = struct.unpack(layout, length)
    if size > LONGEST_HEADER:
        raise ValueError(f"a header of {size:,} bytes")
    read = np.lib.format.read_array_header_1_0
    if version != (1, 0):
        read = np.lib.format.read_array_header_2_0
    shape, _, dtype = read(io.BytesIO(length + file.read(size)))
    return Header(tuple(int(length) for length in shape), dtype)


def _words(error: Exception) -> str:
    return printable(str(error))
