"""The frozen test sets, drawn on demand and equal to the bit to those that the field publishes.

The HCVRP recipe (seed 24610, draw order, float32) is that of 2D-Ptr (Liu et al. 2024) and PARCO
(Berto et al. 2025); the OMDCPDP recipe (seed 3333) is PARCO's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from geopar.errors import Faults
from geopar.problems import HCVRP, OMDCPDP, Problem
from geopar.problems.hcvrp import generate as hcvrp
from geopar.problems.omdcpdp import generate as omdcpdp
from geopar.problems.setting import Setting

MOST_TASKS_OF_A_SMALL_SET = 100
SMALL_COUNT = {"hcvrp": 1280, "omdcpdp": 1000}
LARGE_COUNT = 128
SEED = {"hcvrp": 24610, "omdcpdp": 3333}

Arrays = dict[str, NDArray[np.float32]]


def set_size(setting: Setting) -> int:
    """How many instances the frozen set of a setting has."""
    small = setting.num_tasks <= MOST_TASKS_OF_A_SMALL_SET
    return SMALL_COUNT[setting.kind] if small else LARGE_COUNT


def frozen_arrays(setting: Setting, count: int | None = None) -> Arrays:
    """The first ``count`` instances (all by default) as the field's arrays, float32.

    HCVRP: ``depot, locs, demand, capacity, speed``; OMDCPDP: ``depots, locs, capacity``.
    """
    size = set_size(setting)
    if count is None:
        count = size
    if not 1 <= count <= size:
        faults = Faults()
        faults.add(
            "bad-count", "count", count, f"is not in 1..{size}, the size of {setting}.",
            f"Maybe {size}.",
        )  # fmt: skip
        faults.raise_now()
    random = np.random.RandomState(SEED[setting.kind])
    n, m = setting.num_tasks, setting.num_vehicles

    # Drawn instance by instance: the same stream as one big draw, without its memory.
    def kept(*shape: int) -> NDArray[np.float32]:
        rows = np.empty((count, *shape), dtype=np.float32)
        for row in range(size):
            drawn = random.uniform(size=shape)
            if row < count:
                rows[row] = drawn
        return rows

    if setting.kind == "omdcpdp":
        pickups, deliveries = kept(n // 2, 2), kept(n // 2, 2)
        return {
            "depots": kept(m, 2),
            "locs": np.concatenate([pickups, deliveries], axis=1),
            "capacity": np.full((count, m), omdcpdp.CAPACITY, dtype=np.float32),
        }
    places = kept(n + 1, 2)
    low, high = hcvrp.DEMAND
    demand = random.randint(low, high + 1, (size, n + 1))[:count, :n]
    speed = random.uniform(*hcvrp.SPEED, (size, m))[:count]
    low, high = hcvrp.CAPACITY
    capacity = random.randint(low, high + 1, (size, m))[:count]
    return {
        "depot": places[:, -1],
        "locs": places[:, :-1],
        "demand": demand.astype(np.float32),
        "capacity": capacity.astype(np.float32),
        "speed": speed.astype(np.float32),
    }


def problem_at(arrays: Arrays, row: int, name: str = "") -> Problem:
    """Row ``row`` of the field's arrays as a problem."""
    if "depots" in arrays:
        half = arrays["locs"].shape[1] // 2
        return OMDCPDP(
            pickups=arrays["locs"][row, :half],
            deliveries=arrays["locs"][row, half:],
            starts=arrays["depots"][row],
            capacity=arrays["capacity"][row],
            name=name,
        )
    return HCVRP(
        depot=arrays["depot"][row],
        customers=arrays["locs"][row],
        demand=arrays["demand"][row],
        capacity=arrays["capacity"][row],
        speed=arrays["speed"][row],
        name=name,
    )


@dataclass(frozen=True)
class FrozenSet:
    """A named sequence of problems."""

    name: str
    arrays: Arrays

    def __len__(self) -> int:
        return len(self.arrays["locs"])

    def __getitem__(self, row: int) -> Problem:
        if not 0 <= row < len(self):
            raise IndexError(f"{self.name} has no instance {row}; it has {len(self)}")
        return problem_at(self.arrays, row, f"{self.name}#{row}")

    def __iter__(self) -> Iterator[Problem]:
        return (self[row] for row in range(len(self)))


def frozen(name: str, count: int | None = None) -> FrozenSet:
    """The frozen set ``problem/N/M``, or its first ``count`` instances."""
    return FrozenSet(name, frozen_arrays(Setting.parse(name), count))
