"""The plan inside a state of the search of days, and how vehicles drive it, in plain Python.

The walk follows :mod:`geopar.problems.day` and shares nothing with the search: how late a vehicle
may leave it finds by halving.
"""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from numpy.typing import NDArray

from days import days
from geopar.compiled.jit import compiled
from geopar.plan import flatten
from geopar.problems import HCVRP
from geopar.problems.day import GOALS, Day, windows_of
from geopar.search import day as search
from geopar.search.day import data as given
from geopar.search.day import state as columns
from geopar.search.day.cost import LARGEST_EXPONENT, LEGS_A_HORIZON, TIE, settle
from geopar.search.day.state import (
    ABOARD_TRIP,
    FREELY,
    KIND,
    LOCKED_TRIP,
    NEXT,
    OWNER,
    PLACE,
    PREVIOUS,
    REMOVED,
    SIZE,
    TRIP,
    TRIPS,
    accept,
    begin,
    empty_state,
    end_of,
    link,
    open_trip,
    push,
    start_of,
    unlink,
)
from geopar.search.day.times import refresh
from strategies import random_plan

Trips = list[list[int]]

# Limits may be missed by rounding: what is nearer to one than this may go either way.
CLOSE = 1e-7
HALVINGS = 60


@st.composite
def any_days(draw: Any) -> HCVRP:
    """A small problem with a random day; some vehicles are under way, some trips locked."""
    problem = draw(days(kinds=("hcvrp",)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    how = draw(st.sampled_from(["plain", "no depot", "under way", "locked"]))
    day, m = problem.day, problem.num_vehicles
    if how == "no depot" and day.matrices is None:
        day = day.replace(has_depot=False, start=rng.random((m, 2)), opens=-np.inf, closes=np.inf)
    elif how != "plain":
        customers = rng.permutation(problem.num_tasks)[: draw(st.integers(0, 2))].tolist()
        lists: list[list[int]] = [[] for _ in range(m)]
        lists[int(rng.integers(m))] = customers
        # What is certain must not be forbidden.
        allowed = None if day.allowed is None else day.allowed.copy()
        if allowed is not None:
            allowed[customers] = True
        if how == "under way":
            day = day.replace(on_board=lists, allowed=allowed)
        else:
            trips = [[[c] for c in some] for some in lists]
            day = day.replace(locked=trips, allowed=allowed)
    return problem.replace(day=day)


def days_by_goal(*, roads: bool = True) -> st.SearchStrategy[HCVRP]:
    """Problems with a day of some parts; without roads no detour is shorter than the way.

    Everything follows from one number, so that all mixes are as likely: what one part hides another
    cannot show.
    """

    def made(seed: int) -> HCVRP:
        rng = np.random.default_rng(seed)
        parts = rng.permutation(PARTS if roads else PARTS[1:])[: rng.integers(7)].tolist()
        if rng.random() < 0.5:
            parts = [*parts[:2], *TOGETHER[rng.integers(len(TOGETHER))]]
        customers, vehicles = int(rng.integers(1, 9)), int(rng.integers(1, 4))
        return random_day(customers, vehicles, set(parts), str(rng.choice(GOALS)), seed)

    return st.integers(0, 2**32 - 1).map(made)


PARTS = (
    "matrices", "service", "loading", "opens", "closes", "windows", "several", "released",
    "available", "longest", "most_trips", "allowed", "extra", "priority", "start", "end",
    "no depot", "on_board", "locked",
)  # fmt: skip


# Each of these is followed in its own way, and only if the others are there.
TOGETHER = (
    ("released", "windows"),
    ("released", "windows", "longest"),
    ("released", "several", "longest"),
    ("longest", "windows"),
    ("longest", "several"),
    ("released", "loading", "service"),
)


def random_day(customers: int, vehicles: int, parts: Any, goal: Any, seed: int) -> HCVRP:
    """A problem with these parts of a day; whole numbers, so that ties are common, or not."""
    rng = np.random.default_rng(seed)
    whole = rng.random() < 0.5

    def numbers(low: float, high: float, shape: Any) -> NDArray[np.float64]:
        drawn = rng.uniform(low, high, shape)
        return np.round(drawn) if whole else drawn

    day: dict[str, Any] = {"minimise": goal}
    if "service" in parts:
        day["service"] = numbers(0, 2, customers)
    if "windows" in parts or "several" in parts:
        most = 4 if "several" in parts else 2
        day["windows"] = [
            [(a, a + numbers(0, 12, ())) for a in numbers(0, 20, rng.integers(0, most))]
            for _ in range(customers)
        ]
    if "released" in parts:
        late = rng.random(customers) < 0.4
        day["released"] = np.where(late, numbers(0, 12, customers), 0.0)
    if "available" in parts:
        begin = numbers(0, 9, vehicles)
        day["available"] = np.stack([begin, begin + numbers(5, 50, vehicles)], axis=1)
    if "longest" in parts:
        day["longest"] = np.where(rng.random(vehicles) < 0.7, numbers(5, 40, vehicles), np.inf)
    if "most_trips" in parts:
        day["most_trips"] = rng.integers(1, 4, vehicles)
    if "allowed" in parts:
        day["allowed"] = rng.random((customers, vehicles)) < 0.7
    if "extra" in parts:
        day["extra_demand"] = numbers(0, 3, (customers, 2))
        day["extra_capacity"] = numbers(2, 8, (vehicles, 2))
    if "priority" in parts:
        day["priority"] = 1.0 + numbers(0, 3, customers)
    if "no depot" in parts:
        day |= {"has_depot": False, "start": numbers(-3, 3, (vehicles, 2))}
    else:
        limits = {"loading": 2.0, "opens": 3.0, "closes": 40.0}
        day |= {name: value for name, value in limits.items() if name in parts}
        if "start" in parts:
            own = rng.random((vehicles, 1)) < 0.5
            day["start"] = np.where(own, numbers(-3, 3, (vehicles, 2)), np.nan)
    if "end" in parts:
        day["end"] = rng.choice([np.nan, np.inf, 2.0], (vehicles, 1)) * [1.0, 1.0]
    owner = rng.integers(vehicles, size=customers)
    told = rng.random(customers) < 0.3
    some = [np.flatnonzero(told & (owner == v)).tolist() for v in range(vehicles)]
    if "on_board" in parts or "locked" in parts:
        if "allowed" in parts:  # what is certain must not be forbidden
            day["allowed"][np.flatnonzero(told), owner[told]] = True
        if "on_board" in parts:
            day["on_board"] = some
        else:
            cut = [int(rng.integers(len(one) + 1)) for one in some]
            pairs = zip(some, cut, strict=True)
            day["locked"] = [[t for t in (one[:i], one[i:]) if t] for one, i in pairs]
    depot = day["start"][0] if "no depot" in parts else (0, 0)
    problem = HCVRP(
        depot, numbers(-3, 3, (customers, 2)), numbers(0, 3, customers), numbers(3, 9, vehicles),
        rng.choice([0.5, 1.0, 2.0], vehicles),
    )  # fmt: skip
    if "matrices" in parts and not day.keys() & {"start", "end"}:
        shape = (customers + 1, customers + 1)
        day["matrices"] = {name: (numbers(0, 6, shape), numbers(0, 6, shape)) for name in "ab"}
        day["profile"] = rng.choice(["a", "b"], vehicles).tolist()
    return problem.replace(day=Day(**day))


def at_random(problem: HCVRP, seed: int) -> tuple[search.Data, search.State]:
    """A state with a random plan, as far as it can be driven."""
    data = search.prepare(problem)
    plan = random_plan(problem.replace(day=None), np.random.default_rng(seed))
    return data, search.from_routes(data, seed, flatten(plan.to_indices(problem)))


def plan_of(data: search.Data, state: search.State) -> list[Trips]:
    """The trips of each vehicle, after making sure that all links agree with each other."""
    n, slots, m = len(data.stop), len(state.amount), len(data.fleet)
    node, routes, seen, trips = state.node.tolist(), list[Trips](), list[int](), 0
    for v in range(m):
        x, t, route = n + slots + v, -1, Trips()
        while x != n + slots + m + v:
            y = node[x][NEXT]
            assert node[y][PREVIOUS] == x
            if y < n:
                route[-1].append(y)
                seen.append(y)
                assert node[y][TRIP] == t
            elif y < n + slots:
                route.append([])
                t = y - n
                assert node[y][TRIP] == t
                assert node[y][OWNER] == v
            x = y
        chain, x = [], node[n + slots + v][NEXT]
        while x < n + slots:
            if x >= n:
                chain.append(node[x][SIZE])
            x = node[x][NEXT]
        assert chain == [len(trip) for trip in route]
        assert state.tour[v, TRIPS] == len(route)
        trips += len(route)
        routes.append(route)
    assert len(set(seen)) == len(seen)
    assert {c for c in range(n) if node[c][TRIP] >= 0} == set(seen)
    assert state.counters[columns.OPEN_TRIPS] == trips
    return routes


def kinds_of(data: search.Data, state: search.State, v: int) -> list[int]:
    """The kind of each trip of a vehicle."""
    n, kinds = len(data.stop), []
    x = int(state.node[n + len(state.amount) + v, NEXT])
    while x < n + len(state.amount):
        if x >= n:
            kinds.append(int(state.node[x, KIND]))
        x = int(state.node[x, NEXT])
    return kinds


def nodes_of(data: search.Data, state: search.State, v: int) -> list[int]:
    """The list of a vehicle from its start to its end."""
    n, slots, m = len(data.stop), len(state.amount), len(data.fleet)
    nodes = [n + slots + v]
    while nodes[-1] != n + slots + m + v:
        nodes.append(int(state.node[nodes[-1], NEXT]))
    return nodes


def any_routes(problem: HCVRP, seed: int) -> tuple[list[Trips], list[list[int]]]:
    """Trips with everybody on them, whether in time or not, what is certain first; their kinds."""
    plan = random_plan(problem.replace(day=None), np.random.default_rng(seed))
    routes = [[trip.tolist() for trip in trips] for trips in plan.to_indices(problem)]
    day, certain = problem.day, list[Trips]()
    for v in range(problem.num_vehicles):
        aboard = [list(day.on_board[v])] if day.on_board and day.on_board[v] else []
        certain.append(aboard + [list(trip) for trip in (day.locked[v] if day.locked else ())])
    told = {c for trips in certain for trip in trips for c in trip}
    kind = ABOARD_TRIP if day.on_board else LOCKED_TRIP
    rest = [[[c for c in trip if c not in told] for trip in trips] for trips in routes]
    found = [[*one, *filter(None, two)] for one, two in zip(certain, rest, strict=True)]
    kinds = [
        [kind] * len(one) + [FREELY] * (len(all_) - len(one))
        for one, all_ in zip(certain, found, strict=True)
    ]
    return found, kinds


@compiled(allocates=True)
def put_trips(data, state, tasks, bounds, vehicle, kinds, kept):
    """Trips behind each other, whether they can be driven or not."""
    begin(state)
    for trip in range(len(vehicle)):
        v = vehicle[trip]
        if kinds[trip] & ABOARD_TRIP:
            state.node[start_of(data, state, v), PLACE] = -1
        last = np.int64(state.node[end_of(data, state, v), PREVIOUS])
        p = len(data.stop) + open_trip(data, state, v, last, kinds[trip])
        for i in range(bounds[trip], bounds[trip + 1]):
            link(data, state, tasks[i], p)
            push(state, REMOVED, tasks[i])
            p = tasks[i]
    for v in range(len(data.fleet)):
        kept[v] = refresh(data, state, v)
        settle(data, state, v)
    accept(state)


def forced(
    data: search.Data,
    routes: list[Trips],
    kinds: list[list[int]] | None = None,
    scale: tuple[float, float] = (1.0, 5.0),
) -> tuple[search.State, list[bool]]:
    """A state with just these trips, and of which vehicles they keep all limits of time.

    Parameters
    ----------
    scale
        Horizon and sharpness of the smooth makespan.
    """
    state = empty_state(data, 0)
    state.totals[[columns.HORIZON, columns.SHARPNESS]] = scale
    kinds = kinds or [[FREELY] * len(trips) for trips in routes]
    flat = flatten([[np.array(trip) for trip in trips] for trips in routes])
    kept = np.zeros(len(routes), dtype=np.bool_)
    every = np.array([kind for some in kinds for kind in some], dtype=np.int64)
    put_trips(data, state, *flat, every, kept)
    return state, kept.tolist()


def anew(data: search.Data, state: search.State) -> search.State:
    """A state with the same plan, made from nothing."""
    kinds = [kinds_of(data, state, v) for v in range(len(data.fleet))]
    horizon, sharpness = state.totals[[columns.HORIZON, columns.SHARPNESS]].tolist()
    return forced(data, plan_of(data, state), kinds, (horizon, sharpness))[0]


def same_numbers(data: search.Data, state: search.State, other: search.State) -> None:
    """Whether two states of one plan agree in all that they say of it."""
    n = len(data.stop)
    for v in range(len(data.fleet)):
        one, two = nodes_of(data, state, v), nodes_of(data, other, v)
        np.testing.assert_allclose(
            state.tour[v, : columns.TOURS], other.tour[v, : columns.TOURS], rtol=1e-9, atol=1e-9
        )
        if len(one) == 2:  # of who stays at home nobody asks
            continue
        times = [state.time[one, : columns.TIMES], other.time[two, : columns.TIMES]]
        for part in times:
            # Only where goods are released, and on trips, it is asked how long a trip takes.
            unused = slice(0, None) if not data.releases else [0, -1]
            part[unused, columns.TRIP_SPAN :] = 0.0
        np.testing.assert_array_equal(times[0], times[1])
        for x, y in zip(one, two, strict=True):
            if n <= x < n + len(state.amount):
                half = 1 + data.dimensions
                np.testing.assert_allclose(
                    state.amount[x - n, :half], other.amount[y - n, :half], rtol=1e-9, atol=1e-9
                )


def contents(data: search.Data, state: search.State) -> list[Any]:
    """Every number of a plan; without copies for the undo and what is scratch."""
    n, slots = len(data.stop), len(state.amount)
    node, lists, counters = state.node, state.lists, state.counters
    used = n + np.flatnonzero(node[n : n + slots, TRIP] >= 0)
    open_now = [x for v in range(len(data.fleet)) for x in nodes_of(data, state, v)]
    kept = [columns.FREE, columns.ABSENT, columns.DIRTY_NODES]
    return [
        node[:, [NEXT, PREVIOUS, TRIP, columns.DIRTY, columns.BEST_NEXT]].tolist(),
        node[:n, columns.WHERE].tolist(),
        node[used][:, [OWNER, SIZE]].tolist(),
        node[open_now][:, [KIND, PLACE]].tolist(),
        state.time[:, : columns.TIMES].tolist(),
        state.amount[:, : 1 + data.dimensions].tolist(),
        state.tour[:, : columns.TOURS].tolist(),
        [lists[row, : counters[row]].tolist() for row in kept],
        counters[[*kept, columns.OPEN_TRIPS, columns.LAST_HOME]].tolist(),
        state.totals[[columns.TOTAL, columns.MISSING]].tolist(),
        state.totals[columns.SHARPNESS :].tolist(),
    ]


class Driven(NamedTuple):
    """How a vehicle drives its trips."""

    begins: list[float]
    finish: float
    length: float
    duty: float


class Walk:
    """All vehicles of a problem, each followed stop by stop."""

    def __init__(self, problem: HCVRP) -> None:
        assert isinstance(problem.day, Day)
        self.problem, self.day, self.depot = problem, problem.day, problem.num_tasks
        i, j = np.indices((len(problem.places),) * 2)
        fleet = range(problem.num_vehicles)
        self.hop = [problem.travel.duration(v, i, j).tolist() for v in fleet]
        self.far = [problem.travel.distance(i, j, v).tolist() for v in fleet]
        day, n = self.day, problem.num_tasks
        self.service = [0.0] * n if day.service is None else day.service.tolist()
        self.released = [-math.inf] * n if day.released is None else day.released.tolist()
        self.windows = [[] if day.windows is None else windows_of(day.windows, c) for c in range(n)]
        self.shift = [(0.0, math.inf)] * len(fleet)
        if day.available is not None:
            self.shift = [(float(a), float(b)) for a, b in day.available]
        self.dawn = min(a for a, _ in self.shift)
        limited = day.longest is not None and bool(np.isfinite(day.longest).any())
        self.has_duties = limited or problem.goal == "duration"

    def under_way(self, v: int, trips: Trips) -> bool:
        """Whether the first trip is loaded already."""
        aboard = set(self.day.on_board[v]) if self.day.on_board else set[int]()
        return bool(trips and aboard & set(trips[0]))

    def moments(
        self,
        v: int,
        trips: Trips,
        now: float,
        slack: float,
        held: tuple[int, float] = (-1, 0.0),
    ) -> tuple[list[float], float] | None:
        """When each stop is served and the finish of who begins now; None who is late.

        Parameters
        ----------
        held
            A customer that nobody serves before some moment.
        """
        day, home = self.day, int(self.problem.homes[v])
        place, begins = home, []
        for number, trip in enumerate(trips):
            if number or not self.under_way(v, trips):
                at = self.depot if day.has_depot else home
                now, place = now + self.hop[v][place][at], at
                if day.has_depot:
                    now = max(now, day.opens) + day.loading
                now = max([now, *(self.released[c] for c in trip)])
                if day.has_depot and now > day.closes + slack:
                    return None
            for c in trip:
                now, place = now + self.hop[v][place][c], c
                now = max(now, held[1]) if c == held[0] else now
                some = self.windows[c] or [(-math.inf, math.inf)]
                open_ones = [max(now, a) for a, b in some if now <= b + slack]
                if not open_ones:
                    return None
                begins.append(min(open_ones))
                now = begins[-1] + self.service[c]
        end = int(self.problem.ends[v])
        if end >= 0:
            now += self.hop[v][place][end]
        closes = day.closes if end == self.depot and day.has_depot else math.inf
        return None if now > min(closes, self.shift[v][1]) + slack else (begins, now)

    def drive(self, v: int, trips: Trips, slack: float = CLOSE) -> Driven | None:
        """What becomes of a vehicle's trips; None if it cannot keep to its times.

        Parameters
        ----------
        slack
            By how much limits are wider.
        """
        first, most = self.shift[v][0], self.day.most_trips
        found = self.moments(v, trips, first, slack)
        at_most = math.inf if most is None else float(most[v])
        if found is None or len(trips) > (at_most if self.day.has_depot else min(1.0, at_most)):
            return None
        begins, finish = found
        duty = 0.0
        if self.has_duties:
            duty = finish - self.departure(v, trips, begins, finish, slack)
            longest = math.inf if self.day.longest is None else float(self.day.longest[v])
            if duty > longest + slack:
                return None
        places, home = [int(self.problem.homes[v])], int(self.problem.homes[v])
        for number, trip in enumerate(trips):
            if number or not self.under_way(v, trips):
                places.append(self.depot if self.day.has_depot else home)
            places += trip
        places += [int(self.problem.ends[v])] if self.problem.ends[v] >= 0 else []
        length = sum(self.far[v][i][j] for i, j in pairwise(places))
        return Driven(begins, finish, length, duty)

    def departure(
        self, v: int, trips: Trips, begins: list[float], finish: float, slack: float
    ) -> float:
        """By halving: the last moment from which the vehicle does as well as from the first."""
        good, bad = self.shift[v][0], finish + 1.0
        for _ in range(HALVINGS):
            middle = (good + bad) / 2
            then = self.moments(v, trips, middle, slack)
            fine = then is not None and then[1] <= finish + 1e-9
            if fine and then is not None and self.problem.goal == "arrivals":
                fine = all(a <= b + 1e-9 for a, b in zip(then[0], begins, strict=True))
            good, bad = (middle, bad) if fine else (good, middle)
        return good

    def has_room(self, v: int, trip: list[int]) -> bool:
        """Whether a vehicle can carry what a trip needs, in all dimensions."""
        problem, day = self.problem, self.day
        fits = problem.demand[trip].sum() <= problem.capacity[v] * (1 + 1e-9)
        if day.extra_demand is not None and day.extra_capacity is not None:
            more = day.extra_demand[trip].sum(axis=0)
            fits &= bool((more <= day.extra_capacity[v] * (1 + 1e-9)).all())
        return bool(fits)

    def may_serve(self, v: int, c: int) -> bool:
        """Whether a vehicle is allowed at a customer."""
        return self.day.allowed is None or bool(self.day.allowed[c, v])

    def cost(self, data: search.Data, state: search.State, driven: Driven) -> float:
        """What the search counts a vehicle's day as."""
        way, late = driven.length * data.per_length, (driven.finish - self.dawn) * data.per_time
        if self.problem.goal == "distance":
            return way + TIE * late
        if self.problem.goal == "duration":
            return driven.duty * data.per_time + TIE * (way + late)
        if self.problem.goal == "arrivals":
            arrivals = sum(begin - self.dawn for begin in driven.begins)
            return float(arrivals * data.per_time + TIE * (way + late))
        sharpness, horizon = state.totals[[columns.SHARPNESS, columns.HORIZON]].tolist()
        exponent = sharpness * ((driven.finish - self.dawn) / horizon - 1.0)
        above = max(0.0, exponent - LARGEST_EXPONENT)
        return math.exp(exponent - above) * (1.0 + above) + way / LEGS_A_HORIZON


class Spot(NamedTuple):
    """Where a customer could be served: behind node ``p`` and before ``q``, see ``judge``."""

    p: int
    q: int
    v: int
    t: int
    trips: Trips


def spots_for(data: search.Data, state: search.State, c: int) -> Iterator[Spot]:
    """Every place for a customer that is free to go anywhere, and the vehicle's trips with it."""
    n, slots = len(data.stop), len(state.amount)
    routes = plan_of(data, state)
    for v, trips in enumerate(routes):
        number, at = -1, 0
        for p, q in pairwise(nodes_of(data, state, v)):
            if n <= p < n + slots:
                number, at = number + 1, 0
            elif p < n:
                at += 1
            t = -1 if p >= n + slots else int(state.node[p, TRIP])
            if t >= 0 and state.node[n + t, KIND] == FREELY:
                trip = [*trips[number][:at], c, *trips[number][at:]]
                yield Spot(p, q, v, t, [*trips[:number], trip, *trips[number + 1 :]])
            ends = q >= n + slots or (q >= n and state.node[q, KIND] == FREELY)
            if ends and not n <= p < n + slots and len(trips) < data.fleet[v, given.MOST_TRIPS]:
                yield Spot(p, q, v, -1, [*trips[: number + 1], [c], *trips[number + 1 :]])


@compiled(allocates=True)
def without(data, state, c, v):
    """Take a customer out; whether its vehicle keeps to its times without."""
    begin(state)
    unlink(data, state, c)
    push(state, REMOVED, c)
    kept = refresh(data, state, v)
    settle(data, state, v)
    return kept


@st.composite
def states_with_somebody_out(draw: Any, **options: Any) -> Any:
    """A problem, a state with a plan for it that can be driven, and a customer that it lacks."""
    problem = draw(days_by_goal(**options))
    data, state = at_random(problem, draw(st.integers(0, 99)))
    free = np.flatnonzero(data.task[:-1, given.CARRIER] < 0).tolist()
    assume(free)
    c = draw(st.sampled_from(free))
    if state.node[c, TRIP] >= 0:
        routes = plan_of(data, state)
        (v,) = (v for v, trips in enumerate(routes) if any(c in trip for trip in trips))
        # Where roads make a detour of the way, others may be late without it.
        assume(without(data, state, c, v))
    return problem, data, state, c


def close_to(one: float, true: float, way: float, late: float) -> bool:
    """Whether a cost is the true one, but for what breaks ties."""
    return abs(one - true) <= TIE * (way + late) + 1e-6 * max(1.0, abs(true))
