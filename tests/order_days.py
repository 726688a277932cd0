"""Random days of OMDCPDP of any mix, and a slow judge of plans for them.

The judge follows :mod:`geopar.problems.day` to the letter and shares nothing with the search. How
late a vehicle may leave it finds by trying.
"""

from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from geopar.problems import OMDCPDP
from geopar.problems.day import GOALS, Day, windows_of

Routes = list[NDArray[np.int64]]

PARTS = (
    "matrices", "speed", "service", "windows", "released", "available", "longest", "most_trips",
    "allowed", "size", "extra", "priority", "on_board", "locked",
)  # fmt: skip


@st.composite
def order_days(draw: Any, max_orders: int = 6, max_vehicles: int = 4) -> OMDCPDP:
    """A problem with a day of some parts."""
    parts = draw(st.sets(st.sampled_from(PARTS)))
    goal = draw(st.sampled_from((None, *GOALS)))
    orders, vehicles = draw(st.integers(1, max_orders)), draw(st.integers(1, max_vehicles))
    return random_day(orders, vehicles, parts, goal, draw(st.integers(0, 2**32 - 1)))


def random_day(orders: int, vehicles: int, parts: Any, goal: Any, seed: int) -> OMDCPDP:
    """A problem with these parts of a day; whole numbers, so that ties are common, or not."""
    rng = np.random.default_rng(seed)
    whole = rng.random() < 0.5

    def numbers(low: float, high: float, shape: Any) -> NDArray[np.float64]:
        drawn = rng.uniform(low, high, shape)
        return np.round(drawn) if whole else drawn

    tasks = 2 * orders
    day: dict[str, Any] = {"minimise": goal, "loading": 1.0}
    if "matrices" in parts:
        rows = tasks + vehicles
        day["matrices"] = {
            name: (numbers(0, 6, (rows, rows)), numbers(0, 6, (rows, rows))) for name in "ab"
        }
        day["profile"] = rng.choice(["a", "b"], vehicles).tolist()
    if "speed" in parts:
        day["speed"] = rng.choice([0.5, 1.0, 2.0, 3.0], vehicles)
    if "service" in parts:
        day["service"] = numbers(0, 2, tasks)
    if "windows" in parts:
        day["windows"] = [
            [(a, a + numbers(0, 9, ())) for a in numbers(0, 30, rng.integers(0, 4))]
            for _ in range(tasks)
        ]
    if "released" in parts:
        day["released"] = np.append(numbers(0, 15, orders), np.zeros(orders))
    if "available" in parts:
        begin = numbers(0, 9, vehicles)
        day["available"] = np.stack([begin, begin + numbers(0, 40, vehicles)], axis=1)
    if "longest" in parts:
        day["longest"] = numbers(0, 30, vehicles)
    if "most_trips" in parts:
        day["most_trips"] = rng.integers(0, 3, vehicles)
    if "size" in parts:
        day["size"] = numbers(0, 2, orders)
    if "extra" in parts:
        day["extra_demand"] = numbers(0, 3, (orders, 2))
        day["extra_capacity"] = numbers(1, 6, (vehicles, 2))
    if "priority" in parts:
        day["priority"] = 1.0 + numbers(0, 3, orders)
    if "allowed" in parts:
        day["allowed"] = rng.random((orders, vehicles)) < 0.6
    _tell(day, parts, orders, vehicles, rng)
    pickups, deliveries, starts = (
        numbers(-3, 3, (count, 2)) for count in (orders, orders, vehicles)
    )
    return OMDCPDP(pickups, deliveries, starts, rng.integers(1, 4, vehicles), day=Day(**day))


def _tell(day: dict[str, Any], parts: Any, orders: int, vehicles: int, rng: Any) -> None:
    """Orders on board and stops to begin with."""
    owner = rng.integers(vehicles, size=orders)
    aboard = (rng.random(orders) < 0.3) & ("on_board" in parts)
    told = aboard | ((rng.random(orders) < 0.4) & ("locked" in parts))
    if "allowed" in parts:
        day["allowed"][np.flatnonzero(told), owner[told]] = True
    on_board, locked = [], []
    for v in range(vehicles):
        first = np.flatnonzero(aboard & (owner == v)).tolist()
        on_board.append(first)
        stops, out = list(first), list(first)
        if "locked" in parts:
            for order in np.flatnonzero(told & ~aboard & (owner == v)).tolist():
                stops.append(order)
                out.append(order)
                while out and rng.random() < 0.5:
                    stops.append(orders + out.pop(int(rng.integers(len(out)))))
        locked.append([stops])
    if "on_board" in parts:
        day["on_board"] = on_board
    if "locked" in parts:
        day["locked"] = locked


class Verdict(NamedTuple):
    """What a plan leaves out, by priority, and what it amounts to by goal."""

    absent: float
    total: dict[str, float]


def judge(problem: OMDCPDP, routes: Routes) -> Verdict:
    """Make sure that a plan can be driven, and say what it is worth."""
    day, orders = problem.day, problem.num_orders
    assert day is not None
    available = day.available
    dawn = 0.0 if available is None else float(available[:, 0].min())
    total = dict.fromkeys(GOALS, 0.0)
    visited = np.concatenate(routes)
    assert len(set(visited.tolist())) == len(visited)
    for v, route in enumerate(map(np.ndarray.tolist, routes)):
        if not route:
            continue
        _judge_order(problem, v, route)
        begins, finish, driven, departure = _judge_times(problem, v, route)
        delivered = [b for task, b in zip(route, begins, strict=True) if task >= orders]
        total["arrivals"] += sum(delivered) - dawn * len(delivered)
        total["makespan"] = max(total["makespan"], finish - dawn)
        total["duration"] += finish - departure
        total["distance"] += driven
    absent = np.setdiff1d(np.arange(orders), visited)
    priority = np.ones(orders) if day.priority is None else day.priority
    return Verdict(float(priority[absent].sum()), dict(total.items()))


def _judge_order(problem: OMDCPDP, v: int, route: list[int]) -> None:
    """Pickups before deliveries, what is told first, who may, and room."""
    day, orders = problem.day, problem.num_orders
    assert day is not None
    assert day.most_trips is None or day.most_trips[v] >= 1
    size = np.ones(orders) if day.size is None else day.size
    sizes, room = [size], [problem.capacity[v]]
    if day.extra_demand is not None and day.extra_capacity is not None:
        sizes += list(day.extra_demand.T)
        room += list(day.extra_capacity[v])
    load = np.zeros(len(sizes))
    aboard: set[int] = set()
    for task in route:
        order = task % orders
        assert day.allowed is None or day.allowed[order, v]
        (aboard.add if task < orders else aboard.remove)(order)
        load += np.array([s[order] for s in sizes]) * (1 if task < orders else -1)
        assert (load <= np.array(room) + 1e-8).all()
    assert not aboard
    for other in range(problem.num_vehicles):
        told = [] if day.locked is None else [task for trip in day.locked[other] for task in trip]
        told = told or ([] if day.on_board is None else list(day.on_board[other]))
        here = [task for task in told if task in route]
        if other == v:
            assert route[: len(here)] == here
        else:
            assert not [task for task in here if task < orders]


def _judge_times(
    problem: OMDCPDP, v: int, route: list[int]
) -> tuple[list[float], float, float, float]:
    """When service begins at each stop; finish, distance and departure of the vehicle."""
    day = problem.day
    assert day is not None
    begin, end = (0.0, np.inf) if day.available is None else day.available[v]
    begins, finish, driven = _drive(problem, v, route, begin)
    assert finish < np.inf, "late"
    assert finish <= end + 1e-8, "after its shift"
    low, high = begin, finish
    while high - low > 1e-11 * max(1.0, abs(high)):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        then, done, _ = _drive(problem, v, route, middle)
        late = done > finish + 1e-10
        if problem.goal == "arrivals":
            late |= any(t > b + 1e-10 for t, b in zip(then, begins, strict=True))
        low, high = (low, middle) if late else (middle, high)
    longest = np.inf if day.longest is None else day.longest[v]
    assert finish - low <= longest + 1e-8, "too long on duty"
    return begins, finish, driven, low


def _drive(
    problem: OMDCPDP, v: int, route: list[int], time: float
) -> tuple[list[float], float, float]:
    """Begins, finish and distance of a vehicle that leaves at some time."""
    day, travel, home = problem.day, problem.travel, int(problem.homes[v])
    assert day is not None
    here, begins, driven = home, [], 0.0
    for task in route:
        if day.on_board is not None and task in day.on_board[v]:
            begins.append(time)
            continue
        way = np.array(here), np.array(task)
        driven += float(travel.distance(*way, v))
        time += float(travel.duration(v, *way))
        opens = [] if day.windows is None else windows_of(day.windows, task)
        if day.released is not None and task < problem.num_orders:
            time = max(time, float(day.released[task]))
        if opens:
            later = [max(time, a) for a, b in opens if time <= b + 1e-9]
            time = min(later, default=np.inf)
        begins.append(time)
        time += 0.0 if day.service is None else float(day.service[task])
        here = task
    return begins, time, driven
