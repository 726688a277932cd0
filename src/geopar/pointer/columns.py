"""Columns of tables by name: what every table of features is indexed with, in compiled code too."""

from __future__ import annotations

from enum import IntEnum


class Column(IntEnum):
    """Columns are numbered from zero, in the order in which they are written down."""

    @staticmethod
    def _generate_next_value_(name: str, start: int, count: int, last_values: list[int]) -> int:
        return count
