"""The arrays in which the field publishes OMDCPDP instances, and how its test sets are drawn.

The recipe (seed, draw order, float32) is that of PARCO (Berto et al. 2025).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from geopar.errors import Place
from geopar.problems.omdcpdp import generate
from geopar.problems.omdcpdp.instance import OMDCPDP

Arrays = dict[str, NDArray[Any]]

# Letters are the axes: B instances, N tasks, M vehicles; digits are sizes.
SHAPES = {"depots": "BM2", "locs": "BN2", "capacity": "BM"}
# PARCO's files have two members more; they must say what this problem says anyway.
TOLERATED: dict[str, int | str] = {"num_agents": "M", "lateness_weight": 1}

# The columns of coordinates.
AXES = {"x": 0, "y": 1, "lon": 0, "lat": 1}

SEED = 3333
SMALL_SET = 1000


def draw(random: np.random.RandomState, kept: Any, n: int, m: int, size: int, count: int) -> Arrays:
    """The first ``count`` of ``size`` instances; ``kept(*shape)`` draws one array of them."""
    pickups, deliveries = kept(n // 2, 2), kept(n // 2, 2)
    return {
        "depots": kept(m, 2),
        "locs": np.concatenate([pickups, deliveries], axis=1),
        "capacity": np.full((count, m), generate.CAPACITY, dtype=np.float32),
    }


def problem_at(arrays: Arrays, row: int, **details: Any) -> OMDCPDP:
    """Row ``row`` of the arrays as a problem; ``details`` are its other fields."""
    half = arrays["locs"].shape[1] // 2
    return OMDCPDP(
        pickups=arrays["locs"][row, :half],
        deliveries=arrays["locs"][row, half:],
        starts=arrays["depots"][row],
        capacity=arrays["capacity"][row],
        **details,
    )


def arrays_of(problem: OMDCPDP) -> Arrays:
    """The problem as one row of the arrays."""
    return {
        "depots": problem.starts,
        "locs": np.concatenate([problem.pickups, problem.deliveries]),
        "capacity": problem.capacity,
    }


def member_at(row: int, place: Place, num_tasks: int) -> str:
    """Where a number of instance ``row`` stands, such as ``locs[0, 3, 1]``."""
    end, _, axis = place.quantity.rpartition(".")
    if not end:
        return f"{axis}[{row}, {place.row}]"
    if end == "start":
        return f"depots[{row}, {place.row}, {AXES[axis]}]"
    task = place.row + num_tasks // 2 * (end == "delivery")
    return f"locs[{row}, {task}, {AXES[axis]}]"
