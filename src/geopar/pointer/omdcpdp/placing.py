"""Orders in routes of OMDCPDP, in compiled code: where an order costs least; what a step does."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import inlined, inner
from geopar.pointer.omdcpdp.columns import Placement, Task
from geopar.pointer.omdcpdp.tables import States, Tables

PLACEMENT_SIZE = len(Placement)


class Route(NamedTuple):
    """Scratch for one route. Index 0 is where the vehicle starts, then come its stops.

    Parameters
    ----------
    stops, times, load
        The task, when it is reached, and how many orders are on board then.
    legs
        The way on to the next stop.
    after
        How many deliveries come behind it.
    to_pickup, to_delivery
        How far the places of an order are from it.
    """

    stops: NDArray[np.int64]
    times: NDArray[np.float64]
    legs: NDArray[np.float64]
    load: NDArray[np.int64]
    after: NDArray[np.int64]
    to_pickup: NDArray[np.float64]
    to_delivery: NDArray[np.float64]


@inner(allocates=True)
def new_route(num_tasks: int) -> Route:
    """Empty, for any route of an instance."""
    size = num_tasks + 2
    return Route(
        np.empty(size, dtype=np.int64), np.empty(size), np.empty(size),
        np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64), np.empty(size),
        np.empty(size),
    )  # fmt: skip


@inner
def drive(tasks: Any, position: Any, m: int, start: int, follow: Any, route: Route) -> Any:
    """Fill a route from its chain; how many stops it has, and the sum of its arrivals."""
    home = tasks.shape[0] - 1
    half = home // 2
    stops, times, legs, load, after = route.stops, route.times, route.legs, route.load, route.after
    stops[0], times[0], load[0] = home, 0.0, 0
    x, y = position[m, 0], position[m, 1]
    count, j, arrivals, deliveries = 0, start, 0.0, 0
    while j != home:
        dx, dy = tasks[j, Task.X] - x, tasks[j, Task.Y] - y
        legs[count] = math.sqrt(dx * dx + dy * dy)
        count += 1
        stops[count] = j
        times[count] = times[count - 1] + legs[count - 1]
        if j < half:
            load[count] = load[count - 1] + 1
        else:
            load[count] = load[count - 1] - 1
            arrivals += times[count]
            deliveries += 1
        after[count] = deliveries
        x, y = tasks[j, Task.X], tasks[j, Task.Y]
        j = follow[j]
    after[0] = 0
    for i in range(count + 1):
        after[i] = deliveries - after[i]
    return count, arrivals


@inlined
def _measure(tasks: Any, position: Any, m: int, route: Route, count: int, order: int) -> None:
    """How far the places of an order are from every stop of a route."""
    x, y = position[m, 0], position[m, 1]
    pickup, delivery = order, order + (tasks.shape[0] - 1) // 2
    for i in range(count + 1):
        if i:
            x, y = tasks[route.stops[i], Task.X], tasks[route.stops[i], Task.Y]
        dx, dy = tasks[pickup, Task.X] - x, tasks[pickup, Task.Y] - y
        route.to_pickup[i] = math.sqrt(dx * dx + dy * dy)
        dx, dy = tasks[delivery, Task.X] - x, tasks[delivery, Task.Y] - y
        route.to_delivery[i] = math.sqrt(dx * dx + dy * dy)


@inner
def place(
    tasks: Any, position: Any, m: int, capacity: int, route: Route, count: int, order: int,
    found: Any,
) -> None:  # fmt: skip
    """Where an order adds least to the sum of arrivals; its placement is filled.

    Parameters
    ----------
    tasks, position, m
        The instance, and the starts of the vehicles, of which this is one.
    capacity
        How many orders it may have on board.
    route, count
        Its route as :func:`drive` fills it, and how many stops it has.
    order
        The order.
    found
        See :class:`geopar.pointer.omdcpdp.columns.Placement`.
    """
    _measure(tasks, position, m, route, count, order)
    times, legs, load, after = route.times, route.legs, route.load, route.after
    to_pickup, to_delivery = route.to_pickup, route.to_delivery
    direct = tasks[order, Task.LENGTH]
    best = np.inf
    for i in range(count + 1):
        if load[i] >= capacity:
            continue
        # Both places behind stop i.
        longer = to_pickup[i] + direct
        arrival = times[i] + longer
        cost = arrival
        if i < count:
            longer += to_delivery[i + 1] - legs[i]
            cost += longer * after[i]
        if cost < best:
            best = cost
            _keep(found, arrival, longer, after[i], i, i)
        if i == count:
            found[Placement.APPENDED] = cost
            break
        detour = to_pickup[i] + to_pickup[i + 1] - legs[i]
        if detour * after[i] >= best:
            continue
        # The pickup behind stop i, the delivery behind a later one.
        for k in range(i + 1, count + 1):
            if load[k] >= capacity:
                break
            longer, arrival = detour + to_delivery[k], times[k] + detour + to_delivery[k]
            cost = detour * after[i] + arrival
            if k < count:
                more = to_delivery[k + 1] - legs[k]
                longer += more
                cost += (to_delivery[k] + more) * after[k]
            if cost < best:
                best = cost
                _keep(found, arrival, longer, after[i], i, k)
    found[Placement.COST] = best
    found[Placement.IS_LAST] = found[Placement.DELIVERY] == count


@inlined
def _keep(found: Any, arrival: float, longer: float, delayed: int, i: int, k: int) -> None:
    found[Placement.ARRIVAL], found[Placement.LONGER] = arrival, longer
    found[Placement.DELAYED] = delayed
    found[Placement.PICKUP], found[Placement.DELIVERY] = i, k


@inner(allocates=True)
def step(tables: Tables, states: States, b: int, s: int, action: Any) -> None:
    """Everybody plans in the order named, or lets others go first: as the environment's step."""
    tasks, home = tables.tasks[b], states.is_open.shape[1] - 1
    half, follow, position = home // 2, states.follow[s], states.position[s]
    states.steps[s] += 1
    route, found = new_route(home), np.empty(PLACEMENT_SIZE)
    for m in range(action.shape[0]):
        order = action[m]
        if order >= half:
            continue
        count, _ = drive(tasks, position, m, states.start[s, m], follow, route)
        place(tasks, position, m, tables.capacity[b, m], route, count, order, found)
        i, k = int(found[Placement.PICKUP]), int(found[Placement.DELIVERY])
        if i:
            before = route.stops[i]
            follow[order] = follow[before]
            follow[before] = order
        else:
            follow[order] = states.start[s, m]
            states.start[s, m] = order
        before = order if k == i else route.stops[k]
        follow[order + half] = follow[before]
        follow[before] = order + half
        states.place[s, m] = order
        states.length[s, m] = route.times[count] + found[Placement.LONGER]
        states.arrivals[s] += found[Placement.COST]
        states.is_open[s, order] = False
        if states.is_cached.shape[0]:
            states.is_cached[s, m] = False
