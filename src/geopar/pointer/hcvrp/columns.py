"""The columns of the tables and features of HCVRP, by name.

Features are relative, so that they mean the same at 60 and at 60,000 customers. Units: *spacings*
are the mean distance between neighbouring customers, times are over an estimate of the makespan,
loads over the vehicle's own capacity. What has no unit may be of any size and is squashed to
(−1, 1).
"""

from __future__ import annotations

from enum import auto

from geopar.pointer.columns import Column


class Customer(Column):
    """Of each customer, and of the depot in the last row."""

    X = auto()
    Y = auto()
    DEPOT_DISTANCE = auto()
    # The direction from the depot, as a unit vector.
    EAST = auto()
    NORTH = auto()
    # Over the largest capacity of the fleet.
    DEMAND = auto()


class Scale(Column):
    """Of each instance, in its own units."""

    SPACING = auto()
    MEAN_DEPOT_DISTANCE = auto()
    LARGEST_DEPOT_DISTANCE = auto()
    # An estimate, a little above the lower bound.
    MAKESPAN = auto()


class Agent(Column):
    """Of each vehicle. It *finishes* when it would be home if it went now."""

    AT_DEPOT = auto()
    ROOM = auto()
    ELAPSED = auto()
    FINISH = auto()
    BEHIND_MEAN = auto()
    BEHIND_LATEST = auto()
    BEHIND_OUTLOOK = auto()
    # Over the mean distance of customers from the depot, and squashed in spacings.
    WAY_HOME = auto()
    WAY_HOME_SQUASHED = auto()
    # Over the mean of the fleet, less one.
    SPEED = auto()
    CAPACITY = auto()
    # Over the mean capacity of the fleet.
    ROOM_IN_FLEET = auto()
    # The share of the fleet that finishes earlier.
    SHARE_EARLIER = auto()
    # Its place among those who may leave the depot, and how many may.
    QUEUE_PLACE = auto()
    QUEUE_LENGTH = auto()
    # When it would be home after one more trip of the usual length, against the outlook.
    NEXT_BEHIND_OUTLOOK = auto()
    # Its own loads that are left in all, and beyond what all under way can still take.
    TRIPS_ALONE = auto()
    TRIPS_LEFT = auto()


class Fleet(Column):
    """Of all vehicles together.

    The *outlook* is when they would be home if the work that is left were shared evenly.
    """

    SHARE_OPEN = auto()
    WORK_LEFT = auto()
    MEAN_FINISH = auto()
    LATEST_FINISH = auto()
    IMBALANCE = auto()
    OUTLOOK = auto()
    SHARE_AT_DEPOT = auto()
    CUSTOMERS_EACH = auto()


class Pair(Column):
    """Of a vehicle and a candidate, which is a customer or home.

    *Distance* is from where the vehicle is, the *detour* what its open trip becomes longer by at
    the cheapest place, *rivals* are vehicles that look at the same customer.
    """

    LOG_DISTANCE = auto()
    DISTANCE = auto()
    DETOUR_SQUASHED = auto()
    # Of the ways home from both: the part that is saved by going home from one of them.
    SAVING = auto()
    # Its place across and along the line from the depot through the vehicle.
    ACROSS = auto()
    ALONG = auto()
    DEPOT_DISTANCE = auto()
    OUTWARD = auto()
    DEMAND_OF_ROOM = auto()
    DEMAND_OF_CAPACITY = auto()
    ROOM_AFTER = auto()
    # Of its neighbourhood: the share that is open, and its mean open demand.
    OPEN_AROUND = auto()
    DEMAND_AROUND = auto()
    BEHIND_NEAREST_RIVAL = auto()
    FINISH = auto()
    FINISH_BEHIND_MEAN = auto()
    FINISH_BEHIND_LATEST = auto()
    FINISH_BEHIND_OUTLOOK = auto()
    IS_HOME = auto()
    # The distance of the vehicle's nearest candidate over this one's.
    NEAREST_SHARE = auto()
    BEHIND_SOONEST_RIVAL = auto()
    # From there on to the nearest open customer that still fits, and that against the way home.
    LOG_ONWARD = auto()
    ONWARD_OR_HOME = auto()
    DETOUR = auto()
    # To the nearest customer of the open trip.
    LOG_TRIP_DISTANCE = auto()
    # The detour beyond its share by load of the way there and back.
    EXCESS = auto()
    EXCESS_SQUASHED = auto()
