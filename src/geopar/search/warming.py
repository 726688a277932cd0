"""Compilation said aloud, when there is any: kernels kept on disk load without a word."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

# Loading from disk takes a few tenths of a second on a slow machine; compiling takes seconds.
PATIENCE = 0.7


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
