"""Random HCVRP instances with the paper's distribution."""

from __future__ import annotations

import numpy as np

from geopar.problems.hcvrp.instance import HCVRP

# The paper's distribution (its section 5.1 follows earlier work): whole numbers, ends included.
DEMAND = (1, 9)
CAPACITY = (20, 40)
SPEED = (0.5, 1.0)


def generate(num_tasks: int, num_vehicles: int, rng: np.random.Generator) -> HCVRP:
    """One instance: places uniform in the unit square, demand 1..9, capacity 20..40, speed ½..1."""
    return HCVRP(
        depot=rng.random(2),
        customers=rng.random((num_tasks, 2)),
        demand=rng.integers(*DEMAND, num_tasks, endpoint=True),
        capacity=rng.integers(*CAPACITY, num_vehicles, endpoint=True),
        speed=rng.uniform(*SPEED, num_vehicles),
    )
