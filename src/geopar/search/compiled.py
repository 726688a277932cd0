"""The decorators of all compiled code, so that how it is compiled is said once."""

from __future__ import annotations

from typing import Any

import numba

# Kernels hold no Python object, so they let other threads run, and they are cached on disk:
# beside the source when that can be written, else in the user's cache folder (numba's own rule).
_OPTIONS: dict[str, Any] = {"nopython": True, "nogil": True, "cache": True, "error_model": "numpy"}


def compiled(*signature: Any, **options: Any) -> Any:
    """``numba.jit`` with the house's options; with a signature it compiles on import."""
    return numba.jit(*signature, **(_OPTIONS | options))


def inner(*signature: Any, **options: Any) -> Any:
    """As :func:`compiled`, for functions that only compiled code calls.

    Without the wrapper that Python would need, large argument tuples compile in half the time.
    """
    return compiled(*signature, no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)
