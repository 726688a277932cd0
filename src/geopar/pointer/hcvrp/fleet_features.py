"""The fleet of HCVRP and its vehicles as features, in compiled code: see the columns for each."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import inlined
from geopar.compiled.shortlist import insert
from geopar.pointer.hcvrp.columns import Agent, Customer, Fleet, Scale
from geopar.pointer.hcvrp.tables import States, Tables
from geopar.pointer.observation import Observation, count_less, squash

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Unit of a place in the queue at the depot.
QUEUE_UNIT = 8.0
# A vehicle that would need more trips than these for all that is left: many.
MOST_TRIPS = 4.0


class OpenWork(NamedTuple):
    """What is left to do: open customers, their least demand, and sums and means over them."""

    num_open: int
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


@inlined(allocates=True)
def new_vehicles(size: int) -> Vehicles:
    """Empty, for so many vehicles."""
    return Vehicles(
        np.empty(size), np.empty(size), np.empty(size), np.empty(size),
        np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64),
    )  # fmt: skip


@inlined
def survey_open(instance: Tables, state: States, tasks: Any) -> OpenWork:
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
def survey_fleet(instance: Tables, state: States, work: OpenWork, vehicles: Vehicles) -> Totals:
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
def describe_fleet(
    work: OpenWork, totals: Totals, num_customers: int, fleet_size: int, fleet: Any
) -> None:
    """Fill the features of the fleet."""
    fleet[Fleet.SHARE_OPEN] = work.num_open / num_customers
    fleet[Fleet.WORK_LEFT] = work.work
    fleet[Fleet.MEAN_FINISH] = totals.mean_finish
    fleet[Fleet.LATEST_FINISH] = totals.latest_finish
    fleet[Fleet.IMBALANCE] = totals.latest_finish - totals.mean_finish
    fleet[Fleet.OUTLOOK] = totals.outlook
    fleet[Fleet.SHARE_AT_DEPOT] = totals.at_depot / fleet_size
    fleet[Fleet.CUSTOMERS_EACH] = squash(work.num_open / fleet_size)


@inlined
def describe_agents(
    instance: Tables, state: States, work: OpenWork, totals: Totals, vehicles: Vehicles,
    observation: Observation,
) -> None:  # fmt: skip
    """Fill all but those of the queue; active is who could take the lightest open customer."""
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
def describe_queue(
    instance: Tables, state: States, totals: Totals, vehicles: Vehicles, observation: Observation
) -> None:
    """Who may leave the depot becomes active, and its place in the queue a feature."""
    agents = observation.agents
    ready = take_turns(instance, state, vehicles, observation.active)
    for m in range(state.place.shape[0]):
        agents[m, Agent.QUEUE_PLACE] = squash(vehicles.rank[m] / QUEUE_UNIT)
        agents[m, Agent.QUEUE_LENGTH] = squash(ready / QUEUE_UNIT)
        agents[m, Agent.NEXT_BEHIND_OUTLOOK] = vehicles.next_finish[m] - totals.outlook


@inlined(allocates=True)
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
