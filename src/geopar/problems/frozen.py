"""The frozen test sets, drawn on demand and equal to the bit to those that the field publishes.

Seeds, draw order and arrays are in the ``arrays`` module of each problem.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geopar.errors import refuse
from geopar.problems import Problem
from geopar.problems.kinds import PROBLEM_KINDS, Kind
from geopar.problems.setting import Setting

MOST_TASKS_OF_A_SMALL_SET = 100
LARGE_SET = 128

Arrays = dict[str, NDArray[Any]]


def set_size(setting: Setting) -> int:
    """How many instances the frozen set of a setting has."""
    is_small = setting.num_tasks <= MOST_TASKS_OF_A_SMALL_SET
    size: int = PROBLEM_KINDS[setting.kind].arrays.load().SMALL_SET if is_small else LARGE_SET
    return size


def frozen_arrays(setting: Setting, count: int | None = None) -> Arrays:
    """The first ``count`` instances (all by default) as the field's arrays, float32."""
    size = set_size(setting)
    if count is None:
        count = size
    if not 1 <= count <= size:
        refuse(
            "bad-count", "count", count, f"is not in 1..{size}, the size of {setting}.",
            f"Maybe {size}.",
        )  # fmt: skip
    form = PROBLEM_KINDS[setting.kind].arrays.load()
    random = np.random.RandomState(form.SEED)

    # Drawn instance by instance: the same stream as one big draw, without its memory.
    def kept(*shape: int) -> NDArray[np.float32]:
        rows = np.empty((count, *shape), dtype=np.float32)
        for row in range(size):
            drawn = random.uniform(size=shape)
            if row < count:
                rows[row] = drawn
        return rows

    arrays: Arrays = form.draw(random, kept, setting.num_tasks, setting.num_vehicles, size, count)
    return arrays


@dataclass(frozen=True)
class FrozenSet:
    """A named sequence of problems."""

    name: str
    kind: Kind
    arrays: Arrays

    def __len__(self) -> int:
        return len(self.arrays["locs"])

    def __getitem__(self, row: int) -> Problem:
        if not 0 <= row < len(self):
            raise IndexError(f"{self.name} has no instance {row}; it has {len(self)}")
        form = PROBLEM_KINDS[self.kind].arrays.load()
        problem: Problem = form.problem_at(self.arrays, row, name=f"{self.name}#{row}")
        return problem

    def __iter__(self) -> Iterator[Problem]:
        return (self[row] for row in range(len(self)))


def frozen(name: str, count: int | None = None) -> FrozenSet:
    """The frozen set ``problem/N/M``, or its first ``count`` instances."""
    setting = Setting.parse(name)
    return FrozenSet(name, setting.kind, frozen_arrays(setting, count))
