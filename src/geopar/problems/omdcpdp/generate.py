"""Random OMDCPDP instances with the paper's distribution."""

from __future__ import annotations

import numpy as np

from geopar.errors import Faults
from geopar.problems.omdcpdp.instance import OMDCPDP

CAPACITY = 3


def num_orders(num_tasks: int) -> int:
    """Half of the tasks.

    Raises
    ------
    geopar.errors.InputError
        For an odd number: no task is dropped in silence.
    """
    if num_tasks % 2:
        faults = Faults()
        faults.add(
            "odd-tasks", "tasks", num_tasks, "is odd; every order has two tasks.",
            f"Maybe {num_tasks + 1}.",
        )  # fmt: skip
        faults.raise_now()
    return num_tasks // 2


def generate(num_tasks: int, num_vehicles: int, rng: np.random.Generator) -> OMDCPDP:
    """One instance: all places uniform in the unit square, room for three orders."""
    orders = num_orders(num_tasks)
    return OMDCPDP(
        pickups=rng.random((orders, 2)),
        deliveries=rng.random((orders, 2)),
        starts=rng.random((num_vehicles, 2)),
        capacity=np.full(num_vehicles, CAPACITY),
    )
