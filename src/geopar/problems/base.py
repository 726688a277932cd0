"""What all problems have in common: equality by value, changed copies, places, travel."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from geopar.errors import Faults
from geopar.problems import validation
from geopar.problems.day import PER_HOUR, Day, Goal, Things
from geopar.problems.kinds import PROBLEM_KINDS
from geopar.problems.tasks import Task
from geopar.problems.travel import Floats, Ints, Matrices, StraightLines, Travel
from geopar.problems.validation import Coordinates, Details, read_only


class RoutingProblem(ABC):
    """One instance of some problem: a frozen dataclass that is validated as it is made.

    Attributes
    ----------
    named
        What the user names besides vehicles: ``"customer"`` or ``"order"``.
    comes_home
        Whether vehicles come home, and so may make several trips.
    """

    kind: ClassVar[Any]
    named: ClassVar[str]
    comes_home: ClassVar[bool]

    capacity: Floats
    vehicle_ids: tuple[str, ...]
    coordinates: Coordinates
    name: str
    day: Day | None
    details: Details
    vehicle_details: Details
    load_names: tuple[str, ...]

    @property
    def num_vehicles(self) -> int:
        """M: how many vehicles."""
        return len(self.capacity)

    @property
    @abstractmethod
    def num_tasks(self) -> int:
        """N: how many tasks."""

    @property
    @abstractmethod
    def task_ids(self) -> tuple[Task, ...]:
        """The tasks, in the order of their indices."""

    @property
    @abstractmethod
    def places(self) -> Floats:
        """Every place as the user gave it: the tasks, then where vehicles begin."""

    @property
    @abstractmethod
    def places_xy(self) -> Floats:
        """Every place in the plane in which distances are measured."""

    @property
    @abstractmethod
    def homes(self) -> Ints:
        """The number of the place at which each vehicle begins."""

    @property
    @abstractmethod
    def ends(self) -> Ints:
        """The number of the place at which each vehicle ends; -1 where its last stop is."""

    @property
    @abstractmethod
    def speeds(self) -> Floats:
        """Distance per time, of each vehicle."""

    @property
    @abstractmethod
    def request_ids(self) -> tuple[str, ...]:
        """What is served or left out as a whole: customers or orders."""

    @property
    @abstractmethod
    def goal(self) -> Goal:
        """What is minimised."""

    @property
    def time_unit(self) -> str:
        """In which times are told; empty where nobody knows."""
        day = self.day
        if day is None or not {"time_unit", "clock", "speed", "matrices"} & set(day.parts):
            return PROBLEM_KINDS[self.kind].unit if self.coordinates == "lonlat" else ""
        return {"hours": "h", "minutes": "min", "seconds": "s"}[day.time_unit]

    @property
    def goal_unit(self) -> str:
        """In which the objective is told; empty where nobody knows."""
        if self.goal != "distance":
            return self.time_unit
        by_road = self.day is not None and self.day.matrices is not None
        return "km" if self.coordinates == "lonlat" and not by_road else ""

    @property
    def goal_name(self) -> str:
        """What is minimised, in words."""
        return {"arrivals": "sum of arrivals"}.get(self.goal, self.goal)

    @property
    def goal_words(self) -> str:
        """The name of the goal, and what it means to a dispatcher where the name does not say."""
        meant = {"makespan": "all home after", "duration": "time on duty"}.get(self.goal)
        return self.goal_name if meant is None else f"{self.goal_name}: {meant}"

    @property
    @abstractmethod
    def matrix_rows(self) -> Ints:
        """The row of each place in the matrices of a day."""

    @abstractmethod
    def on_board(self, trip: Ints) -> Floats:
        """What a vehicle has on board after each stop of a trip."""

    @abstractmethod
    def load_of(self, trips: Sequence[Ints]) -> float:
        """What a vehicle carries: all of it (HCVRP), or the most at once (OMDCPDP)."""

    @abstractmethod
    def totals(self) -> dict[str, float]:
        """What there is to do, in a few numbers by name."""

    @cached_property
    def travel(self) -> Travel:
        """How far it is from place to place."""
        day = self.day
        if day is None or day.matrices is None:
            return StraightLines(self.places_xy, self.speeds)
        names = list(day.matrices)
        profile = [names.index(p) for p in day.profile or names * self.num_vehicles]
        return Matrices(
            list(day.matrices.values()), np.array(profile), self.speeds, self.matrix_rows
        )

    @property
    def _time_scale(self) -> float:
        """How many units of time of the day an hour has, where speeds are per hour."""
        if self.day is None or self.coordinates == "plane" or self.day.matrices is not None:
            return 1.0
        return PER_HOUR[self.day.time_unit]

    def _complete(
        self,
        faults: Faults,
        details: Mapping[str, Sequence[str]] | None,
        vehicle_details: Mapping[str, Sequence[str]] | None,
        load_names: Sequence[str],
    ) -> None:
        """Set what is told besides, and check all values: the last step of making a problem."""
        told, count = "vehicle details", self.num_vehicles
        validation.set_fields(
            self,
            details=validation.as_details(faults, "details", details, self.num_tasks),
            vehicle_details=validation.as_details(faults, told, vehicle_details, count),
            load_names=tuple(map(str, load_names)),
        )
        self._check_values(faults)
        self._check_day(faults)
        self._check_load_names(faults)
        faults.raise_if_any()

    @abstractmethod
    def _check_values(self, faults: Faults) -> None:
        """Places, loads, capacities and what else the problem has of its own."""

    def _check_day(self, faults: Faults) -> None:
        if self.day is not None:
            places = len(self.places)
            ids = self.request_ids, self.vehicle_ids
            self.day.check(faults, Things(self.named, *ids, self.num_tasks, places))

    def _check_load_names(self, faults: Faults) -> None:
        """None, or one for each dimension of load."""
        more = None if self.day is None else self.day.extra_capacity
        count = 1 if more is None or more.ndim != 2 else 1 + more.shape[1]
        if self.load_names and len(self.load_names) != count:
            what = f"names, but loads have {count} {'dimension' if count == 1 else 'dimensions'}."
            hint = "Give each dimension one, or leave them out."
            faults.add("wrong-length", "loads", len(self.load_names), what, hint)
        for row, name in enumerate(self.load_names):
            if not name.strip():
                faults.add("empty-id", f"loads[{row}]", name, "is empty.", "Give it a name.")

    @property
    def first_start(self) -> float:
        """The moment from which a day counts: when the first vehicle is available."""
        if self.day is None or self.day.available is None:
            return 0.0
        return float(self.day.available[:, 0].min())

    @property
    def has_straight_lines(self) -> bool:
        """Whether distances are straight lines, as networks need them."""
        return self.travel.is_straight

    def details_of(self, task: int) -> dict[str, str]:
        """What drivers are told of a task, by name, where there is anything to tell."""
        return {name: texts[task] for name, texts in self.details.items() if texts[task]}

    def details_of_vehicle(self, vehicle: int) -> dict[str, str]:
        """What is told of a vehicle, by name, where there is anything to tell."""
        told = self.vehicle_details.items()
        return {name: texts[vehicle] for name, texts in told if texts[vehicle]}

    def details_of_depot(self) -> dict[str, str]:
        """What drivers are told of the depot, by name, where there is one and anything to tell."""
        return {}

    @cached_property
    def tasks_xy(self) -> Floats:
        """The tasks in the plane in which distances are measured."""
        return self.places_xy[: self.num_tasks]

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and all(
            np.array_equal(value, getattr(other, name)) for name, value in self._fields().items()
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        title = f" {self.name!r}" if self.name else ""
        count = len(self.request_ids)
        kind = type(self).__name__
        return f"<{kind}{title}: {count} {self.named}s, {self.num_vehicles} vehicles>"

    def _repr_html_(self) -> str:
        from geopar.problems.shown import problem_html

        return problem_html(self)

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed, validated anew."""
        return type(self)(**(self._fields() | changes))

    def minimising(self, goal: Goal | None) -> Self:
        """The same problem with that goal, such as the one that a plan was made for.

        None, of a plan that names none, leaves the problem as it is.
        """
        if goal is None or goal == self.goal:
            return self
        return self.replace(day=(self.day or Day()).replace(minimise=goal))

    def _fields(self) -> dict[str, Any]:
        names = dataclasses.fields(self)  # type: ignore[arg-type]  # every problem is a dataclass
        return {field.name: getattr(self, field.name) for field in names}


def joined(*parts: Floats) -> Floats:
    """Rows of places after each other."""
    return read_only(np.concatenate(parts))
