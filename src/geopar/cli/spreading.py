"""The progress of spread work: how far, how many workers, how fast, how long still."""

from __future__ import annotations

import time

from rich.live import Live
from rich.text import Text

from geopar.cli.outputs import stderr
from geopar.spread import Executor, Meter

# Between two lines: on a terminal one that changes, elsewhere one below the other.
ON_TERMINAL, ELSEWHERE = 0.25, 10.0


class Bar:
    """Shows how far tasks are, with a word on them.

    Parameters
    ----------
    total
        How many tasks.
    executor
        What runs them.
    title
        Before the line.
    """

    def __init__(self, total: int, executor: Executor, title: str = "") -> None:
        self._meter, self._executor = Meter(total), executor
        self._title = f"{title}  " if title else ""
        self._word = ""
        self._next = time.monotonic() + (0.0 if stderr.is_terminal else ELSEWHERE)
        # It is refreshed here and not by a thread of its own, which would disturb the work.
        self._live = Live(console=stderr, auto_refresh=False, transient=True)

    def skip(self) -> None:
        """One need not be done."""
        self._meter.skip()

    def count(self, failed: bool = False, word: str = "") -> None:
        """One more is done."""
        self._meter.count(failed)
        self._word = f"  {word}" if word else ""
        if time.monotonic() >= self._next:
            self._show()

    def _show(self) -> None:
        line = self._title + self._meter.line(self._executor.workers) + self._word
        if stderr.is_terminal:
            self._next = time.monotonic() + ON_TERMINAL
            self._live.update(Text(line), refresh=True)
        else:
            self._next = time.monotonic() + ELSEWHERE
            stderr.print(line, highlight=False, soft_wrap=True)

    def __enter__(self) -> Bar:
        if stderr.is_terminal:
            self._live.start()
            self._show()
        return self

    def __exit__(self, *error: object) -> None:
        self._live.stop()
