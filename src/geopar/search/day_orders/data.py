"""What the search needs to know of an OMDCPDP with a day, as flat arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.problems import OMDCPDP
from geopar.problems.day import GOALS, Day, windows_of
from geopar.problems.validation import read_only
from geopar.search.day_orders.near import Nearness, nearness

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
# Stops are unsigned: numba then indexes arrays with them as they are.
Stops = NDArray[np.uint32]

# Columns of Data.place: together one line of cache.
X, Y, OPENS, CLOSES, SHUT, SERVICE, GAPS = range(7)
COLUMNS = 8
# Numbers of the goals.
MAKESPAN, ARRIVALS, DURATION, DISTANCE = map(
    GOALS.index, ("makespan", "arrivals", "duration", "distance")
)
# Values of Data.home for orders that any vehicle may take, and that none can.
ANYBODY, NOBODY = -1, -2

# Limits may be missed by rounding; the checker forgives twice as much. What is put before a stop
# keeps to half of it, so that what was found feasible stays so when it is summed up anew.
_ROUNDING = 5e-10
# What a goal counts that is not the goal, and the sum of arrivals, which is larger than others.
_TIE, _TIE_OF_ARRIVALS = 1e-6, 1e-8


class Settings(NamedTuple):
    """Every number that steers the search.

    Parameters
    ----------
    neighbours
        Stops near a pickup beside which it may be inserted.
    starts
        Starts near a pickup that are always looked at.
    strings, longest
        A ruin removes up to so many strings of up to so many stops.
    most_orders
        A ruin ends when it has removed so many orders.
    most_absent
        So many orders that are left out are tried again in an iteration.
    blink
        How often a place is overlooked.
    hot, cold
        First and last temperature, in units of the instance's own scale.
    sharpness
        A vehicle's finish is squared so many times in the smooth makespan.
    """

    neighbours: int = 60
    starts: int = 4
    strings: int = 5
    longest: int = 4
    most_orders: int = 10
    most_absent: int = 6
    blink: float = 0.01
    hot: float = 1.0
    cold: float = 0.04
    sharpness: int = 4


class Data(NamedTuple):
    """An instance.

    Stops are the tasks ``0 .. N-1``, then the starts ``N .. N+M-1``, then one that stands for the
    end of every route. An order that is on board is picked up at its vehicle's start.

    Parameters
    ----------
    place
        A row for each stop: where it is, when service may begin (for whoever comes, and a little
        stricter for what is put before it), how long it takes, how many gaps its windows have.
    gap, gap_begins, gap_ends
        The times between the windows of each stop: ``gap[s]`` to ``gap[s + 1]``.
    row
        Of each stop in the matrices.
    durations, distances
        By profile, row and column.
    straight
        Whether travel goes by places instead.
    profile, slow, ready, due, longest
        Of each vehicle: its matrix, and how long it takes for what takes others one; it is
        available from ready to due, and on duty for so long at most.
    dawn
        When the first vehicle is available.
    size, capacity
        By order and by vehicle, in each dimension of load.
    allowed
        Who may, by order and vehicle; one number that is true for all where there is no limit.
    rank
        The number of each stop in what its vehicle is told to begin with; -1 for none.
    home
        The vehicle that is told to begin with the order's pickup, ANYBODY or NOBODY.
    priority
        Of each order; orders that a vehicle is told to begin with come before all others.
    goal, weight
        What is minimised, and what a unit of each goal counts.
    orders
        N/2.
    near, near_starts
        For each pickup the tasks and the starts around it, nearest first.
    direct, least, closing
        Of each order: from its pickup to its delivery; its soonest delivery; when one of its
        windows closes for the last time.
    unit
        What a typical change costs.
    dear
        What a unit of priority that is left out costs: more than any plan.
    settings
        How to search.
    """

    place: Floats
    gap: Ints
    gap_begins: Floats
    gap_ends: Floats
    row: Stops
    durations: Floats
    distances: Floats
    straight: bool
    profile: Ints
    slow: Floats
    ready: Floats
    due: Floats
    longest: Floats
    dawn: float
    size: Floats
    capacity: Floats
    allowed: NDArray[np.bool_]
    rank: Ints
    home: Ints
    priority: Floats
    goal: int
    weight: Floats
    orders: int
    near: Stops
    near_starts: Stops
    direct: Floats
    least: Floats
    closing: Floats
    unit: float
    dear: float
    settings: Settings


def prepare(problem: OMDCPDP, settings: Settings | None = None) -> Data:
    """Arrays for the search."""
    settings = settings or Settings()
    day = problem.day or Day()
    orders, vehicles = problem.num_orders, problem.num_vehicles
    rank, home = _told(day, orders, vehicles)
    where = _where(day, problem)
    place, gaps = _places(problem, day, where)
    available = np.tile([0.0, np.inf], (vehicles, 1)) if day.available is None else day.available
    size, capacity = _loads(problem, day)
    allowed = np.ones((1, 1), dtype=np.bool_) if day.allowed is None else day.allowed.copy()
    if day.most_trips is not None and (day.most_trips < 1).any():
        allowed = np.broadcast_to(allowed, (orders, vehicles)) & (day.most_trips >= 1)
    home[(place[:orders, OPENS] == np.inf) | (place[orders : 2 * orders, OPENS] == np.inf)] = NOBODY
    priority = np.ones(orders) if day.priority is None else day.priority
    dawn = float(available[:, 0].min())
    counts = settings.neighbours, settings.starts
    around = nearness(problem, where, place, allowed, dawn, counts)
    tables = list((day.matrices or {}).values())
    names = list(day.matrices or ())
    # Profiles without matrices wait for road times; lines are straight until then.
    profile = [names.index(name) for name in day.profile or names[:1] * vehicles] if names else []
    goal = GOALS.index(problem.goal)
    closes = place[:, CLOSES]
    return Data(
        place=place,
        gap=gaps[0],
        gap_begins=gaps[1],
        gap_ends=gaps[2],
        row=np.append(problem.matrix_rows[where[:-1]], 0).astype(np.uint32),
        durations=_stacked([table.durations for table in tables]),
        distances=_stacked([table.distances for table in tables]),
        straight=not tables,
        profile=np.array(profile or [0] * vehicles, dtype=np.int64),
        slow=1.0 / np.asarray(problem.speeds),
        ready=available[:, 0].copy(),
        due=_forgiving(available[:, 1]),
        longest=np.full(vehicles, np.inf) if day.longest is None else _forgiving(day.longest),
        dawn=dawn,
        size=size,
        capacity=capacity,
        allowed=np.ascontiguousarray(allowed),
        rank=rank,
        home=home,
        priority=np.where(home >= 0, priority.sum(), 0.0) + priority,
        goal=goal,
        weight=_weights(goal, around.pace),
        orders=orders,
        near=around.near,
        near_starts=around.near_starts,
        direct=around.direct,
        least=around.least,
        closing=np.minimum(closes[:orders], closes[orders : 2 * orders]),
        unit=_unit(goal, around, orders, vehicles),
        dear=_dear(goal, around, place) / float(priority.min()),
        settings=settings,
    )


def _told(day: Day, orders: int, vehicles: int) -> tuple[Ints, Ints]:
    """The number of each stop in what vehicles are told to begin with, and whose order it is."""
    rank = np.full(2 * orders + vehicles + 1, -1, dtype=np.int64)
    home = np.full(orders, ANYBODY, dtype=np.int64)
    for v in range(vehicles):
        locked = [task for trip in (day.locked[v] if day.locked else ()) for task in trip]
        aboard = list(day.on_board[v]) if day.on_board else []
        told = [task for task in aboard if task not in locked] + locked
        rank[told] = np.arange(len(told))
        home[[task for task in told if task < orders]] = v
    alone = (rank[orders : 2 * orders] >= 0) & (rank[:orders] < 0)
    backwards = (rank[:orders] > rank[orders : 2 * orders]) & (rank[orders : 2 * orders] >= 0)
    home[alone | backwards] = NOBODY
    return rank, home


def _where(day: Day, problem: OMDCPDP) -> Ints:
    """The problem's place of each stop: a vehicle's start for orders that it has on board."""
    where = np.append(np.arange(len(problem.places)), 0)
    for v, aboard in enumerate(day.on_board or ()):
        where[list(aboard)] = problem.homes[v]
    return where


def _places(problem: OMDCPDP, day: Day, where: Ints) -> tuple[Floats, tuple[Ints, Floats, Floats]]:
    """Rows of ``Data.place``, and the gaps between windows."""
    count = len(where)
    xy = problem.places_xy[where]
    place = np.zeros((count, COLUMNS))
    # Numbers near zero keep more digits.
    place[:, :2] = xy - xy[:-1].mean(axis=0)
    place[:, OPENS], place[:, CLOSES] = -np.inf, np.inf
    gap, begins, ends = np.zeros(count + 1, dtype=np.int64), list[float](), list[float]()
    tasks = problem.num_tasks
    for task in range(tasks):
        if where[task] == task:  # what is on board takes no time, whenever
            if day.service is not None:
                place[task, SERVICE] = day.service[task]
            windows = windows_of(day.windows, task) if day.windows is not None else []
            windows = windows or [(-np.inf, np.inf)]
            if day.released is not None and task < tasks // 2:
                released = float(day.released[task])
                windows = [(max(a, released), b) for a, b in windows if b >= released]
            place[task, OPENS] = windows[0][0] if windows else np.inf
            place[task, CLOSES] = windows[-1][1] if windows else -np.inf
            begins += [closes for _, closes in windows[:-1]]
            ends += [opens for opens, _ in windows[1:]]
        gap[task + 1] = len(begins)
    gap[tasks:] = len(begins)
    place[:, GAPS] = np.diff(gap)
    place[:, SHUT] = _forgiving(place[:, CLOSES], 0.5)
    place[:, CLOSES] = _forgiving(place[:, CLOSES])
    return place, (gap, _forgiving(np.array(begins)), np.array(ends))


def _forgiving(limit: Floats, part: float = 1.0) -> Floats:
    """A limit with room for rounding."""
    finite = np.where(np.isfinite(limit), np.abs(limit), 1.0)
    return np.asarray(limit + part * _ROUNDING * np.maximum(1.0, finite))


def _loads(problem: OMDCPDP, day: Day) -> tuple[Floats, Floats]:
    orders = problem.num_orders
    size = np.ones(orders) if day.size is None else day.size
    sizes, capacities = [size[:, None]], [problem.capacity[:, None]]
    if day.extra_demand is not None and day.extra_capacity is not None:
        sizes.append(day.extra_demand)
        capacities.append(day.extra_capacity)
    return np.hstack(sizes), np.hstack(capacities) * (1.0 + _ROUNDING)


def _stacked(tables: list[Floats]) -> Floats:
    """One array of all profiles; a single table is not copied.

    All are closed to changes, as tables are: to numba others would be of another type.
    """
    if len(tables) == 1:
        return tables[0][None]
    return read_only(np.stack(tables) if tables else np.zeros((1, 1, 1)))


def _weights(goal: int, pace: float) -> Floats:
    """Of each goal; a unit of distance counts as the time that it takes."""
    weight = np.full(4, _TIE)
    weight[ARRIVALS] = _TIE_OF_ARRIVALS
    weight[DISTANCE] *= pace
    weight /= pace if goal == DISTANCE else 1.0
    weight[goal] = 1.0
    return weight


def _unit(goal: int, around: Nearness, orders: int, vehicles: int) -> float:
    """What a typical change costs: a detour, and how many deliveries it delays."""
    detour = float(np.mean(around.direct + around.hop)) or 1.0
    if goal == ARRIVALS:
        return float(detour * max(1.0, orders / vehicles) ** 0.6)
    return detour / around.pace if goal == DISTANCE else detour


def _dear(goal: int, around: Nearness, place: Floats) -> float:
    """More than what serving all orders one by one would cost, as a power of ten."""
    soonest = around.least[np.isfinite(around.least)]
    longest = 3.0 * soonest.sum() + place[:, SERVICE].sum()
    if goal == ARRIVALS:
        longest *= len(around.least)
    if goal == DISTANCE:
        longest /= around.pace
    return float(10.0 ** np.ceil(np.log10(longest + 1.0)))
