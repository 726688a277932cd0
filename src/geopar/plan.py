"""A plan: who serves what, in which order, by the user's own ids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from geopar.errors import MissingExtraError
from geopar.markup import tables
from geopar.problems import Problem
from geopar.problems.day import Goal
from geopar.problems.kinds import Kind
from geopar.problems.tasks import Stop, Task

if TYPE_CHECKING:
    from pandas import DataFrame

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Route:
    """What one vehicle does.

    Parameters
    ----------
    vehicle
        Its id.
    trips
        HCVRP: customer ids, one tuple per trip from the depot and back. OMDCPDP: one tuple of
        stops (or none, when the vehicle stays where it is).
    """

    vehicle: str
    trips: tuple[tuple[Task, ...], ...]

    @property
    def tasks(self) -> tuple[Task, ...]:
        """All tasks, trip after trip."""
        return tuple(task for trip in self.trips for task in trip)


class LeftOut(NamedTuple):
    """A request that nobody serves.

    Parameters
    ----------
    request
        Its id.
    reason
        In words.
    fits_alone
        Whether some vehicle could serve it if it did nothing else; None where that was not tried.
    """

    request: str
    reason: str
    fits_alone: bool | None

    def __str__(self) -> str:
        return f"{self.request}: {self.reason}"


class Numbers(NamedTuple):
    """Who serves what by the numbers of a problem, trips in the order of their vehicles.

    As :func:`flatten` has them: trip ``t`` of ``vehicle[t]`` is ``tasks[bounds[t]:bounds[t + 1]]``.
    None is empty.
    """

    problem: Problem
    tasks: Indices
    bounds: Indices
    vehicle: Indices

    def named(self) -> tuple[Route, ...]:
        """A route for each vehicle of the problem, by its ids."""
        ids = self.problem.task_ids
        names = tuple(ids[i] for i in self.tasks.tolist())
        trips = tuple(names[i:j] for i, j in pairwise(self.bounds.tolist()))
        ends = np.searchsorted(self.vehicle, np.arange(self.problem.num_vehicles + 1)).tolist()
        return tuple(
            Route(vehicle, trips[i:j])
            for vehicle, (i, j) in zip(self.problem.vehicle_ids, pairwise(ends), strict=True)
        )


def _named(plan: Plan) -> tuple[Route, ...]:
    """The routes of a plan, which a solver has made by numbers."""
    if plan._routes is None:
        assert plan._numbers is not None
        object.__setattr__(plan, "_routes", plan._numbers.named())
    assert plan._routes is not None
    return plan._routes


@dataclass(frozen=True, init=False, repr=False)
class Plan:
    """Routes for the vehicles of one problem.

    Parameters
    ----------
    kind
        Of which problem: a name of :data:`geopar.problems.kinds.KINDS`.
    routes
        At most one per vehicle; a vehicle without a route does nothing.
    objective
        What its maker claims it costs, if anything; :func:`geopar.check` recomputes it.
    minimise
        The goal that the objective is told of, and that the plan was made for; None for that of
        the problem.
    left_out
        Whom its maker says that it does not serve, and why; working days only.
    """

    kind: Kind
    # A solver's plan is made by numbers, and its routes are named when somebody looks at them: of a
    # million tasks that takes longer than all else that comes after a run.
    routes: tuple[Route, ...] = cast(Any, property(_named))
    objective: float | None = None
    minimise: Goal | None = None
    left_out: tuple[LeftOut, ...] = ()
    if TYPE_CHECKING:
        # Of an instance; no fields.
        _routes: ClassVar[tuple[Route, ...] | None]
        _numbers: ClassVar[Numbers | None]

    def __init__(
        self,
        kind: Kind,
        routes: tuple[Route, ...],
        objective: float | None = None,
        minimise: Goal | None = None,
        left_out: tuple[LeftOut, ...] = (),
    ) -> None:
        self._keep(kind, routes, None, objective, minimise, left_out)

    def _keep(
        self,
        kind: Kind,
        routes: tuple[Route, ...] | None,
        numbers: Numbers | None,
        objective: float | None,
        minimise: Goal | None = None,
        left_out: tuple[LeftOut, ...] = (),
    ) -> None:
        values = {
            "kind": kind, "_routes": routes, "_numbers": numbers, "objective": objective,
            "minimise": minimise, "left_out": left_out,
        }  # fmt: skip
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[type[Plan], tuple[Any, ...]]:
        # By name: the problem stays behind.
        return Plan, (self.kind, self.routes, self.objective, self.minimise, self.left_out)

    def numbers(self, problem: Problem) -> Numbers | None:
        """The numbers that it was made of, if they are those of this problem."""
        numbers = self._numbers
        return numbers if numbers is not None and numbers.problem is problem else None

    def without_claim(self) -> Plan:
        """The same routes, whatever is said of them."""
        return self.with_objective(None)

    def __repr__(self) -> str:
        trips = [trip for route in self.routes for trip in route.trips]
        cost = "" if self.objective is None else f", {self.objective:g}"
        busy = sum(any(route.trips) for route in self.routes)
        tasks = sum(map(len, trips))
        return f"<Plan for {self.kind}: {tasks} tasks, {len(trips)} trips, {busy} vehicles{cost}>"

    def _repr_html_(self) -> str:
        rows = [
            (route.vehicle if number == 1 else "", str(number), " → ".join(map(str, trip)))
            for route in self.routes
            for number, trip in enumerate(route.trips, 1)
        ]
        return tables.block(repr(self)[1:-1], tables.table(("vehicle", "trip", "stops"), rows))

    @classmethod
    def from_indices(
        cls,
        problem: Problem,
        routes: Iterable[Iterable[Sequence[int] | NDArray[Any]]],
        objective: float | None = None,
    ) -> Plan:
        """From task indices: for each vehicle its trips, for each trip its tasks. No empty trips.

        OMDCPDP has one trip per vehicle.
        """
        trips = [list(route) for route in routes]
        if len(trips) != problem.num_vehicles:
            raise ValueError(f"{len(trips)} routes for {problem.num_vehicles} vehicles")
        return cls.from_flat(problem, *flatten(trips), objective)

    @classmethod
    def from_flat(
        cls,
        problem: Problem,
        tasks: Indices,
        bounds: Indices,
        vehicle: Indices,
        objective: float | None = None,
    ) -> Plan:
        """The same from flat arrays, as :func:`flatten` makes them."""
        numbers = Numbers(problem, tasks, bounds, vehicle)
        if not 0 <= tasks.min(initial=0) <= tasks.max(initial=0) < problem.num_tasks:
            # Negative ones count from the end, as ever: a mistake that the checker is to see.
            return cls(problem.kind, numbers.named(), objective)
        plan = cls.__new__(cls)
        plan._keep(problem.kind, None, numbers, objective)
        return plan

    def to_indices(self, problem: Problem) -> list[list[Indices]]:
        """Task indices for each vehicle of the problem, in the problem's order.

        Raises
        ------
        KeyError
            For an id that the problem does not have: check the plan first.
        """
        numbers = self.numbers(problem)
        if numbers is not None:
            # A copy: who asks may write into it.
            trips = numbers.tasks.copy(), numbers.bounds, numbers.vehicle
            return unflatten(*trips, problem.num_vehicles)
        task_index = {task: i for i, task in enumerate(problem.task_ids)}
        vehicle_index = {vehicle: i for i, vehicle in enumerate(problem.vehicle_ids)}
        routes: list[list[Indices]] = [[] for _ in range(problem.num_vehicles)]
        for route in self.routes:
            routes[vehicle_index[route.vehicle]].extend(
                np.array([task_index[task] for task in trip], dtype=np.int64)
                for trip in route.trips
                if trip
            )
        return routes

    def known_indices(self, problem: Problem) -> list[list[Indices]]:
        """As :meth:`to_indices` for any plan: what the problem does not have is left out.

        Where vehicles do not come home, trips of one vehicle are joined.
        """
        try:
            known = self.to_indices(problem)
        except KeyError:
            tasks, vehicles = set(problem.task_ids), set(problem.vehicle_ids)
            routes = tuple(
                Route(r.vehicle, tuple(tuple(t for t in trip if t in tasks) for trip in r.trips))
                for r in self.routes
                if r.vehicle in vehicles
            )
            known = Plan(self.kind, routes).to_indices(problem)
        if problem.comes_home:
            return known
        return [[np.concatenate(trips)] if trips else [] for trips in known]

    def to_pandas(self) -> DataFrame:
        """Who serves what in which order, a row for each stop.

        With times: :meth:`geopar.Result.to_pandas`, or for a plan from elsewhere
        :func:`geopar.files.data_frames.schedule_to_pandas`.

        Raises
        ------
        geopar.errors.MissingExtraError
            Without pandas.
        """
        columns = ("vehicle", "trip", "position", "stop", "action")
        rows = []
        for route in self.routes:
            for number, trip in enumerate(route.trips, 1):
                for position, task in enumerate(trip, 1):
                    stop = (task.order, task.action) if isinstance(task, Stop) else (task, "serve")
                    values = (route.vehicle, number, position, *stop)
                    rows.append(dict(zip(columns, values, strict=True)))
        return frame_of(rows, columns)

    def with_objective(
        self,
        objective: float | None,
        minimise: Goal | None = None,
        left_out: tuple[LeftOut, ...] = (),
    ) -> Plan:
        """The same routes with other claims, or none."""
        plan = Plan.__new__(Plan)
        plan._keep(self.kind, self._routes, self._numbers, objective, minimise, left_out)
        return plan


def frame_of(rows: list[dict[str, Any]], columns: Sequence[str]) -> DataFrame:
    """Rows as a data frame, with these columns at least: one without rows has them too.

    Raises
    ------
    geopar.errors.MissingExtraError
        Without pandas.
    """
    try:
        from pandas import DataFrame
    except ImportError:
        raise MissingExtraError("A data frame", "pandas") from None
    return DataFrame(rows, columns=None if rows else list(columns))


def ways(problem: Problem, vehicle: int, trips: Sequence[Indices]) -> list[Indices]:
    """The places that each trip of a vehicle passes, from where it begins to where it ends.

    What couriers have on board already is not fetched any more: it is where they begin.
    """
    day, depot = problem.day, problem.num_tasks
    home, end = int(problem.homes[vehicle]), int(problem.ends[vehicle])
    by_depot = problem.comes_home and (day is None or day.has_depot)
    under_way = day is not None and day.on_board is not None and len(day.on_board[vehicle]) > 0
    found = []
    for number, trip in enumerate(trips):
        first = [home] if number == 0 else [depot]
        if number == 0 and by_depot and home != depot and not under_way:
            first.append(depot)
        if number < len(trips) - 1:
            last = [depot] if by_depot else []
        else:
            last = [end] if end >= 0 else []
        stops = trip.tolist()
        if under_way and not problem.comes_home:
            assert day is not None
            assert day.on_board is not None
            stops = [home if task in day.on_board[vehicle] else task for task in stops]
        found.append(np.array([*first, *stops, *last], dtype=np.int64))
    return found


def flatten(
    routes: Sequence[Sequence[Sequence[int] | NDArray[Any]]],
) -> tuple[Indices, Indices, Indices]:
    """Trips of all vehicles as flat arrays, the form that compiled code takes.

    Returns
    -------
    tasks
        All task indices, trip after trip.
    bounds
        Trip ``t`` is ``tasks[bounds[t]:bounds[t + 1]]``.
    vehicle
        The vehicle of each trip.
    """
    trips = [(v, trip) for v, trips in enumerate(routes) for trip in trips if len(trip)]
    lengths = np.array([len(trip) for _, trip in trips], dtype=np.int64)
    tasks = np.concatenate([trip for _, trip in trips]) if trips else np.zeros(0, dtype=np.int64)
    bounds = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
    return (
        tasks.astype(np.int64, copy=False),
        bounds,
        np.array([v for v, _ in trips], dtype=np.int64),
    )


def unflatten(
    tasks: Indices, bounds: Indices, vehicle: Indices, num_vehicles: int
) -> list[list[Indices]]:
    """The inverse of :func:`flatten`."""
    routes: list[list[Indices]] = [[] for _ in range(num_vehicles)]
    ends = bounds.tolist()
    for trip, v in enumerate(vehicle.tolist()):
        routes[v].append(tasks[ends[trip] : ends[trip + 1]])
    return routes
