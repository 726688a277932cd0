"""What is seen of a state of OMDCPDP, in compiled code: see the columns for each number's meaning.

:func:`observe` drives along every route, finds the vehicle's candidates with what they cost, and
then describes the fleet, its vehicles and the pairs.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import inlined, inner
from geopar.pointer.neighbourhood import NEIGHBOURS, TINY
from geopar.pointer.observation import Observation, count_less, squash
from geopar.pointer.omdcpdp.candidates import choose, due_by, survey_free
from geopar.pointer.omdcpdp.columns import Agent, Fleet, Pair, Placement, Scale, Task
from geopar.pointer.omdcpdp.placing import PLACEMENT_SIZE, drive, new_route
from geopar.pointer.omdcpdp.tables import States, Tables, instance_at, state_at

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# How much cheaper an order is for its only vehicle, in mean lengths of an order.
NO_RIVAL = -3.0
# Factors that bring features to about the same size.
LENGTH_FACTOR, ARRIVALS_FACTOR, ORDER_LENGTH_FACTOR = 0.3, 0.1, 0.1
STEEP = 4.0
# What is squashed is over these.
CAPACITY_UNIT, LEFT_EACH_UNIT, ORDERS_EACH_UNIT = 4.0, 2.0, 5.0


class Vehicles(NamedTuple):
    """Scratch ``(M,)`` of the routes so far, and of what each vehicle looks at.

    Their lengths, sums of arrivals, numbers of stops, and how many are shorter; the costs of the
    two cheapest orders, and the least by which one is due.
    """

    length: Floats
    arrivals: Floats
    stops: Ints
    shorter: Ints
    cheapest: Floats
    second: Floats
    due: Floats


class Rivals(NamedTuple):
    """Scratch ``(N / 2,)``: the least and second least that an order costs any vehicle."""

    first: Floats
    second: Floats


class Units(NamedTuple):
    """What features are counted in, and the least cost and due of all that anybody looks at.

    ``order`` and ``route`` are lengths, ``unit`` is one order after a vehicle's share of them;
    ``orders_each`` and ``left_each`` are orders over vehicles, in all and those that are left.
    """

    order: float
    route: float
    unit: float
    orders_each: float
    left_each: float
    mean_length: float
    mean_arrivals: float
    lowest: float
    first_due: float


@inner(allocates=True)
def observe(tables: Tables, states: States, b: int, s: int, observation: Observation) -> None:
    """Fill what is seen of state ``s`` of instance ``b``."""
    instance, state = instance_at(tables, b), state_at(states, s)
    fleet_size, half = state.place.shape[0], (state.is_open.shape[0] - 1) // 2
    columns = observation.candidates.shape[1]
    vehicles, route = _new_vehicles(fleet_size), new_route(2 * half)
    placements = np.empty((fleet_size, columns, PLACEMENT_SIZE))
    rivals = Rivals(np.full(half, np.inf), np.full(half, np.inf))
    count, search = survey_free(instance, state, columns - 1)
    for m in range(fleet_size):
        stops, arrivals = drive(
            instance.tasks, state.position, m, state.start[m], state.follow, route
        )
        vehicles.length[m], vehicles.arrivals[m] = route.times[stops], arrivals
        vehicles.stops[m] = stops
        row = observation.candidates[m]
        choose(instance, state, m, route, stops, count, search, row, placements[m])
        _survey_pairs(instance, state, m, observation, placements[m], vehicles, rivals)
        observation.active[m] = count > 0
    units = _fleet_features(instance, count, half, vehicles, observation.fleet)
    count_less(vehicles.length, vehicles.shorter)
    for m in range(fleet_size):
        _agent_features(instance, m, vehicles, units, observation)
    for m in range(fleet_size):
        _pair_features(instance, state, m, vehicles, units, observation, placements[m], rivals)


@inlined(allocates=True)
def _new_vehicles(size: int) -> Vehicles:
    return Vehicles(
        np.empty(size), np.empty(size), np.empty(size, dtype=np.int64),
        np.empty(size, dtype=np.int64), np.empty(size), np.empty(size), np.empty(size),
    )  # fmt: skip


@inlined
def _survey_pairs(
    instance: Tables, state: States, m: int, observation: Observation, placements: Any,
    vehicles: Vehicles, rivals: Rivals,
) -> None:  # fmt: skip
    """Which candidates are feasible, and the least that orders cost the vehicle, and anybody."""
    half, is_open, tasks = (state.is_open.shape[0] - 1) // 2, state.is_open, instance.tasks
    candidates, feasible = observation.candidates, observation.feasible
    lowest, next_lowest = rivals.first, rivals.second
    cheapest, second, first_due = np.inf, np.inf, np.inf
    for k in range(candidates.shape[1]):
        j = candidates[m, k]
        is_feasible = j < half and is_open[j]
        feasible[m, k] = is_feasible
        if not is_feasible:
            continue
        cost = placements[k, Placement.COST]
        first_due = min(first_due, due_by(tasks, j, cost))
        if cost < cheapest:
            cheapest, second = cost, cheapest
        elif cost < second:
            second = cost
        if cost < lowest[j]:
            lowest[j], next_lowest[j] = cost, lowest[j]
        elif cost < next_lowest[j]:
            next_lowest[j] = cost
    vehicles.cheapest[m], vehicles.second[m], vehicles.due[m] = cheapest, second, first_due


@inlined
def _fleet_features(
    instance: Tables, count: int, half: int, vehicles: Vehicles, fleet: Any
) -> Units:
    """Fill the features of the fleet; what all other features are counted in."""
    fleet_size = vehicles.length.shape[0]
    mean, arrivals, longest, lowest, first_due = 0.0, 0.0, 0.0, np.inf, np.inf
    for m in range(fleet_size):
        mean += vehicles.length[m] / fleet_size
        arrivals += vehicles.arrivals[m] / fleet_size
        longest = max(longest, vehicles.length[m])
        lowest = min(lowest, vehicles.cheapest[m])
        first_due = min(first_due, vehicles.due[m])
    order, route = instance.scale[Scale.ORDER_LENGTH], instance.scale[Scale.ROUTE_LENGTH]
    each, left = half / fleet_size, count / fleet_size
    unit = order * (1.0 + each)
    fleet[Fleet.SHARE_FREE] = count / half
    fleet[Fleet.LEFT_EACH] = squash(left)
    fleet[Fleet.MEAN_LENGTH] = mean / route
    fleet[Fleet.LONGEST] = longest / route
    fleet[Fleet.ORDERS_EACH] = squash(each / ORDERS_EACH_UNIT)
    fleet[Fleet.ORDER_LENGTH] = order / instance.scale[Scale.SPACING] * ORDER_LENGTH_FACTOR
    fleet[Fleet.LOWEST_COST] = lowest / unit if count else 0.0
    return Units(order, route, unit, each, left, mean, arrivals, lowest, first_due)


@inlined
def _agent_features(
    instance: Tables, m: int, vehicles: Vehicles, units: Units, observation: Observation
) -> None:
    """Of one vehicle; everybody may wait but who has the order that is due first of all."""
    row, columns = observation.agents[m], observation.candidates.shape[1]
    order, unit, is_active = units.order, units.unit, observation.active[m]
    leads = vehicles.due[m] == units.first_due
    observation.feasible[m, columns - 1] = not (is_active and leads)
    arrivals = vehicles.arrivals[m] - units.mean_arrivals
    cheapest, sees = vehicles.cheapest[m], vehicles.cheapest[m] < np.inf
    behind = vehicles.due[m] - units.first_due
    longer = vehicles.length[m] - units.mean_length
    row[Agent.ORDERS] = vehicles.stops[m] / 2.0 / (1.0 + units.orders_each)
    row[Agent.LENGTH] = vehicles.length[m] / units.route
    row[Agent.LENGTH_BEHIND_MEAN] = longer / order * LENGTH_FACTOR
    row[Agent.ARRIVALS_BEHIND_MEAN] = arrivals / unit * ARRIVALS_FACTOR
    row[Agent.SHARE_SHORTER] = vehicles.shorter[m] / vehicles.length.shape[0]
    row[Agent.CHEAPEST] = cheapest / unit if sees else 0.0
    against = (cheapest - units.lowest) / order * LENGTH_FACTOR
    row[Agent.CHEAPEST_BEHIND_LOWEST] = against if sees else 0.0
    row[Agent.IS_EMPTY] = vehicles.stops[m] == 0
    row[Agent.CAPACITY] = squash(instance.capacity[m] / CAPACITY_UNIT)
    row[Agent.HAS_FIRST_DUE] = is_active and leads
    row[Agent.LEFT_EACH] = squash(units.left_each / LEFT_EACH_UNIT)
    row[Agent.DUE_BEHIND_FIRST] = behind / order * LENGTH_FACTOR if sees else 0.0


@inlined
def _pair_features(
    instance: Tables, state: States, m: int, vehicles: Vehicles, units: Units,
    observation: Observation, placements: Any, rivals: Rivals,
) -> None:  # fmt: skip
    """Of one vehicle with all its candidates; of what it may not take, only whether it is home."""
    home, order = state.is_open.shape[0] - 1, units.order
    cheapest, second = vehicles.cheapest[m], vehicles.second[m]
    pick = squash((second - cheapest) / order) if second < np.inf else 1.0
    # Arrays are taken out of their tuples once: each time that counts a reference.
    rows, candidates, feasible = observation.pairs[m], observation.candidates, observation.feasible
    tasks, near, is_open = instance.tasks, instance.near, state.is_open
    length, own_due, first, others = (
        vehicles.length[m],
        vehicles.due[m],
        rivals.first,
        rivals.second,
    )
    for k in range(candidates.shape[1]):
        j = candidates[m, k]
        for f in range(rows.shape[1]):
            rows[k, f] = 0.0
        rows[k, Pair.IS_HOME] = j == home
        if j == home or not feasible[m, k]:
            continue
        cost = placements[k, Placement.COST]
        rival = others[j] if cost == first[j] else first[j]
        _cost_features(rows, k, units, cost, cheapest, rival)
        _delay_features(rows, k, units, placements, length)
        _due_features(rows, k, units, due_by(tasks, j, cost), own_due)
        rows[k, Pair.ORDER_LENGTH] = tasks[j, Task.LENGTH] / order
        rows[k, Pair.SECOND_BEHIND_CHEAPEST] = pick
        rows[k, Pair.FREE_AROUND_PICKUP] = _free_around(near, is_open, j)
        rows[k, Pair.FREE_AROUND_DELIVERY] = _free_around(near, is_open, j + home // 2)


@inlined
def _cost_features(
    rows: Any, k: int, units: Units, cost: float, cheapest: float, rival: float
) -> None:
    """What the order costs, against the vehicle's other ones and against other vehicles."""
    order = units.order
    lead = (cost - rival) / order if rival < np.inf else NO_RIVAL
    rows[k, Pair.LOG_COST] = math.log(1.0 + cost / order)
    rows[k, Pair.COST] = cost / units.unit
    rows[k, Pair.BEHIND_RIVAL] = squash(lead)
    rows[k, Pair.BEHIND_RIVAL_STEEP] = squash(STEEP * lead)
    rows[k, Pair.CHEAPEST_SHARE] = cheapest / max(cost, TINY)
    rows[k, Pair.BEHIND_CHEAPEST] = squash((cost - cheapest) / order)
    rows[k, Pair.BEHIND_LOWEST] = squash((cost - units.lowest) / order)


@inlined
def _delay_features(rows: Any, k: int, units: Units, placements: Any, length: float) -> None:
    """When the order arrives, how much longer the route becomes, and whom that delays."""
    order, cost = units.order, placements[k, Placement.COST]
    arrival, longer = placements[k, Placement.ARRIVAL], placements[k, Placement.LONGER]
    appended, delayed = placements[k, Placement.APPENDED], placements[k, Placement.DELAYED]
    rows[k, Pair.LOG_ARRIVAL] = math.log(1.0 + arrival / order)
    rows[k, Pair.DELAY_OF_OTHERS] = squash((cost - arrival) / order)
    rows[k, Pair.DELAYED] = delayed / (1.0 + units.orders_each)
    rows[k, Pair.AGAINST_APPENDED] = squash((cost - appended) / order)
    rows[k, Pair.ARRIVAL_BEHIND_END] = squash((arrival - length) / order)
    rows[k, Pair.IS_LAST] = placements[k, Placement.IS_LAST]
    rows[k, Pair.LONGER] = squash(longer / order)
    rows[k, Pair.LENGTH_BEHIND_MEAN] = squash((length + longer - units.mean_length) / order)
    rows[k, Pair.LONGER_FOR_LEFT] = units.left_each * longer / units.unit


@inlined
def _due_features(rows: Any, k: int, units: Units, due: float, own_due: float) -> None:
    """By what the order is due, against the vehicle's first one and the first of all."""
    order = units.order
    rows[k, Pair.DUE_BEHIND_OWN] = squash((due - own_due) / order)
    rows[k, Pair.DUE_BEHIND_FIRST] = squash((due - units.first_due) / order)
    rows[k, Pair.DUE_BEHIND_FIRST_STEEP] = squash(STEEP * (due - units.first_due) / order)


@inlined
def _free_around(near: Any, is_open: Any, j: int) -> float:
    """The share of a task's neighbours that are free pickups."""
    half, size, count = (is_open.shape[0] - 1) // 2, min(near.shape[1], NEIGHBOURS), 0
    for i in range(size):
        count += near[j, i] < half and is_open[near[j, i]]
    return count / max(size, 1)
