"""Pairs of vehicles and candidates of HCVRP as features, in compiled code: see the columns.

What is not feasible is not described, for its features are never read.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import inlined
from geopar.pointer.hcvrp.columns import Customer, Pair, Scale
from geopar.pointer.hcvrp.fleet_features import Totals, Vehicles
from geopar.pointer.hcvrp.tables import States, Tables
from geopar.pointer.hcvrp.trips import Trip, cheapest_place, list_stops
from geopar.pointer.neighbourhood import NEIGHBOURS, TINY
from geopar.pointer.observation import Observation, squash

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# A distance that stands for "nobody is near".
FARTHEST = 10.0
# Unit of being home sooner than rivals.
LEAD_UNIT = 4.0
# Features of what may be of any size are cut off here.
MOST_LEAD, MOST_DEMAND_AROUND = 2.0, 2.0
# A neighbourhood's mean demand, times as many as it has customers.
DEMAND_AROUND_UNIT = 8.0


class Pairs(NamedTuple):
    """Scratch ``(M, K)``: distance, detour, distance from the open trip, when home afterwards."""

    distance: Floats
    detour: Floats
    trip_distance: Floats
    finish: Floats


class Customers(NamedTuple):
    """Scratch ``(N + 1,)`` of customers that somebody looks at.

    The least and second least distance of vehicles, and the same of when they would be home; of
    the neighbourhood the open share and demand; the number and distance of the nearest open
    neighbour.
    """

    is_known: NDArray[np.bool_]
    nearest: Floats
    second_nearest: Floats
    soonest: Floats
    second_soonest: Floats
    open_share: Floats
    open_demand: Floats
    onward: Ints
    onward_distance: Floats


class View(NamedTuple):
    """Of one vehicle, what the features of all its pairs need; ``by_…`` are one over something."""

    room: float
    way_home: float
    east: float
    north: float
    nearest: float
    by_spacing: float
    by_mean_distance: float
    by_largest_distance: float
    by_way_home: float
    by_room: float
    by_capacity: float


class Candidate(NamedTuple):
    """Of one candidate of a vehicle, numbers alone; ``rival_…`` are the best of other vehicles."""

    is_home: bool
    depot_distance: float
    east: float
    north: float
    demand: float
    distance: float
    detour: float
    trip_distance: float
    finish: float
    onward: float
    open_share: float
    open_demand: float
    rival_distance: float
    rival_finish: float


@inlined(allocates=True)
def new_pairs(fleet_size: int, columns: int) -> Pairs:
    """Empty, for so many vehicles and candidates of each."""
    shape = (fleet_size, columns)
    return Pairs(np.empty(shape), np.empty(shape), np.empty(shape), np.empty(shape))


@inlined(allocates=True)
def new_customers(num_customers: int) -> Customers:
    """Of whom nothing is known yet."""
    size = num_customers + 1
    return Customers(
        np.zeros(size, dtype=np.bool_), np.empty(size), np.empty(size), np.empty(size),
        np.empty(size), np.empty(size), np.empty(size), np.empty(size, dtype=np.int64),
        np.empty(size),
    )  # fmt: skip


@inlined
def survey_customers(
    instance: Tables, state: States, observation: Observation, known: Customers
) -> None:
    """The neighbourhoods of all that somebody looks at, each once; nobody has measured them yet."""
    home, candidates = instance.demand.shape[0] - 1, observation.candidates
    active, is_known, is_open = observation.active, known.is_known, state.is_open
    customers, demand, near = instance.customers, instance.demand, instance.near
    for m in range(candidates.shape[0]):
        if not active[m]:
            continue
        for k in range(candidates.shape[1]):
            j = candidates[m, k]
            if is_known[j]:
                continue
            is_known[j] = True
            known.nearest[j], known.second_nearest[j] = np.inf, np.inf
            known.soonest[j], known.second_soonest[j] = np.inf, np.inf
            known.open_share[j], known.open_demand[j] = 0.0, 0.0
            if j < home:
                share, load = _open_around(near, is_open, customers, j)
                known.open_share[j], known.open_demand[j] = share, load
                at = _first_open(near, is_open, j)
                # Anything would fit: what is looked up is how far the first one is.
                onward = _onward_from(near, is_open, customers, demand, j, at, np.inf)
                known.onward[j], known.onward_distance[j] = at, onward


@inlined
def _open_around(near: Any, is_open: Any, customers: Any, j: int) -> tuple[float, float]:
    """The open share of a customer's neighbourhood, and the mean open demand in it."""
    size = min(near.shape[1], NEIGHBOURS)
    if not size:
        return 0.0, 0.0
    share, load = 0.0, 0.0
    for i in range(size):
        k = near[j, i]
        if is_open[k]:
            share += 1.0
            load += customers[k, Customer.DEMAND]
    return share / size, load / size


@inlined
def _first_open(near: Any, is_open: Any, j: int) -> int:
    """Which neighbour of a customer is the nearest open one; their number if none is."""
    for i in range(near.shape[1]):
        if is_open[near[j, i]]:
            return i
    return near.shape[1]


@inlined
def _onward_from(
    near: Any, is_open: Any, customers: Any, demand: Any, j: int, begin: int, room: float
) -> float:
    """From a customer to the nearest open neighbour that fits, or twice the farthest looked at.

    Those before ``begin`` are known to be out of the question. Zero without any neighbours.
    """
    size = near.shape[1]
    if not size:
        return 0.0
    double, k = 2.0, near[j, size - 1]
    for i in range(begin, size):
        other = near[j, i]
        if is_open[other] and demand[other] <= room:
            double, k = 1.0, other
            break
    dx = customers[k, Customer.X] - customers[j, Customer.X]
    dy = customers[k, Customer.Y] - customers[j, Customer.Y]
    return double * math.sqrt(dx * dx + dy * dy)


@inlined
def survey_pairs(
    instance: Tables, state: States, m: int, vehicles: Vehicles, trip: Trip,
    observation: Observation, pairs: Pairs, known: Customers,
) -> None:  # fmt: skip
    """How far a vehicle's candidates are and what they cost it; who is nearest, home soonest."""
    customers, home = instance.customers, instance.demand.shape[0] - 1
    candidates, feasible = observation.candidates, observation.feasible
    distances, detours, finishes = pairs.distance, pairs.detour, pairs.finish
    trip_distances = pairs.trip_distance
    nearest, second_nearest = known.nearest, known.second_nearest
    soonest, second_soonest = known.soonest, known.second_soonest
    x, y = state.position[m, 0], state.position[m, 1]
    way_home, finish_now = vehicles.way_home[m], vehicles.finish[m]
    pace = 1.0 / (instance.speed[m] * instance.scale[Scale.MAKESPAN])
    stops = list_stops(customers, state.start[m], state.follow, trip)
    for k in range(candidates.shape[1]):
        j = candidates[m, k]
        dx, dy = customers[j, Customer.X] - x, customers[j, Customer.Y] - y
        distances[m, k] = math.sqrt(dx * dx + dy * dy)
        distance = distances[m, k]
        detour = distance + customers[j, Customer.DEPOT_DISTANCE] - way_home
        trip_distance = distance
        is_customer = j < home and feasible[m, k]
        if is_customer:
            detour, _, near = cheapest_place(customers, trip, stops, j, instance.inserts)
            trip_distance = min(near, distance)
        finish = finish_now + detour * pace
        detours[m, k], trip_distances[m, k], finishes[m, k] = detour, trip_distance, finish
        if is_customer:
            _keep_two_least(soonest, second_soonest, j, finish)
            _keep_two_least(nearest, second_nearest, j, distance)


@inlined
def _keep_two_least(first: Any, second: Any, j: int, value: float) -> None:
    if value < first[j]:
        first[j], second[j] = value, first[j]
    elif value < second[j]:
        second[j] = value


@inlined
def describe_pairs(
    instance: Tables, state: States, m: int, vehicles: Vehicles, totals: Totals,
    observation: Observation, pairs: Pairs, known: Customers,
) -> None:  # fmt: skip
    """The features of all that a vehicle may do, and of home."""
    view, rows = _view_of(instance, state, m, vehicles, observation, pairs), observation.pairs[m]
    # Arrays are taken out of their tuples once: each time that counts a reference.
    customers, candidates, feasible = (
        instance.customers, observation.candidates, observation.feasible,
    )  # fmt: skip
    home, demands, near = customers.shape[0] - 1, instance.demand, instance.near
    distances, detours, finishes = pairs.distance, pairs.detour, pairs.finish
    trip_distances, room, is_open = pairs.trip_distance, state.room[m], state.is_open
    nearest, second_nearest = known.nearest, known.second_nearest
    soonest, second_soonest = known.soonest, known.second_soonest
    shares, loads = known.open_share, known.open_demand
    onwards, onward_distances = known.onward, known.onward_distance
    for k in range(candidates.shape[1]):
        j, is_feasible = candidates[m, k], feasible[m, k]
        if not (is_feasible or j == home):
            continue
        distance, finish, onward = distances[m, k], finishes[m, k], 0.0
        if j < home:
            onward, at = onward_distances[j], onwards[j]
            left = room - demands[j]
            if at < near.shape[1] and demands[near[j, at]] > left:
                onward = _onward_from(near, is_open, customers, demands, j, at + 1, left)
        is_nearest = is_feasible and distance == nearest[j]
        is_soonest = is_feasible and finish == soonest[j]
        it = Candidate(
            j == home,
            customers[j, Customer.DEPOT_DISTANCE],
            customers[j, Customer.EAST],
            customers[j, Customer.NORTH],
            customers[j, Customer.DEMAND],
            distance,
            detours[m, k],
            trip_distances[m, k],
            finish,
            onward,
            shares[j],
            loads[j],
            second_nearest[j] if is_nearest else nearest[j],
            second_soonest[j] if is_soonest else soonest[j],
        )
        _place_features(rows, k, view, it)
        _cost_features(rows, k, view, it)
        _load_features(rows, k, view, it)
        _time_features(rows, k, totals, it)
        _rival_features(rows, k, view, it)


@inlined
def _view_of(
    instance: Tables, state: States, m: int, vehicles: Vehicles, observation: Observation,
    pairs: Pairs,
) -> View:  # fmt: skip
    """What the pairs of a vehicle have in common; products take less time than quotients."""
    home, scale, capacity = instance.demand.shape[0] - 1, instance.scale, instance.relative_capacity
    nearest = FARTHEST
    for k in range(observation.candidates.shape[1]):
        if observation.feasible[m, k] and observation.candidates[m, k] < home:
            nearest = min(nearest, pairs.distance[m, k])
    room = max(state.room[m] / instance.capacity[m] * capacity[m], TINY)
    return View(
        room,
        vehicles.way_home[m],
        state.position[m, 0] - instance.customers[home, Customer.X],
        state.position[m, 1] - instance.customers[home, Customer.Y],
        max(nearest, TINY),
        1.0 / scale[Scale.SPACING],
        1.0 / scale[Scale.MEAN_DEPOT_DISTANCE],
        1.0 / scale[Scale.LARGEST_DEPOT_DISTANCE],
        1.0 / max(vehicles.way_home[m], TINY),
        1.0 / room,
        1.0 / capacity[m],
    )


@inlined
def _place_features(rows: Any, k: int, view: View, it: Candidate) -> None:
    """Where a candidate is, seen from the vehicle, from the depot and from the open trip."""
    away, way_home, distance = it.depot_distance, view.way_home, it.distance
    across = abs(view.east * it.north - view.north * it.east) * view.by_way_home * away
    rows[k, Pair.IS_HOME] = it.is_home
    rows[k, Pair.LOG_DISTANCE] = math.log(1.0 + distance * view.by_spacing)
    rows[k, Pair.DISTANCE] = distance * view.by_mean_distance
    rows[k, Pair.SAVING] = (way_home + away - distance) / max(way_home + away, TINY)
    rows[k, Pair.ACROSS] = squash(across * view.by_spacing)
    rows[k, Pair.ALONG] = (view.east * it.east + view.north * it.north) * view.by_way_home
    rows[k, Pair.DEPOT_DISTANCE] = away * view.by_largest_distance
    rows[k, Pair.OUTWARD] = squash((away - way_home) * view.by_spacing)
    rows[k, Pair.NEAREST_SHARE] = view.nearest / max(distance, view.nearest)
    rows[k, Pair.LOG_TRIP_DISTANCE] = math.log(1.0 + it.trip_distance * view.by_spacing)


@inlined
def _cost_features(rows: Any, k: int, view: View, it: Candidate) -> None:
    """What it costs, and the way on; a full trip shares the way there and back by load."""
    away, detour = it.depot_distance, it.detour
    excess = detour - 2.0 * away * it.demand * view.by_capacity
    rows[k, Pair.DETOUR_SQUASHED] = squash(detour * view.by_spacing)
    rows[k, Pair.DETOUR] = detour * view.by_mean_distance
    rows[k, Pair.EXCESS] = excess * view.by_mean_distance
    rows[k, Pair.EXCESS_SQUASHED] = squash(excess * view.by_spacing)
    rows[k, Pair.LOG_ONWARD] = math.log(1.0 + it.onward * view.by_spacing)
    rows[k, Pair.ONWARD_OR_HOME] = squash((it.onward - away) * view.by_spacing)


@inlined
def _load_features(rows: Any, k: int, view: View, it: Candidate) -> None:
    """How much of the room it takes, and what is open around it."""
    around = it.open_demand * DEMAND_AROUND_UNIT * view.by_room
    rows[k, Pair.DEMAND_OF_ROOM] = min(it.demand * view.by_room, 1.0)
    rows[k, Pair.DEMAND_OF_CAPACITY] = it.demand * view.by_capacity
    rows[k, Pair.ROOM_AFTER] = max(view.room - it.demand, 0.0) * view.by_capacity
    rows[k, Pair.OPEN_AROUND] = it.open_share
    rows[k, Pair.DEMAND_AROUND] = min(around, MOST_DEMAND_AROUND)


@inlined
def _time_features(rows: Any, k: int, totals: Totals, it: Candidate) -> None:
    """When the vehicle would be home afterwards, also against the fleet."""
    rows[k, Pair.FINISH] = it.finish
    rows[k, Pair.FINISH_BEHIND_MEAN] = it.finish - totals.mean_finish
    rows[k, Pair.FINISH_BEHIND_LATEST] = it.finish - totals.latest_finish
    rows[k, Pair.FINISH_BEHIND_OUTLOOK] = it.finish - totals.outlook


@inlined
def _rival_features(rows: Any, k: int, view: View, it: Candidate) -> None:
    """How the vehicle stands against the best of the others that look at the same customer."""
    behind = it.distance - min(it.rival_distance, FARTHEST)
    lead = it.finish - it.rival_finish
    rows[k, Pair.BEHIND_NEAREST_RIVAL] = squash(behind * view.by_spacing)
    rows[k, Pair.BEHIND_SOONEST_RIVAL] = min(max(LEAD_UNIT * lead, -MOST_LEAD), MOST_LEAD)
