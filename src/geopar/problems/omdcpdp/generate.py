"""Random OMDCPDP instances with the paper's distribution."""

from __future__ import annotations

import numpy as np

from geopar.problems.omdcpdp.instance import OMDCPDP
from geopar.problems.setting import Setting

CAPACITY = 3


def generate(num_tasks: int, num_vehicles: int, rng: np.random.Generator) -> OMDCPDP:
    """One instance: all places uniform in the unit square, room for three orders.

    Raises
    ------
    geopar.errors.InputError
        For an odd number of tasks: none is dropped in silence.
    """
    orders = Setting("omdcpdp", num_tasks, num_vehicles).num_tasks // 2
    return OMDCPDP(
        pickups=rng.random((orders, 2)),
        deliveries=rng.random((orders, 2)),
        starts=rng.random((num_vehicles, 2)),
        capacity=np.full(num_vehicles, CAPACITY),
    )
