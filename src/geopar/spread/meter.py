"""How far spread work is: workers, rate, time left."""

from __future__ import annotations

import time
from collections.abc import Callable

MINUTE, HOUR = 60.0, 3600.0


class Meter:
    """Counts what is done.

    Parameters
    ----------
    total
        How many tasks there are, if that is known.
    clock
        Tells seconds.
    """

    def __init__(self, total: int | None, clock: Callable[[], float] = time.monotonic) -> None:
        self.total, self.done, self.failed = total, 0, 0
        self._clock, self._began = clock, clock()

    def count(self, failed: bool = False) -> None:
        """One more is done."""
        self.done += 1
        self.failed += failed

    def skip(self) -> None:
        """One need not be done."""
        if self.total is not None:
            self.total -= 1

    @property
    def rate(self) -> float:
        """Tasks a second, since the beginning."""
        return self.done / max(self._clock() - self._began, 1e-9)

    @property
    def seconds_left(self) -> float | None:
        """Until all are done at this rate; unknown at first, or when the number is."""
        if self.total is None or not self.done:
            return None
        return (self.total - self.done) / self.rate

    def line(self, workers: int) -> str:
        """For people: ``12 of 1,000  2 workers  6.5/s  2:32 left``."""
        parts = [f"{self.done:,}" if self.total is None else f"{self.done:,} of {self.total:,}"]
        parts.append("1 worker" if workers == 1 else f"{workers:,} workers")
        parts.append(f"{self.rate:.3g}/s")
        if self.seconds_left is not None:
            parts.append(f"{span(self.seconds_left)} left")
        if self.failed:
            parts.append(f"{self.failed:,} failed")
        return "  ".join(parts)


def span(seconds: float) -> str:
    """A span of time by the clock: ``0:07``, ``2:32`` or ``1:05:00``."""
    whole = round(seconds)
    hours, rest = divmod(whole, int(HOUR))
    minutes, left = divmod(rest, int(MINUTE))
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"
