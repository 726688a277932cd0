"""Compilation said aloud, when there is any: kernels kept on disk load without a word."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any

# A kernel or two are not worth a word.
PATIENCE = 2.0


@contextmanager
def announced(text: str, announce: Callable[[str], None]) -> Iterator[None]:
    """Announce what goes on inside, if something is compiled there and that takes its time.

    However long kernels take to load on a busy machine, nobody is told that they are compiled.
    """
    from numba.core import event

    class Listener(event.Listener):
        """Starts the timer when the first kernel is compiled."""

        timer: Timer | None = None

        def on_start(self, compiled: Any) -> None:
            if self.timer is None:
                self.timer = Timer(PATIENCE, announce, (text,))
                self.timer.daemon = True
                self.timer.start()

        def on_end(self, compiled: Any) -> None:
            pass

    listener = Listener()
    try:
        with event.install_listener("numba:compile", listener):
            yield
    finally:
        if listener.timer is not None:
            listener.timer.cancel()
