"""Tensors out of PyTorch's own checkpoints, without running anything that is in them.

Such a file is a zip archive with a pickle, and a pickle can name any function to be called. Here
only tensors, containers and plain values are built; whatever else is named becomes a
:class:`Placeholder`, which does nothing at all.
"""

from __future__ import annotations

import functools
import io
import operator
import pickle
import re
import struct
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import torch
from torch import Tensor

from geopar.errors import refuse
from geopar.files.storage import label
from geopar.neural.cards import MOST_WEIGHT_BYTES

MOST_PICKLE_BYTES = 20_000_000
MOST_DIMENSIONS = 8
AGAIN = "Get the file again."
_CONTAINERS: dict[str, Any] = {
    "dict": dict, "list": list, "set": set, "frozenset": frozenset, "tuple": tuple,
}  # fmt: skip
_STORAGES = {
    "FloatStorage": torch.float32,
    "DoubleStorage": torch.float64,
    "HalfStorage": torch.float16,
    "BFloat16Storage": torch.bfloat16,
}
_REBUILDING = (("torch._utils", "_rebuild_tensor_v2"), ("torch._utils", "_rebuild_parameter"))
# What reading a damaged or hostile archive or pickle may end in.
_DAMAGED = (
    pickle.UnpicklingError, zipfile.BadZipFile, NotImplementedError, ArithmeticError, LookupError,
    AttributeError, TypeError, ValueError, EOFError, RecursionError, MemoryError, AssertionError,
    RuntimeError, OSError, struct.error, zlib.error,
)  # fmt: skip


class Placeholder:
    """Stands for anything that is not built here: it takes everything and does nothing."""

    def __new__(cls, *parts: Any, **more: Any) -> Placeholder:
        """Whatever it was to be made of."""
        return object.__new__(cls)

    def __init__(self, *parts: Any, **more: Any) -> None:
        pass

    def __call__(self, *parts: Any, **more: Any) -> Placeholder:
        """Nothing is called."""
        return self

    def __setstate__(self, state: Any) -> None:
        pass

    def __setitem__(self, key: Any, value: Any) -> None:
        pass

    def append(self, item: Any) -> None:
        """Nothing is kept."""

    def extend(self, items: Any) -> None:
        """Nothing is kept."""

    def add(self, item: Any) -> None:
        """Nothing is kept."""


class _Mapping(dict[Any, Any]):
    """An ordered dictionary; what a pickle would set of its attributes is not."""

    def __setstate__(self, state: Any) -> None:
        pass


class _Rebuilt:
    """A function of torch's that makes tensors, by its name; one object for each mention of it.

    It has no attributes that a pickle could change for others.
    """

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *parts: Any) -> Any:
        """The tensor, or what stands for it, of what torch's function would be called with."""
        if self._name == "_rebuild_parameter":
            return parts[0]
        storage, offset, size, stride = parts[:4]
        if not isinstance(storage, _Storage):
            return Placeholder()
        return _Stored(storage, int(offset), tuple(map(int, size)), tuple(map(int, stride)))


@dataclass(frozen=True)
class _Storage:
    """A member of the archive, and how many numbers of which kind it says to hold."""

    dtype: torch.dtype
    key: str
    count: int


@dataclass(frozen=True)
class _Stored:
    """A tensor that was not read yet."""

    storage: _Storage
    offset: int
    size: tuple[int, ...]
    stride: tuple[int, ...]


class _Unpickler(pickle._Unpickler):
    """Builds containers, plain values and descriptions of tensors, and nothing else.

    The one written in Python: its memo is a dictionary, which no pickle can make large by a number.
    """

    def find_class(self, module: str, name: str) -> Any:
        """What a pickle may name; all else is a placeholder."""
        if module in ("__builtin__", "builtins") and name in _CONTAINERS:
            return _CONTAINERS[name]
        if (module, name) == ("collections", "OrderedDict"):
            return _Mapping
        if module == "torch" and name in _STORAGES:
            return name
        if (module, name) in _REBUILDING:
            return _Rebuilt(name)
        return Placeholder

    def persistent_load(self, pid: Any) -> Any:
        """Torch's way to name a member of the archive."""
        kind, name, key, _, count = pid
        if kind != "storage" or name not in _STORAGES:
            return Placeholder()
        if not re.fullmatch(r"\d{1,9}", str(key)):
            raise ValueError(key)
        return _Storage(_STORAGES[name], str(key), int(count))


def read_checkpoint(path: Path, section: str = "state_dict") -> dict[str, Tensor]:
    """The tensors of one section of a checkpoint, by name.

    Raises
    ------
    geopar.errors.InputError
        When the file is missing, no such archive, truncated, or has no such section.
    """
    if not path.is_file():
        refuse("no-such-file", label(path), ..., "does not exist.", "Check the path.")
    if path.stat().st_size > MOST_WEIGHT_BYTES:
        _refuse(path, "is larger than any weights.")
    found: dict[str, Tensor] = {}
    try:
        with zipfile.ZipFile(path) as archive:
            prefix, whole = _unpickled(archive)
            values = whole.get(section) if isinstance(whole, dict) else None
            for name, value in values.items() if isinstance(values, dict) else ():
                if isinstance(name, str) and isinstance(value, _Stored):
                    found[name] = _read(archive, prefix, value)
                    if sum(tensor.nbytes for tensor in found.values()) > MOST_WEIGHT_BYTES:
                        raise ValueError(name)
    except _DAMAGED:
        _refuse(path, "is no checkpoint of PyTorch, or a damaged one.")
    if not found:
        _refuse(path, f"holds no tensors under {section!r}.", "Maybe it is of another program.")
    return found


def _unpickled(archive: zipfile.ZipFile) -> tuple[str, Any]:
    """Where the archive keeps its members, and what its pickle holds."""
    (name,) = [n for n in archive.namelist() if n.endswith("/data.pkl") or n == "data.pkl"]
    prefix = name.removesuffix("data.pkl")
    order = f"{prefix}byteorder"
    if order in archive.namelist() and _member(archive, order, 100).strip() != b"little":
        raise ValueError(order)
    return prefix, _Unpickler(io.BytesIO(_member(archive, name, MOST_PICKLE_BYTES))).load()


def _member(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """The content of a member; torch compresses none, so that none is larger than the file."""
    info = archive.getinfo(name)
    if info.compress_type != zipfile.ZIP_STORED or info.file_size > most:
        raise ValueError(name)
    return archive.read(name)


def _read(archive: zipfile.ZipFile, prefix: str, stored: _Stored) -> Tensor:
    """One tensor; its numbers lie within its member of the archive."""
    storage = stored.storage
    member = f"{prefix}data/{storage.key}"
    length = storage.count * storage.dtype.itemsize
    if archive.getinfo(member).file_size != length or not 0 <= storage.count < MOST_WEIGHT_BYTES:
        raise ValueError(member)
    numbers = (*stored.size, *stored.stride, stored.offset)
    last = stored.offset + sum(
        (size - 1) * stride for size, stride in zip(stored.size, stored.stride, strict=True)
    )
    if min(numbers) < 0 or len(stored.size) > MOST_DIMENSIONS:
        raise ValueError(member)
    wanted = functools.reduce(operator.mul, stored.size, 1)
    if wanted > storage.count or (wanted and last >= storage.count):
        raise ValueError(member)
    if not storage.count:
        return torch.empty(stored.size, dtype=storage.dtype)
    content = _member(archive, member, MOST_WEIGHT_BYTES)
    data = torch.frombuffer(bytearray(content), dtype=storage.dtype)
    return data.as_strided(stored.size, stored.stride, stored.offset).clone()


def _refuse(path: Path, message: str, hint: str = AGAIN) -> NoReturn:
    refuse("damaged-weights", label(path), ..., message, hint)
