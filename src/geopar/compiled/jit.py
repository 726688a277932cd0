"""The decorators of all compiled code, so that how it is compiled is said once.

numba keeps machine code on disk and compiles again when the file of a function has changed, but
not when a function in another file has, which it calls and which was compiled into it. So what is
kept carries a stamp of all sources that compiled code is made of: after any change to them
everything is compiled anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba

# Kernels hold no Python object, so they let other threads run, and they are cached on disk:
# beside the source when that can be written, else in the user's cache folder (numba's own rule).
_OPTIONS: dict[str, Any] = {"nopython": True, "nogil": True, "cache": True, "error_model": "numpy"}
# The rooms with compiled code, and with the constants that it takes from elsewhere.
_ROOMS = ("bounds", "compiled", "neural", "peers/classical", "pointer", "problems", "search")


def stamp_of(folder: Path, rooms: tuple[str, ...] = _ROOMS) -> str:
    """A digest of every source in some rooms of a package."""
    digest = hashlib.sha256()
    for room in rooms:
        for path in sorted((folder / room).rglob("*.py")):
            digest.update(f"{path.relative_to(folder)}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


@cache
def _stamp() -> str:
    return stamp_of(Path(__file__).parents[1])


def compiled(function: Any = None, *, allocates: bool = False, **options: Any) -> Any:
    """``numba.jit`` with the options of this package; with or without options of its own.

    Only a function that ``allocates`` arrays, or is given new ones by one that does, counts
    references. The others have their arrays from whoever called them: to count a reference to each
    array of a tuple at every call, and back, took longer than all the rest of a search.
    """
    if function is None:
        return lambda one: compiled(one, allocates=allocates, **options)
    dispatcher = numba.jit(**(_OPTIONS | {"_nrt": allocates} | options))(function)
    kept = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if kept is not None:  # there is none where compilation is switched off
        kept._source_stamp = (kept._source_stamp, _stamp())
        kept._load_index = _forgiving(kept._load_index)
    return dispatcher


def _forgiving(load_index: Callable[[], dict[Any, str]]) -> Callable[[], dict[Any, str]]:
    """What is kept by another version may name classes that are gone: then nothing is kept."""

    def load() -> dict[Any, str]:
        try:
            return load_index()
        except (AttributeError, ImportError):
            return {}

    return load


def inner(function: Any = None, **options: Any) -> Any:
    """As :func:`compiled`, for functions that only compiled code calls.

    Without the wrapper that Python would need, large argument tuples compile in half the time.
    """
    return compiled(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)


def inlined(function: Any = None, **options: Any) -> Any:
    """As :func:`inner`, for functions that become part of whoever calls them.

    A large tuple of arrays is copied at a call. Large functions should have one caller.
    """
    return inner(function, forceinline=True, **options)
