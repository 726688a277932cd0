"""Closed at the end of a ``with``, which there is nothing to do for unless somebody says so."""

from __future__ import annotations

from typing import Self


class Closing:
    """Has ``close``, and is closed at the end of a ``with``."""

    def close(self) -> None:
        """Let the workers go."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
