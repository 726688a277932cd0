"""What is seen of a state of HCVRP, in compiled code: see the columns for what each number means.

:func:`observe` goes from the fleet to its vehicles and on to pairs of vehicles and candidates. What
is not feasible is not described, for its features are never read.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import inlined, inner
from geopar.compiled.shortlist import insert
from geopar.pointer.hcvrp.candidates import choose
from geopar.pointer.hcvrp.columns import Agent, Customer, Fleet, Pair, Scale
from geopar.pointer.hcvrp.tables import States, Tables, instance_at, state_at
from geopar.pointer.hcvrp.trips import Trip, cheapest_place, list_stops, new_trip
from geopar.pointer.neighbourhood import NEIGHBOURS, TINY
from geopar.pointer.observation import Observation, count_less, squash

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# A distance that stands for "nobody is near", and one more than any.
FARTHEST = 10.0
# Units of a place in the queue at the depot, and of being home sooner than rivals.
QUEUE_UNIT = 8.0
LEAD_UNIT = 4.0
# Features of what may be of any size are cut off here.
MOST_TRIPS, MOST_LEAD, MOST_DEMAND_AROUND = 4.0, 2.0, 2.0
# A neighbourhood's mean demand, times as many as it has customers.
DEMAND_AROUND_UNIT = 8.0


class OpenWork(NamedTuple):
    """What is left to do: open customers, their least demand, and sums and means over them."""

    count: int
    lightest: float
    work: float
    depot_distance: float
    load: float


class Totals(NamedTuple):
    """The fleet: times when vehicles finish, how many are at the depot, room under way, means."""

    mean_finish: float
    latest_finish: float
    outlook: float
    at_depot: int
    room_under_way: float
    mean_speed: float
    mean_capacity: float


class Vehicles(NamedTuple):
    """Scratch ``(M,)``: the way home, times so far, when home now and after one more trip.

    ``rank`` is the place in the queue at the depot, ``earlier`` how many finish earlier.
    """

    way_home: Floats
    elapsed: Floats
    finish: Floats
    next_finish: Floats
    rank: Ints
    earlier: Ints


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


@inner
def observe(tables: Tables, states: States, b: int, s: int, observation: Observation) -> None:
    """Fill what is seen of state ``s`` of instance ``b``."""
    instance, state = instance_at(tables, b), state_at(states, s)
    num_customers, fleet_size = instance.demand.shape[0] - 1, state.place.shape[0]
    columns = observation.candidates.shape[1]
    tasks, trip = np.empty(num_customers + 1, dtype=np.int64), new_trip(num_customers)
    vehicles = _new_vehicles(fleet_size)
    work = _survey_open(instance, state, tasks)
    totals = _survey_fleet(instance, state, work, vehicles)
    _fleet_features(work, totals, num_customers, fleet_size, observation.fleet)
    _agent_features(instance, state, work, totals, vehicles, observation)
    _queue_features(instance, state, work, totals, vehicles, observation)
    choose(instance, state, tasks, work.count, work.lightest, trip, observation.candidates)
    _mark_feasible(instance, state, totals.at_depot == fleet_size, observation)
    known = _new_customers(num_customers)
    _survey_customers(instance, state, observation, known)
    pairs = _new_pairs(fleet_size, columns)
    for m in range(fleet_size):
        if observation.active[m]:
            _survey_pairs(instance, state, m, vehicles, trip, observation, pairs, known)
    for m in range(fleet_size):
        if observation.active[m]:
            _pair_features(instance, state, m, vehicles, totals, observation, pairs, known)


@inlined
def _new_vehicles(size: int) -> Vehicles:
    return Vehicles(
        np.empty(size), np.empty(size), np.empty(size), np.empty(size),
        np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64),
    )  # fmt: skip


@inlined
def _new_pairs(fleet_size: int, columns: int) -> Pairs:
    shape = (fleet_size, columns)
    return Pairs(np.empty(shape), np.empty(shape), np.empty(shape), np.empty(shape))


@inlined
def _new_customers(num_customers: int) -> Customers:
    size = num_customers + 1
    return Customers(
        np.zeros(size, dtype=np.bool_), np.empty(size), np.empty(size), np.empty(size),
        np.empty(size), np.empty(size), np.empty(size), np.empty(size, dtype=np.int64),
        np.empty(size),
    )  # fmt: skip


@inlined
def _survey_open(instance: Tables, state: States, tasks: Any) -> OpenWork:
    """List the open customers, and add them up."""
    customers, demand, is_open = instance.customers, instance.demand, state.is_open
    count, lightest, work, distance, load = 0, np.inf, 0.0, 0.0, 0.0
    for j in range(is_open.shape[0]):
        if is_open[j]:
            tasks[count] = j
            count += 1
            lightest = min(lightest, demand[j])
            work += instance.work[j]
            distance += customers[j, Customer.DEPOT_DISTANCE]
            load += demand[j]
    return OpenWork(count, lightest, work, distance / max(count, 1), load)


@inlined
def _survey_fleet(instance: Tables, state: States, work: OpenWork, vehicles: Vehicles) -> Totals:
    """When everybody would be home, and what that means for the fleet."""
    home, fleet_size = instance.demand.shape[0] - 1, state.place.shape[0]
    x, y = instance.customers[home, Customer.X], instance.customers[home, Customer.Y]
    makespan, speed = instance.scale[Scale.MAKESPAN], instance.speed
    mean, latest, at_depot, room = 0.0, 0.0, 0, 0.0
    mean_speed, mean_capacity = 0.0, 0.0
    for m in range(fleet_size):
        way_home = math.hypot(state.position[m, 0] - x, state.position[m, 1] - y)
        vehicles.way_home[m] = way_home
        vehicles.elapsed[m] = state.length[m] / (speed[m] * makespan)
        finish = vehicles.elapsed[m] + vehicles.way_home[m] / (speed[m] * makespan)
        vehicles.finish[m] = finish
        vehicles.next_finish[m] = finish + 2.0 * work.depot_distance / (speed[m] * makespan)
        mean += finish / fleet_size
        latest = max(latest, finish)
        if state.place[m] == home:
            at_depot += 1
        else:
            room += state.room[m]
        mean_speed += speed[m] / fleet_size
        mean_capacity += instance.relative_capacity[m] / fleet_size
    outlook = max(mean + work.work, latest)
    return Totals(mean, latest, outlook, at_depot, room, mean_speed, mean_capacity)


@inlined
def _fleet_features(
    work: OpenWork, totals: Totals, num_customers: int, fleet_size: int, fleet: Any
) -> None:
    fleet[Fleet.SHARE_OPEN] = work.count / num_customers
    fleet[Fleet.WORK_LEFT] = work.work
    fleet[Fleet.MEAN_FINISH] = totals.mean_finish
    fleet[Fleet.LATEST_FINISH] = totals.latest_finish
    fleet[Fleet.IMBALANCE] = totals.latest_finish - totals.mean_finish
    fleet[Fleet.OUTLOOK] = totals.outlook
    fleet[Fleet.SHARE_AT_DEPOT] = totals.at_depot / fleet_size
    fleet[Fleet.CUSTOMERS_EACH] = squash(work.count / fleet_size)


@inlined
def _agent_features(
    instance: Tables, state: States, work: OpenWork, totals: Totals, vehicles: Vehicles,
    observation: Observation,
) -> None:  # fmt: skip
    """All but those of the queue; a vehicle is active if the lightest open customer fits."""
    home, agents = instance.demand.shape[0] - 1, observation.agents
    spacing = instance.scale[Scale.SPACING]
    mean_distance = instance.scale[Scale.MEAN_DEPOT_DISTANCE]
    count_less(vehicles.finish, vehicles.earlier)
    fleet_size = state.place.shape[0]
    for m in range(fleet_size):
        finish, way_home = vehicles.finish[m], vehicles.way_home[m]
        full, capacity = instance.capacity[m], instance.relative_capacity[m]
        room = state.room[m] / full
        agents[m, Agent.AT_DEPOT] = state.place[m] == home
        agents[m, Agent.ROOM] = room
        agents[m, Agent.ELAPSED] = vehicles.elapsed[m]
        agents[m, Agent.FINISH] = finish
        agents[m, Agent.BEHIND_MEAN] = finish - totals.mean_finish
        agents[m, Agent.BEHIND_LATEST] = finish - totals.latest_finish
        agents[m, Agent.BEHIND_OUTLOOK] = finish - totals.outlook
        agents[m, Agent.WAY_HOME] = way_home / mean_distance
        agents[m, Agent.WAY_HOME_SQUASHED] = squash(way_home / spacing)
        agents[m, Agent.SPEED] = instance.speed[m] / totals.mean_speed - 1.0
        agents[m, Agent.CAPACITY] = capacity / totals.mean_capacity - 1.0
        agents[m, Agent.ROOM_IN_FLEET] = capacity * room / totals.mean_capacity
        agents[m, Agent.SHARE_EARLIER] = vehicles.earlier[m] / fleet_size
        agents[m, Agent.TRIPS_ALONE] = min(work.load / full, MOST_TRIPS)
        left = (work.load - totals.room_under_way) / full
        agents[m, Agent.TRIPS_LEFT] = min(max(left, -1.0), MOST_TRIPS)
        observation.active[m] = work.lightest <= state.room[m]


@inlined
def _queue_features(
    instance: Tables, state: States, work: OpenWork, totals: Totals, vehicles: Vehicles,
    observation: Observation,
) -> None:  # fmt: skip
    """Who may leave the depot becomes active, and its place in the queue a feature."""
    agents = observation.agents
    ready = take_turns(instance, state, vehicles, observation.active)
    for m in range(state.place.shape[0]):
        agents[m, Agent.QUEUE_PLACE] = squash(vehicles.rank[m] / QUEUE_UNIT)
        agents[m, Agent.QUEUE_LENGTH] = squash(ready / QUEUE_UNIT)
        agents[m, Agent.NEXT_BEHIND_OUTLOOK] = vehicles.next_finish[m] - totals.outlook


@inlined
def take_turns(instance: Tables, state: States, vehicles: Vehicles, active: Any) -> int:
    """Of all at the depot only the first may go, those who would be home again soonest.

    The others become inactive. Ranks are filled, zero for who is elsewhere; how many have a turn.
    """
    home, fleet_size = instance.demand.shape[0] - 1, state.place.shape[0]
    most = instance.turns if instance.turns else fleet_size
    keys, who = np.empty(most), np.empty(most, dtype=np.int64)
    count = 0
    for m in range(fleet_size):
        vehicles.rank[m] = 0
        if state.place[m] == home and active[m]:
            count = insert(keys, who, count, vehicles.next_finish[m], m)
            active[m] = False
    for i in range(count):
        active[who[i]] = True
        vehicles.rank[who[i]] = i
    return count


@inlined
def _mark_feasible(
    instance: Tables, state: States, are_all_home: bool, observation: Observation
) -> None:
    """Open customers that fit; home, but for active vehicles while all stand there."""
    home, demand, is_open = instance.demand.shape[0] - 1, instance.demand, state.is_open
    candidates, feasible = observation.candidates, observation.feasible
    for m in range(candidates.shape[0]):
        is_active, room = observation.active[m], state.room[m]
        for k in range(candidates.shape[1]):
            j = candidates[m, k]
            if j == home:
                feasible[m, k] = not (are_all_home and is_active)
            else:
                feasible[m, k] = is_open[j] and demand[j] <= room and is_active


@inlined
def _survey_customers(
    instance: Tables, state: States, observation: Observation, known: Customers
) -> None:
    """The neighbourhoods of all that somebody looks at, each once; nobody has measured them yet."""
    home, candidates = instance.demand.shape[0] - 1, observation.candidates
    for m in range(candidates.shape[0]):
        if not observation.active[m]:
            continue
        for k in range(candidates.shape[1]):
            j = candidates[m, k]
            if known.is_known[j]:
                continue
            known.is_known[j] = True
            known.nearest[j], known.second_nearest[j] = np.inf, np.inf
            known.soonest[j], known.second_soonest[j] = np.inf, np.inf
            known.open_share[j], known.open_demand[j] = 0.0, 0.0
            if j < home:
                known.open_share[j], known.open_demand[j] = _open_around(instance, state, j)
                at = _first_open(instance, state, j)
                known.onward[j] = at
                # Anything would fit: what is looked up is how far the first one is.
                known.onward_distance[j] = _onward_from(instance, state, j, at, np.inf)


@inlined
def _open_around(instance: Tables, state: States, j: int) -> tuple[float, float]:
    """The open share of a customer's neighbourhood, and the mean open demand in it."""
    near = instance.near
    size = min(near.shape[1], NEIGHBOURS)
    if not size:
        return 0.0, 0.0
    share, load = 0.0, 0.0
    for i in range(size):
        k = near[j, i]
        if state.is_open[k]:
            share += 1.0
            load += instance.customers[k, Customer.DEMAND]
    return share / size, load / size


@inlined
def _first_open(instance: Tables, state: States, j: int) -> int:
    """Which neighbour of a customer is the nearest open one; their number if none is."""
    near = instance.near
    for i in range(near.shape[1]):
        if state.is_open[near[j, i]]:
            return i
    return near.shape[1]  # type: ignore[no-any-return]


@inlined
def _onward_from(instance: Tables, state: States, j: int, begin: int, room: float) -> float:
    """From a customer to the nearest open neighbour that fits, or twice the farthest looked at.

    Those before ``begin`` are known to be out of the question. Zero without any neighbours.
    """
    near, customers = instance.near, instance.customers
    size = near.shape[1]
    if not size:
        return 0.0
    double, k = 2.0, near[j, size - 1]
    for i in range(begin, size):
        other = near[j, i]
        if state.is_open[other] and instance.demand[other] <= room:
            double, k = 1.0, other
            break
    dx = customers[k, Customer.X] - customers[j, Customer.X]
    dy = customers[k, Customer.Y] - customers[j, Customer.Y]
    return double * math.sqrt(dx * dx + dy * dy)


@inlined
def _survey_pairs(
    instance: Tables, state: States, m: int, vehicles: Vehicles, trip: Trip,
    observation: Observation, pairs: Pairs, known: Customers,
) -> None:  # fmt: skip
    """How far a vehicle's candidates are and what they cost it; who is nearest, home soonest."""
    customers, home = instance.customers, instance.demand.shape[0] - 1
    candidates, feasible = observation.candidates, observation.feasible
    pace = 1.0 / (instance.speed[m] * instance.scale[Scale.MAKESPAN])
    stops = list_stops(customers, state.start[m], state.follow, trip)
    for k in range(candidates.shape[1]):
        j = candidates[m, k]
        dx = customers[j, Customer.X] - state.position[m, 0]
        dy = customers[j, Customer.Y] - state.position[m, 1]
        pairs.distance[m, k] = math.sqrt(dx * dx + dy * dy)
        distance = pairs.distance[m, k]
        detour = distance + customers[j, Customer.DEPOT_DISTANCE] - vehicles.way_home[m]
        trip_distance = distance
        is_customer = j < home and feasible[m, k]
        if is_customer:
            detour, _, nearest = cheapest_place(customers, trip, stops, j)
            trip_distance = min(nearest, distance)
        finish = vehicles.finish[m] + detour * pace
        pairs.detour[m, k], pairs.trip_distance[m, k] = detour, trip_distance
        pairs.finish[m, k] = finish
        if is_customer:
            _keep_two_least(known.soonest, known.second_soonest, j, finish)
            _keep_two_least(known.nearest, known.second_nearest, j, distance)


@inlined
def _keep_two_least(first: Any, second: Any, j: int, value: float) -> None:
    if value < first[j]:
        first[j], second[j] = value, first[j]
    elif value < second[j]:
        second[j] = value


@inlined
def _pair_features(
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
    trip_distances, room = pairs.trip_distance, state.room[m]
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
                onward = _onward_from(instance, state, j, at + 1, left)
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
