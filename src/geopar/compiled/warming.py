"""Compilation said aloud, when there is any: kernels kept on disk load without a word."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

# Loading from disk takes tenths of a second, on a busy machine more; compiling takes several.
PATIENCE = 2.0


@contextmanager
def announced(text: str, announce: Callable[[str], None]) -> Iterator[None]:
    """Announce what goes on inside, if it takes longer than loading would."""
    timer = Timer(PATIENCE, announce, (text,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
