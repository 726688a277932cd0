"""The columns of the tables and features of OMDCPDP, by name.

Features are relative, so that they mean the same at every size of the instance: costs, delays and
lengths are over the mean length of an order, times over an estimate of what a route is long. What
an order *costs* is known, since it is put where it adds least to the sum of arrivals. It is *due*
by that less a part of what it would cost a vehicle that is free for it.
"""

from __future__ import annotations

from enum import auto

from geopar.pointer.columns import Column


class Task(Column):
    """Of each pickup and delivery; the last row, for waiting, is empty."""

    X = auto()
    Y = auto()
    # Of its order, and what that costs at least, from the nearest start.
    LENGTH = auto()
    LEAST_COST = auto()


class Scale(Column):
    """Of each instance, in its own units."""

    SPACING = auto()
    # The mean length of an order.
    ORDER_LENGTH = auto()
    # An estimate of what a vehicle drives in all.
    ROUTE_LENGTH = auto()


class Placement(Column):
    """Of an order in a route, at the cheapest place."""

    COST = auto()
    # When it arrives.
    ARRIVAL = auto()
    # By how much the route becomes longer.
    LONGER = auto()
    # How many other deliveries come behind its pickup.
    DELAYED = auto()
    # Whether it arrives last.
    IS_LAST = auto()
    # What it would cost behind everything else.
    APPENDED = auto()
    # The stops behind which its places come.
    PICKUP = auto()
    DELIVERY = auto()


class Agent(Column):
    """Of each vehicle and its route so far."""

    ORDERS = auto()
    LENGTH = auto()
    LENGTH_BEHIND_MEAN = auto()
    ARRIVALS_BEHIND_MEAN = auto()
    # The share of the fleet whose routes are shorter.
    SHARE_SHORTER = auto()
    CHEAPEST = auto()
    CHEAPEST_BEHIND_LOWEST = auto()
    IS_EMPTY = auto()
    CAPACITY = auto()
    # Whether it has the order that is due first of all.
    HAS_FIRST_DUE = auto()
    LEFT_EACH = auto()
    DUE_BEHIND_FIRST = auto()


class Fleet(Column):
    """Of all vehicles together."""

    SHARE_FREE = auto()
    LEFT_EACH = auto()
    MEAN_LENGTH = auto()
    LONGEST = auto()
    ORDERS_EACH = auto()
    ORDER_LENGTH = auto()
    LOWEST_COST = auto()


class Pair(Column):
    """Of a vehicle and a candidate, which is an order or waiting (home)."""

    IS_HOME = auto()
    LOG_COST = auto()
    COST = auto()
    # Against the cheapest of the other vehicles that look at it.
    BEHIND_RIVAL = auto()
    BEHIND_RIVAL_STEEP = auto()
    # The vehicle's cheapest order against this one.
    CHEAPEST_SHARE = auto()
    BEHIND_CHEAPEST = auto()
    LOG_ARRIVAL = auto()
    DELAY_OF_OTHERS = auto()
    DELAYED = auto()
    AGAINST_APPENDED = auto()
    ORDER_LENGTH = auto()
    ARRIVAL_BEHIND_END = auto()
    BEHIND_LOWEST = auto()
    IS_LAST = auto()
    # The vehicle's second cheapest order against its cheapest: how much it matters to choose.
    SECOND_BEHIND_CHEAPEST = auto()
    # The share of the neighbours of its places that are free pickups.
    FREE_AROUND_PICKUP = auto()
    FREE_AROUND_DELIVERY = auto()
    LONGER = auto()
    LENGTH_BEHIND_MEAN = auto()
    # By how much later all that is left would arrive.
    LONGER_FOR_LEFT = auto()
    DUE_BEHIND_OWN = auto()
    DUE_BEHIND_FIRST = auto()
    DUE_BEHIND_FIRST_STEEP = auto()
