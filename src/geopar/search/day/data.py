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
# DEMAND is the first of as many columns as there are dimensions of load.
OPENS, CLOSES, SERVICE, RELEASED, PRIORITY, FROM_DEPOT, WIDTH, DEMAND = range(8)
# Columns of ``Data.task``: its row of travel, the vehicle that has its goods on board or that it is
# locked to (or -1), where its windows begin if anybody has several, and who follows it on locked
# trips: on the same trip that customer, on the next NEXT_TRIP minus that customer, otherwise -1.
ROW, CARRIER, FIRST_WINDOW, FOLLOWED_BY = range(4)
NEXT_TRIP = -2
# Columns of ``Data.shift``; CAPACITY is the first of several, as DEMAND is.
FROM, TO, LONGEST, SPEED, CAPACITY = range(5)
# Columns of ``Data.fleet``: rows of travel (-1: nowhere), of which table, how many trips at most,
# how many customers are on board, and with whom its locked trips begin (or -1).
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
    stop, task, shift, fleet
        By customer and by vehicle, see OPENS, ROW, FROM, HOME and so on.
    window
        All windows, where anybody has several: opens, closes, and a hair before it opens.
    allowed
        By customer and vehicle; empty where everybody may serve everybody.
    durations, distances
        By profile; where lines are straight they are not used.
    xy
        Of each row, for straight lines.
    near
        Where to insert a customer: beside these, the most promising first.
    dimensions
        Of load.
    depot
        Its row, or -1 without a depot.
    several
        Whether anybody has several windows.
    releases
        Whether goods are released during the day.
    duties
        Whether time on duty matters: it is limited or is the goal.
    rests
        Whether it matters how long what follows a stop takes.
    dawn
        The moment from which makespan and arrivals count.
    per_time, per_length
        By what times and lengths are multiplied so that a typical leg between neighbours is one.
    dear
        What leaving out a priority of one costs: more than any plan.
    """

    stop: Floats
    task: Ints
    shift: Floats
    fleet: Ints
    window: Floats
    allowed: Bytes
    durations: Floats
    distances: Floats
    xy: Floats
    near: Int32s
    dimensions: int
    depot: int
    opens: float
    closes: float
    loading: float
    several: bool
    releases: bool
    duties: bool
    rests: bool
    straight: bool
    symmetric: bool
    goal: int
    dawn: float
    per_time: float
    per_length: float
    dear: float


def prepare(problem: HCVRP) -> Data:
    """Collect an instance; one table of travel is not copied unless it must be mended."""
    day = problem.day or Day()
    straight = day.matrices is None
    rows = np.arange(len(problem.places)) if straight else problem.matrix_rows
    durations, distances = _tables(day)
    fleet, shift = _fleet(problem, day, rows)
    stop, window = _stops(problem, day), _windows(day)
    goal = GOALS.index(problem.goal)
    duties = bool(np.isfinite(shift[:, LONGEST]).any()) or goal == DURATION
    near = nearest(problem, stop[:, OPENS], stop[:, CLOSES], stop[:, SERVICE])
    per_time, per_length = _units(problem, near)
    return Data(
        stop=stop,
        task=_tasks(problem, day, rows, fleet, several=len(window) > 0),
        shift=shift,
        fleet=fleet,
        window=window,
        allowed=np.zeros((0, 0), np.uint8)
        if day.allowed is None
        else np.ascontiguousarray(day.allowed, dtype=np.uint8),
        durations=_frozen(durations),
        distances=_frozen(distances),
        xy=_frozen(problem.places_xy),
        near=near,
        dimensions=stop.shape[1] - DEMAND,
        depot=int(rows[problem.num_tasks]) if day.has_depot else -1,
        opens=day.opens,
        closes=_wider(day.closes),
        loading=day.loading if day.has_depot else 0.0,
        several=len(window) > 0,
        releases=bool((stop[:, RELEASED] > -np.inf).any()),
        duties=duties,
        rests=duties or goal == MAKESPAN,
        straight=straight,
        symmetric=all(np.array_equal(t, t.transpose(0, 2, 1)) for t in (durations, distances)),
        goal=goal,
        dawn=problem.first_start,
        per_time=per_time,
        per_length=per_length,
        dear=_dear(problem, stop, shift),
    )


def _frozen(array: Floats) -> Floats:
    """As the user's tables are, so that all are of one compiled type."""
    array = np.ascontiguousarray(array).view()
    array.flags.writeable = False
    return array


def _wider(limit: float) -> float:
    return limit + HAIR * max(1.0, abs(limit)) if np.isfinite(limit) else limit


def _tables(day: Day) -> tuple[Floats, Floats]:
    if day.matrices is None:
        return np.zeros((1, 1, 1)), np.zeros((1, 1, 1))
    durations = [_still(table.durations) for table in day.matrices.values()]
    distances = [_still(table.distances) for table in day.matrices.values()]
    if len(durations) == 1:
        return durations[0][None], distances[0][None]
    return np.stack(durations), np.stack(distances)


def _still(table: Floats) -> Floats:
    """Nothing from a place to itself, whatever a table says of it."""
    if table.diagonal().any():
        table = table.copy()
        np.fill_diagonal(table, 0.0)
    return table


def _fleet(problem: HCVRP, day: Day, rows: Ints) -> tuple[Ints, Floats]:
    m = problem.num_vehicles
    names = list(day.matrices or ())
    fleet = np.zeros((m, 6), dtype=np.int64)
    capacity = _joined(problem.capacity, day.extra_capacity) * (1.0 + HAIR)
    shift = np.column_stack([np.zeros((m, CAPACITY)), capacity])
    fleet[:, HOME] = rows[problem.homes]
    fleet[:, END] = np.where(problem.ends < 0, -1, rows[problem.ends])
    fleet[:, PROFILE] = [names.index(p) for p in day.profile] if day.profile and names else 0
    fleet[:, MOST_TRIPS] = NO_LIMIT
    if day.most_trips is not None:
        fleet[:, MOST_TRIPS] = np.minimum(day.most_trips, NO_LIMIT).astype(np.int64)
    if not day.has_depot:
        fleet[:, MOST_TRIPS] = np.minimum(fleet[:, MOST_TRIPS], 1)
    fleet[:, ABOARD] = [len(some) for some in day.on_board] if day.on_board else 0
    fleet[:, LOCKED] = -1
    available = np.array([[0.0, np.inf]] * m) if day.available is None else day.available
    shift[:, FROM] = available[:, 0]
    shift[:, TO] = [_wider(float(to)) for to in available[:, 1]]
    shift[:, LONGEST] = np.inf
    if day.longest is not None:
        shift[:, LONGEST] = [_wider(float(longest)) for longest in day.longest]
    shift[:, SPEED] = problem.speeds
    return fleet, shift


def _stops(problem: HCVRP, day: Day) -> Floats:
    n = problem.num_tasks
    stop = np.column_stack([np.zeros((n, DEMAND)), _joined(problem.demand, day.extra_demand)])
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
    stop[:, FROM_DEPOT] = _from_depot(problem)
    return np.ascontiguousarray(stop)


def _windows(day: Day) -> Floats:
    """All windows, if anybody has several; otherwise stops tell."""
    if day.windows is None or not (np.diff(day.windows.offset) > 1).any():
        return np.zeros((0, 3))
    closes = [_wider(float(end)) for end in day.windows.closes]
    early = [-_wider(-float(begin)) for begin in day.windows.opens]
    return np.column_stack([day.windows.opens, closes, early])


def _tasks(problem: HCVRP, day: Day, rows: Ints, fleet: Ints, *, several: bool) -> Ints:
    n = problem.num_tasks
    task = np.full((n + 1, 4), -1, dtype=np.int64)
    task[:, ROW] = rows[: n + 1]
    task[:, FIRST_WINDOW] = day.windows.offset if several and day.windows is not None else 0
    for v, some in enumerate(day.on_board or ()):
        task[list(some), CARRIER] = v
    for v, trips in enumerate(day.locked or ()):
        last = -1
        for trip in filter(None, trips):
            task[list(trip), CARRIER] = v
            if last < 0:
                fleet[v, LOCKED] = trip[0]
            else:
                task[last, FOLLOWED_BY] = NEXT_TRIP - trip[0]
            task[list(trip[:-1]), FOLLOWED_BY] = trip[1:]
            last = trip[-1]
    return task


def _joined(first: Floats, more: Floats | None) -> Floats:
    return np.column_stack([first] if more is None else [first, more])


def _from_depot(problem: HCVRP) -> Floats:
    """How far customers are from where their goods come from."""
    home = np.full(problem.num_tasks, problem.num_tasks)
    if problem.day is not None and not problem.day.has_depot:
        home[:] = problem.homes[0]
    return problem.travel.distance(home, np.arange(problem.num_tasks))


def _dear(problem: HCVRP, stop: Floats, shift: Floats) -> float:
    """More than any plan costs, for each unit of the least priority."""
    n = problem.num_tasks
    everywhere, home = np.arange(n), np.full(n, n)
    far = max(
        float(measure(*pair).max())
        for pair in ((everywhere, home), (home, everywhere))
        for measure in (problem.travel.distance, lambda i, j: problem.travel.duration(0, i, j))
    )
    times = np.concatenate([stop[:, : RELEASED + 1].ravel(), shift[:, : TO + 1].ravel()])
    latest = float(np.abs(times[np.isfinite(times)]).max(initial=0.0))
    longest = latest + 4.0 * (n + 1) * (far + float(stop[:, SERVICE].max()))
    return longest * (n + 1) / float(stop[:, PRIORITY].min())


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
    if data.symmetric:
        i, j = j, i
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
    if data.symmetric:
        i, j = j, i
    return data.distances[data.fleet[v, PROFILE], i, j]  # type: ignore[no-any-return]
