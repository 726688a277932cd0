"""Closed at the end of a ``with``, which there is nothing to do for unless somebody says so."""

from __future__ import annotations

from types import TracebackType
from typing import Self


class Closing:
    """Has ``close``, and is closed at the end of a ``with``."""

    def close(self) -> None:
        """Let the workers go."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
