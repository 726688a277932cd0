"""Random OMDCPDP instances with the paper's distribution."""

from __future__ import annotations

import numpy as np

from geopar.problems.omdcpdp.instance import OMDCPDP

CAPACITY = 3


def generate(num_tasks: int, num_vehicles: int, rng: np.random.Generator) -> OMDCPDP:
    """One instance: all places uniform in the unit square, room for three orders."""
    return OMDCPDP(
        pickups=rng.random((num_tasks // 2, 2)),
        deliveries=rng.random((num_tasks // 2, 2)),
        starts=rng.random((num_vehicles, 2)),
        capacity=np.full(num_vehicles, CAPACITY),
    )
