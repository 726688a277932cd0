"""The arrays in which the field publishes HCVRP instances, and how its test sets are drawn.

The recipe (seed, draw order, float32) is that of 2D-Ptr (Liu et al. 2024) and PARCO (Berto et al.
2025).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from geopar.errors import Place
from geopar.problems.hcvrp import generate
from geopar.problems.hcvrp.instance import HCVRP

Arrays = dict[str, NDArray[Any]]

# Letters are the axes: B instances, N tasks, M vehicles; digits are sizes.
SHAPES = {"depot": "B2", "locs": "BN2", "demand": "BN", "capacity": "BM", "speed": "BM"}
# Members that some files have besides, and what they must say: nothing here.
TOLERATED: dict[str, int | str] = {}

# The columns of coordinates.
AXES = {"x": 0, "y": 1, "lon": 0, "lat": 1}

SEED = 24610
SMALL_SET = 1280


def draw(random: np.random.RandomState, kept: Any, n: int, m: int, size: int, count: int) -> Arrays:
    """The first ``count`` of ``size`` instances; ``kept(*shape)`` draws one array of them."""
    places = kept(n + 1, 2)
    low, high = generate.DEMAND
    demand = random.randint(low, high + 1, (size, n + 1))[:count, :n]
    speed = random.uniform(*generate.SPEED, (size, m))[:count]
    low, high = generate.CAPACITY
    capacity = random.randint(low, high + 1, (size, m))[:count]
    return {
        "depot": places[:, -1],
        "locs": places[:, :-1],
        "demand": demand.astype(np.float32),
        "capacity": capacity.astype(np.float32),
        "speed": speed.astype(np.float32),
    }


def problem_at(arrays: Arrays, row: int, **details: Any) -> HCVRP:
    """Row ``row`` of the arrays as a problem; ``details`` are its other fields."""
    return HCVRP(
        depot=arrays["depot"][row],
        customers=arrays["locs"][row],
        demand=arrays["demand"][row],
        capacity=arrays["capacity"][row],
        speed=arrays["speed"][row],
        **details,
    )


def arrays_of(problem: HCVRP) -> Arrays:
    """The problem as one row of the arrays."""
    return {
        "depot": problem.depot,
        "locs": problem.customers,
        "demand": problem.demand,
        "capacity": problem.capacity,
        "speed": problem.speed,
    }


def member_at(row: int, place: Place, num_tasks: int) -> str:
    """Where a number of instance ``row`` stands, such as ``locs[0, 3, 1]``."""
    axis = AXES.get(place.quantity)
    if axis is None:
        return f"{place.quantity}[{row}, {place.row}]"
    return (
        f"depot[{row}, {axis}]" if place.thing == "depot" else f"locs[{row}, {place.row}, {axis}]"
    )
