"""Tiny problems by name. Those with an optimum in their comment were solved by hand."""

import numpy as np

from geopar.plan import Plan, Route
from geopar.problems import HCVRP, OMDCPDP
from geopar.problems.hcvrp.generate import generate as generate_hcvrp
from geopar.problems.omdcpdp.generate import generate as generate_omdcpdp

# Two neighbours each: out, across and back.
SQUARE_OPTIMUM = 2 + np.sqrt(2)
# The fast one goes far, the slow one stays near, and both are home at 2.
TWO_SPEEDS_OPTIMUM = 2.0
ONE_CUSTOMER_OPTIMUM = 5.0
# Every order is delivered as soon as any vehicle could: 2, 4 and 2.
CORRIDOR_OPTIMUM = 8.0
ONE_ORDER_OPTIMUM = 9.0


def square() -> HCVRP:
    """Four customers around the depot; two equal vehicles with room for two."""
    return HCVRP(
        depot=(0, 0),
        customers=[(1, 0), (0, 1), (-1, 0), (0, -1)],
        demand=[1, 1, 1, 1],
        capacity=[2, 2],
        speed=[1, 1],
        customer_ids=["east", "north", "west", "south"],
        vehicle_ids=["red", "blue"],
        name="square",
    )


def two_speeds() -> HCVRP:
    """One customer twice as far as the other; one vehicle twice as fast as the other."""
    return HCVRP(
        depot=(0, 0),
        customers=[(2, 0), (-1, 0)],
        demand=[1, 1],
        capacity=[1, 1],
        speed=[2, 1],
        customer_ids=["far", "near"],
        vehicle_ids=["fast", "slow"],
    )


def one_customer() -> HCVRP:
    """Five away, at speed two."""
    return HCVRP(depot=(0, 0), customers=[(3, 4)], demand=[1], capacity=[1], speed=[2])


def handful() -> HCVRP:
    """Twelve customers, three vehicles, from the paper's distribution."""
    return generate_hcvrp(12, 3, np.random.default_rng(1))


def town() -> HCVRP:
    """Customers around Vienna by longitude and latitude: kilometres and hours."""
    return HCVRP(
        depot=(16.37, 48.21),
        customers=[(16.40, 48.23), (16.31, 48.19), (16.37, 48.26), (16.44, 48.17), (16.28, 48.24)],
        demand=[2.5, 1, 3, 0.5, 2],
        capacity=[4, 6],
        speed=[30, 45],
        coordinates="lonlat",
        name="town",
    )


def corridor() -> OMDCPDP:
    """Three orders on a line, with a vehicle at each end of it."""
    return OMDCPDP(
        pickups=[(1, 0), (3, 0), (9, 0)],
        deliveries=[(2, 0), (4, 0), (8, 0)],
        starts=[(0, 0), (10, 0)],
        capacity=[2, 1],
        order_ids=["a", "b", "c"],
        vehicle_ids=["left", "right"],
        name="corridor",
    )


def one_order() -> OMDCPDP:
    """Five to the pickup, four to the delivery."""
    return OMDCPDP(pickups=[(3, 4)], deliveries=[(3, 0)], starts=[(0, 0)], capacity=[1])


def mixed_load() -> OMDCPDP:
    """Six random orders; one vehicle has room for one of them, the other for three."""
    return generate_omdcpdp(12, 2, np.random.default_rng(2)).replace(capacity=[1, 3])


def island() -> OMDCPDP:
    """Orders on Taveuni in Fiji, which lies across the date line, by longitude and latitude."""
    return OMDCPDP(
        pickups=[(179.99, -16.80), (-179.98, -16.85), (179.95, -16.90)],
        deliveries=[(-179.99, -16.82), (179.97, -16.88), (-179.96, -16.84)],
        starts=[(179.98, -16.86), (-179.99, -16.84)],
        capacity=[2, 2],
        coordinates="lonlat",
        name="island",
    )


HCVRPS = (square, two_speeds, one_customer, handful, town)
OMDCPDPS = (corridor, one_order, mixed_load, island)
EVERY = HCVRPS + OMDCPDPS


def plan_of(routes: dict[str, list[list[str]]]) -> Plan:
    """A plan for customers: by vehicle its trips."""
    return Plan("hcvrp", tuple(Route(v, tuple(map(tuple, trips))) for v, trips in routes.items()))
