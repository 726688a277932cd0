"""First come, first served."""

from __future__ import annotations

from collections import deque

from geopar.service.pool import Run


class Line:
    """Runs that wait for a worker."""

    def __init__(self) -> None:
        self._waiting: deque[Run] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, run: Run) -> None:
        """Join the end."""
        self._waiting.append(run)

    def take(self) -> Run | None:
        """The one who waited longest."""
        return self._waiting.popleft() if self._waiting else None

    def leave(self, run: Run) -> bool:
        """Give up waiting; False when it was not in line."""
        try:
            self._waiting.remove(run)
        except ValueError:
            return False
        return True

    def position(self, run: Run) -> int | None:
        """From 1, or None when it is not in line."""
        return next((at for at, other in enumerate(self._waiting, 1) if other is run), None)
