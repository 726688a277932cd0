"""What the search knows of an instance: arrays that never change during a run."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import inner
from geopar.problems import HCVRP
from geopar.search.neighbours import Pause, go_on
from geopar.search.sectors import neighbours_on_every_side, on_every_side

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Int32s = NDArray[np.int32]

# Columns of ``Data.place``; SERVICE on a day only, NUMBER, what the problem calls it, by road only.
X, Y, FROM_DEPOT, DEMAND, SERVICE, NUMBER = range(6)
# Columns of ``Data.vehicle``; OFFSET, when it is at the depot first, on a day only.
CAPACITY, SPEED, OFFSET = range(3)


class PlainData(NamedTuple):
    """An instance in the search's own units: lengths over the mean depot distance, and so on.

    The depot is at the origin and has index ``n``, after the customers.
    """

    place: Floats
    vehicle: Floats
    near: Int32s
    """The nearest customers of each customer, nearest first."""
    near_distance: Floats
    unit: float
    """One time of the search in the user's units."""


class DayData(NamedTuple):
    """An instance with a day that only adds to what is driven.

    ``place`` and ``vehicle`` have further columns. The number of fields tells compiled code which
    of these classes it has: that is known when a function is compiled, so that whatever concerns
    the others is left out of it. Each field more is passed along in every call, so there are few.
    """

    place: Floats
    vehicle: Floats
    near: Int32s
    near_distance: Floats
    unit: float
    loading: float
    """Of each trip."""


class RoadData(NamedTuple):
    """As :class:`DayData`, with a matrix in place of straight lines.

    Customers are in another order than the problem's, see :func:`numbers`.
    """

    place: Floats
    vehicle: Floats
    near: Int32s
    near_distance: Floats
    unit: float
    loading: float
    matrix: Floats
    """From place to place, the depot last."""


class RestrictedData(NamedTuple):
    """As :class:`RoadData`, where some vehicles may not serve some customers."""

    place: Floats
    vehicle: Floats
    near: Int32s
    near_distance: Floats
    unit: float
    loading: float
    matrix: Floats
    group: Int32s
    """Which row of ``allowed`` a customer has."""
    allowed: NDArray[np.bool_]
    """Groups of customers by vehicles."""


# One of the four. Compiled code tells them apart by their length, which no type checker follows.
Data = Any

# More fields than this: a day. More than that: a matrix. And more than that: who may.
PLAIN, STRAIGHT, FREE_FOR_ALL = (len(kind._fields) for kind in (PlainData, DayData, RoadData))
# Who may needs a matrix even of straight lines; up to so many customers.
MOST_RESTRICTED = 5000
# Rows of a matrix that are worked on at once: little beside the matrix itself.
BLOCK = 128


def prepare(problem: HCVRP, pause: Pause = go_on) -> Data:
    """Centre, scale and index an instance; O(N log N) time, O(N) memory."""
    place, vehicle, unit = in_own_units(
        np.concatenate([problem.customers_xy, problem.depot_xy[None]])[None],
        np.append(problem.demand, 0.0)[None],
        problem.capacity[None],
        problem.speed[None],
    )
    # Insertion looks at the places beside these alone: an iteration costs the same at every N.
    near, near_distance = neighbours_on_every_side(place[0, :-1, :2], pause)
    plain = PlainData(place[0], vehicle[0], near, near_distance, float(unit[0]))
    return plain if problem.day is None else _with_day(plain, problem)


def about_trips(data: Data) -> float:
    """About how many trips a plan has: as many as carry everything, or one for each vehicle."""
    loads = data.place[:, DEMAND].sum() / data.vehicle[:, CAPACITY].mean()
    return float(min(len(data.near), max(len(data.vehicle), loads)))


def in_own_units(
    places: Floats, demand: Floats, capacity: Floats, speed: Floats
) -> tuple[Floats, Floats, Floats]:
    """Instances of one size, centred and scaled: ``place``, ``vehicle`` and ``unit`` of each.

    Parameters
    ----------
    places
        ``(B, N + 1, 2)``: the customers, then the depot.
    demand
        ``(B, N + 1)``, zero for the depot.
    capacity, speed
        ``(B, M)``.
    """
    centred = places - places[:, -1:]
    distance = np.hypot(centred[..., 0], centred[..., 1])
    length_unit = distance[:, :-1].mean(axis=1)
    length_unit[length_unit == 0.0] = 1.0
    speed_unit = speed.mean(axis=1)
    place = np.concatenate([centred, distance[..., None], demand[..., None]], axis=2)
    place[..., :3] /= length_unit[:, None, None]
    # Nobody carries more than there is. Besides, what a trip still has room for would be rounded
    # too coarsely for small vehicles if large ones were endlessly larger.
    total = demand.sum(axis=1, keepdims=True)
    useful = np.minimum(capacity, np.where(total > 0.0, total, np.inf))
    # Sums of loads are rounded; a plan that fills a vehicle exactly must still fit.
    vehicle = np.stack([useful * (1.0 + 1e-10), speed / speed_unit[:, None]], axis=2)
    return place, vehicle, length_unit / speed_unit


def _with_day(plain: PlainData, problem: HCVRP) -> Data:
    """The same with what an additive day adds: see :func:`geopar.search.additive.is_additive`."""
    day = problem.day
    assert day is not None
    matrix, order = None, np.arange(problem.num_tasks)
    if day.matrices is not None or day.allowed is not None:
        order = side_by_side(plain.place[:-1, [X, Y]])
        plain, matrix = _by_road(plain, problem, order)
    vehicles, depot = np.arange(problem.num_vehicles), problem.num_tasks
    begin = np.zeros(len(vehicles)) if day.available is None else day.available[:, 0]
    there = begin + problem.travel.duration(vehicles, problem.homes, np.full_like(vehicles, depot))
    offset = (np.maximum(there, day.opens) - problem.first_start) / plain.unit
    service = np.zeros(depot + 1)
    if day.service is not None:
        service[:depot] = day.service[order] / plain.unit
    straight = DayData(
        np.column_stack([plain.place, service]),
        np.column_stack([plain.vehicle, offset]),
        *plain[2:],
        loading=day.loading / plain.unit,
    )
    if matrix is None:
        return straight
    place = np.column_stack([straight.place, np.append(order, depot)])
    by_road = RoadData(place, *straight[1:], matrix)
    if day.allowed is None:
        return by_road
    allowed, group = np.unique(day.allowed[order], axis=0, return_inverse=True)
    return RestrictedData(*by_road, group.reshape(-1).astype(np.int32), allowed)


def side_by_side(points: Floats) -> Ints:
    """An order in which neighbours are mostly close: up and down through strips of the plane.

    Whoever is looked up beside each other in a matrix then lies beside each other in memory.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    share = (points - low) / np.where(high > low, high - low, 1.0)
    strips = max(1, round((len(points) / 3.0) ** 0.5))
    strip = np.minimum(share[:, X] * strips, strips - 1).astype(np.int64)
    return np.lexsort((np.where(strip % 2, -share[:, Y], share[:, Y]), strip)).astype(np.int64)


def numbers(data: Data) -> Ints:
    """What the problem calls each customer of the search."""
    if len(data) > STRAIGHT:
        return data.place[:-1, NUMBER].astype(np.int64)  # type: ignore[no-any-return]
    return np.arange(len(data.near))


def _by_road(plain: PlainData, problem: HCVRP, order: Ints) -> tuple[PlainData, Floats]:
    """Durations of a vehicle of speed one instead of straight lines, the depot last.

    Block by block, for copies of a large matrix are what memory goes into.
    """
    n = problem.num_tasks
    places = np.append(order, n)
    # Vehicles differ in their speed alone, so the first one's profile is everybody's.
    speed = float(problem.speeds[0])
    unit = float(problem.travel.duration(0, places[n:], order).mean()) * speed or 1.0
    matrix = np.empty((n + 1, n + 1))
    for begin in range(0, n + 1, BLOCK):
        rows = places[begin : begin + BLOCK, None]
        matrix[begin : begin + BLOCK] = problem.travel.duration(0, rows, places[None]) * speed
    matrix /= unit
    np.fill_diagonal(matrix, 0.0)
    place = plain.place[places]
    points, k = np.ascontiguousarray(place[:-1, [X, Y]]), plain.near.shape[1]
    everybody = np.tile(np.arange(n, dtype=np.int32), (BLOCK, 1))
    near, half_way_round = np.zeros((n, k), dtype=np.int32), np.zeros((n, k))
    for begin in range(0, n if k else 0, BLOCK):
        rows = np.arange(begin, min(begin + BLOCK, n))
        half = (matrix[rows, :n] + matrix[:n, rows].T) / 2.0
        near[rows], half_way_round[rows] = on_every_side(
            points, rows, everybody[: len(rows)], half, k
        )
    place[:, FROM_DEPOT] = matrix[n]
    mean_speed = float(problem.speeds.mean())
    return PlainData(place, plain.vehicle, near, half_way_round, unit / mean_speed), matrix


@inner
def distance(data: Data, i: int, j: int) -> float:
    """From a customer or the depot to another."""
    if len(data) > STRAIGHT:
        return data.matrix[i, j]  # type: ignore[no-any-return]
    dx = data.place[i, X] - data.place[j, X]
    dy = data.place[i, Y] - data.place[j, Y]
    return np.sqrt(dx * dx + dy * dy)  # type: ignore[no-any-return]


@inner
def to_depot(data: Data, c: int) -> float:
    """From a customer to the depot."""
    if len(data) > STRAIGHT:
        return data.matrix[c, len(data.near)]  # type: ignore[no-any-return]
    return data.place[c, FROM_DEPOT]  # type: ignore[no-any-return]


@inner
def may_serve(data: Data, c: int, v: int) -> bool:
    """Whether vehicle ``v`` may serve customer ``c``."""
    if len(data) > FREE_FOR_ALL:
        return data.allowed[data.group[c], v]  # type: ignore[no-any-return]
    return True
