"""Random plain problems of the shapes in which searches go wrong: idle vehicles, far customers.

The seed of a problem is all that is needed to see it again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from geopar.problems import HCVRP, OMDCPDP, Problem

Random = np.random.Generator

MOST_CUSTOMERS, MOST_VEHICLES, MOST_ORDERS = 30, 14, 10


def _hcvrp(rng: Random, customers: int, vehicles: int, /, **changes: Any) -> HCVRP:
    """Customers anywhere with demands of 1 to 9, vehicles for about four of them."""
    values: dict[str, Any] = {
        "depot": rng.random(2),
        "customers": rng.random((customers, 2)),
        "demand": rng.integers(1, 10, customers).astype(float),
        "capacity": rng.integers(20, 41, vehicles).astype(float),
        "speed": rng.uniform(0.5, 1.0, vehicles),
    }
    return HCVRP(**(values | changes))


def ordinary(rng: Random) -> Problem:
    """As the paper draws them, but small."""
    return _hcvrp(rng, int(rng.integers(1, MOST_CUSTOMERS)), int(rng.integers(1, 6)))


def truck_and_vans(rng: Random) -> Problem:
    """One vehicle several times as large as the others, which may have nothing to do."""
    vehicles = int(rng.integers(2, MOST_VEHICLES))
    capacity = np.full(vehicles, 10.0)
    capacity[rng.integers(vehicles)] *= rng.choice([2.0, 5.0, 20.0])
    return _hcvrp(rng, int(rng.integers(1, MOST_CUSTOMERS)), vehicles, capacity=capacity,
                  speed=np.ones(vehicles))  # fmt: skip


def few_for_many(rng: Random) -> Problem:
    """Fewer customers than vehicles."""
    vehicles = int(rng.integers(3, MOST_VEHICLES))
    return _hcvrp(rng, int(rng.integers(1, vehicles)), vehicles)


def one_far(rng: Random) -> Problem:
    """One customer a hundred times as far as all others: nobody else decides the makespan."""
    customers = int(rng.integers(2, 15))
    places = rng.random((customers, 2))
    places[rng.integers(customers)] *= 100.0
    return _hcvrp(rng, customers, int(rng.integers(2, 8)), customers=places)


def unlike(rng: Random) -> Problem:
    """Capacities and speeds that differ by orders of magnitude."""
    vehicles = int(rng.integers(2, 8))
    return _hcvrp(
        rng, int(rng.integers(2, 20)), vehicles,
        capacity=9.0 * 5.0 ** rng.integers(0, 4, vehicles),
        speed=10.0 ** rng.uniform(-3, 3, vehicles),
    )  # fmt: skip


def on_a_grid(rng: Random) -> Problem:
    """Many ties: whole coordinates, several customers in one place, demands of nothing."""
    customers = int(rng.integers(1, 15))
    return _hcvrp(
        rng, customers, int(rng.integers(1, 6)),
        depot=rng.integers(-1, 2, 2), customers=rng.integers(-1, 2, (customers, 2)),
        demand=rng.integers(0, 3, customers),
    )  # fmt: skip


def of_any_size(rng: Random) -> Problem:
    """Coordinates and loads in units of very different size, with fractions that round."""
    customers, vehicles = int(rng.integers(1, 15)), int(rng.integers(1, 6))
    unit, load = 10.0 ** rng.integers(-6, 7), 10.0 ** rng.integers(-6, 7)
    demand = load * rng.integers(1, 10, customers) / 10.0
    return _hcvrp(
        rng, customers, vehicles,
        depot=unit * rng.random(2), customers=unit * rng.random((customers, 2)), demand=demand,
        capacity=np.full(vehicles, max(load * rng.choice([0.9, 1.0, 2.7]), demand.max())),
    )  # fmt: skip


def orders(rng: Random) -> Problem:
    """Pickups and deliveries, often fewer than vehicles."""
    count, vehicles = int(rng.integers(1, MOST_ORDERS)), int(rng.integers(1, 8))
    return OMDCPDP(rng.random((count, 2)), rng.random((count, 2)), rng.random((vehicles, 2)),
                   rng.integers(1, 4, vehicles))  # fmt: skip


def orders_on_a_grid(rng: Random) -> Problem:
    """Orders with many ties, some of which go nowhere."""
    count, vehicles = int(rng.integers(1, MOST_ORDERS)), int(rng.integers(1, 5))
    pickups, deliveries, starts = (
        rng.integers(-1, 2, (size, 2)) for size in (count, count, vehicles)
    )
    return OMDCPDP(pickups, deliveries, starts, rng.integers(1, 4, vehicles))


SHAPES: dict[str, Callable[[Random], Problem]] = {
    shape.__name__.replace("_", "-"): shape
    for shape in (ordinary, truck_and_vans, few_for_many, one_far, unlike, on_a_grid, of_any_size,
                  orders, orders_on_a_grid)
}  # fmt: skip


def shape_of(seed: int) -> str:
    """The shape of a seed: all of them in turn."""
    return list(SHAPES)[seed % len(SHAPES)]


def drawn(seed: int) -> Problem:
    """The problem of a seed."""
    return SHAPES[shape_of(seed)](np.random.default_rng(seed))
