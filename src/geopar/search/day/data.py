"""What the search knows of a problem with a day: arrays that never change during a run.

Times and lengths are the user's. Limits are a hair wider than they were asked for, so that sums
that meet them exactly but for rounding still do; the checker allows ten times as much.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import inlined
from geopar.problems import HCVRP
from geopar.problems.day import GOALS, Day
from geopar.search.day.near import nearest

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Int32s = NDArray[np.int32]
Bytes = NDArray[np.uint8]

MAKESPAN, ARRIVALS, DURATION, DISTANCE = range(4)
assert GOALS == ("makespan", "arrivals", "duration", "distance")

# Columns of ``Data.stop``; with several windows OPENS is that of the first, CLOSES of the last.
OPENS, CLOSES, SERVICE, RELEASED, PRIORITY, FROM_DEPOT, WIDTH, FIRST_DEMAND = range(8)
# Columns of ``Data.shift``.
FROM, TO, LONGEST, SPEED = range(4)
# Columns of ``Data.fleet``: rows of travel (-1: nowhere), of which table, how many trips at most,
# how many customers are on board, and how many trips are locked.
HOME, END, PROFILE, MOST_TRIPS, ABOARD, LOCKED = range(6)

# Limits grow by this part of them.
HAIR = 1e-10
# Legs to so many neighbours are typical.
NEXT_FEW = 5
# Trips of one vehicle are at most so many, whatever was asked for.
NO_LIMIT = 1 << 30


class Data(NamedTuple):
    """An instance with its day.

    Attributes
    ----------
    stop
        By customer, see OPENS and so on.
    demand, capacity
        By customer and by vehicle, a column for each dimension of load.
    window, first_window
        All windows, and where those of each customer begin.
    row
        Of each customer in the tables of travel.
    carrier
        The vehicle on which the goods of a customer are already, or -1.
    allowed
        By customer and vehicle; empty where everybody may serve everybody.
    durations, distances
        By profile; empty where lines are straight.
    xy
        Of each row, for straight lines.
    near
        Where to insert a customer: beside these, the most promising first.
    depot
        Its row, or -1 without a depot.
    several
        Whether any customer has several windows.
    releases
        Whether any goods are released later than the vehicles are available.
    duties
        Whether time on duty matters: it is limited or is the goal.
    dawn
        The moment from which makespan and arrivals count.
    per_time, per_length
        By what times and lengths are multiplied so that a typical leg between neighbours is one.
    """

    stop: Floats
    demand: Floats
    capacity: Floats
    window: Floats
    first_window: Ints
    row: Ints
    carrier: Ints
    allowed: Bytes
    shift: Floats
    fleet: Ints
    durations: Floats
    distances: Floats
    xy: Floats
    near: Int32s
    depot: int
    opens: float
    closes: float
    loading: float
    several: bool
    releases: bool
    duties: bool
    straight: bool
    goal: int
    dawn: float
    per_time: float
    per_length: float
    locked: Ints
    """Customers of locked trips, trip after trip and vehicle after vehicle, each trip ending -1."""


def prepare(problem: HCVRP) -> Data:
    """Collect an instance; tables of travel are not copied unless there are several."""
    day, n, m = problem.day or Day(), problem.num_tasks, problem.num_vehicles
    straight = day.matrices is None
    rows = np.arange(len(problem.places)) if straight else problem.matrix_rows
    durations, distances = _tables(problem, day)
    fleet, shift = _fleet(problem, day, rows)
    stop = _stops(problem, day)
    window, first_window = _windows(day, n)
    limited = day.longest is not None and bool(np.isfinite(day.longest).any())
    carrier = np.full(n, -1, dtype=np.int64)
    for v, some in enumerate(day.on_board or ()):
        carrier[list(some)] = v
    goal = GOALS.index(problem.goal)
    data = Data(
        stop=stop,
        demand=_loads(problem.demand, day.extra_demand, 1.0),
        capacity=_loads(problem.capacity, day.extra_capacity, 1.0 + HAIR),
        window=window,
        first_window=first_window,
        row=np.ascontiguousarray(rows[:n]),
        carrier=carrier,
        allowed=np.zeros((0, 0), np.uint8)
        if day.allowed is None
        else np.ascontiguousarray(day.allowed, dtype=np.uint8),
        shift=shift,
        fleet=fleet,
        durations=durations,
        distances=distances,
        xy=np.ascontiguousarray(problem.places_xy),
        near=np.zeros((n, 0), np.int32),
        depot=int(rows[n]) if day.has_depot else -1,
        opens=day.opens,
        closes=_wider(day.closes),
        loading=day.loading if day.has_depot else 0.0,
        several=len(window) > 0,
        releases=bool((stop[:, RELEASED] > -np.inf).any()),
        duties=limited or goal == DURATION,
        straight=straight,
        goal=goal,
        dawn=0.0 if day.available is None else float(day.available[:, 0].min()),
        per_time=1.0,
        per_length=1.0,
        locked=_locked(day, m),
    )
    for array in (data.durations, data.distances, data.xy):
        array.flags.writeable = False  # as the user's are, so that all are of one compiled type
    near = nearest(data, problem)
    stop[:, FROM_DEPOT] = _from_depot(problem)
    per_time, per_length = _units(problem, near)
    return data._replace(near=near, per_time=per_time, per_length=per_length)


def _wider(limit: float) -> float:
    return limit + HAIR * max(1.0, abs(limit)) if np.isfinite(limit) else limit


def _tables(problem: HCVRP, day: Day) -> tuple[Floats, Floats]:
    if day.matrices is None:
        return np.zeros((1, 1, 1)), np.zeros((1, 1, 1))
    tables = list(day.matrices.values())
    if len(tables) == 1:
        return tables[0].durations[None].view(), tables[0].distances[None].view()
    return np.stack([t.durations for t in tables]), np.stack([t.distances for t in tables])


def _fleet(problem: HCVRP, day: Day, rows: Ints) -> tuple[Ints, Floats]:
    m = problem.num_vehicles
    names = list(day.matrices or ())
    fleet, shift = np.zeros((m, 6), dtype=np.int64), np.zeros((m, 4))
    fleet[:, HOME] = rows[problem.homes]
    fleet[:, END] = np.where(problem.ends < 0, -1, rows[problem.ends])
    fleet[:, PROFILE] = [names.index(p) for p in day.profile] if day.profile and names else 0
    fleet[:, MOST_TRIPS] = NO_LIMIT
    if day.most_trips is not None:
        fleet[:, MOST_TRIPS] = np.minimum(day.most_trips, NO_LIMIT).astype(np.int64)
    if not day.has_depot:
        fleet[:, MOST_TRIPS] = np.minimum(fleet[:, MOST_TRIPS], 1)
    fleet[:, ABOARD] = [len(some) for some in day.on_board] if day.on_board else 0
    fleet[:, LOCKED] = [sum(map(bool, trips)) for trips in day.locked] if day.locked else 0
    available = np.array([[0.0, np.inf]] * m) if day.available is None else day.available
    shift[:, FROM] = np.where(np.isfinite(available[:, 0]), available[:, 0], 0.0)
    shift[:, TO] = [_wider(float(to)) for to in available[:, 1]]
    shift[:, LONGEST] = np.inf
    if day.longest is not None:
        shift[:, LONGEST] = [_wider(float(longest)) for longest in day.longest]
    shift[:, SPEED] = problem.speeds
    return fleet, shift


def _stops(problem: HCVRP, day: Day) -> Floats:
    n = problem.num_tasks
    stop = np.zeros((n, 8))
    stop[:, OPENS], stop[:, CLOSES], stop[:, WIDTH] = -np.inf, np.inf, np.inf
    if day.windows is not None:
        for c in range(n):
            some = slice(day.windows.offset[c], day.windows.offset[c + 1])
            opens, closes = day.windows.opens[some], day.windows.closes[some]
            if len(opens):
                stop[c, OPENS], stop[c, CLOSES] = opens[0], _wider(float(closes[-1]))
                stop[c, WIDTH] = (closes - opens).sum()
    if day.service is not None:
        stop[:, SERVICE] = day.service
    stop[:, RELEASED] = -np.inf if day.released is None else day.released
    stop[:, PRIORITY] = 1.0 if day.priority is None else day.priority
    stop[:, FIRST_DEMAND] = problem.demand
    return stop


def _windows(day: Day, n: int) -> tuple[Floats, Ints]:
    """The windows of those who have several; others are told by their stop."""
    if day.windows is None or not (np.diff(day.windows.offset) > 1).any():
        return np.zeros((0, 2)), np.zeros(n + 1, dtype=np.int64)
    closes = [_wider(float(end)) for end in day.windows.closes]
    return np.stack([day.windows.opens, np.array(closes)], axis=1), day.windows.offset.copy()


def _loads(first: Floats, more: Floats | None, factor: float) -> Floats:
    return (
        np.ascontiguousarray(np.column_stack([first] if more is None else [first, more])) * factor
    )


def _locked(day: Day, m: int) -> Ints:
    flat: list[int] = []
    for trips in day.locked or [()] * m:
        for trip in trips:
            flat += [*trip, -1] if trip else []
    return np.array(flat, dtype=np.int64)


def _from_depot(problem: HCVRP) -> Floats:
    """How far customers are from where their goods come from."""
    home = np.full(problem.num_tasks, problem.num_tasks)
    if problem.day is not None and not problem.day.has_depot:
        home[:] = problem.homes[0]
    return problem.travel.distance(home, np.arange(problem.num_tasks))


def _units(problem: HCVRP, near: Int32s) -> tuple[float, float]:
    """One over the typical time and length from a customer to its next few neighbours."""
    some = near[:, :NEXT_FEW].astype(np.int64)
    one, other = np.broadcast_arrays(np.arange(len(near))[:, None], some)
    found = []
    for legs in (problem.travel.duration(0, one, other), problem.travel.distance(one, other)):
        mean = float(legs.mean()) if legs.size else 0.0
        found.append(1.0 / mean if mean > 0.0 else 1.0)
    return found[0], found[1]


@inlined
def duration(data: Data, v: int, i: int, j: int) -> float:
    """How long vehicle ``v`` takes from row ``i`` to row ``j``; from and to nowhere no time."""
    if i < 0 or j < 0:
        return 0.0
    if data.straight:
        dx = data.xy[i, 0] - data.xy[j, 0]
        dy = data.xy[i, 1] - data.xy[j, 1]
        return np.sqrt(dx * dx + dy * dy) / data.shift[v, SPEED]  # type: ignore[no-any-return]
    return data.durations[data.fleet[v, PROFILE], i, j] / data.shift[v, SPEED]  # type: ignore[no-any-return]


@inlined
def distance(data: Data, v: int, i: int, j: int) -> float:
    """How far it is for vehicle ``v`` from row ``i`` to row ``j``."""
    if i < 0 or j < 0:
        return 0.0
    if data.straight:
        dx = data.xy[i, 0] - data.xy[j, 0]
        dy = data.xy[i, 1] - data.xy[j, 1]
        return np.sqrt(dx * dx + dy * dy)  # type: ignore[no-any-return]
    return data.distances[data.fleet[v, PROFILE], i, j]  # type: ignore[no-any-return]
