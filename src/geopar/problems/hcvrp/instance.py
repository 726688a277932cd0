"""The min-max heterogeneous capacitated vehicle routing problem: one instance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from geopar.errors import Faults
from geopar.problems import validation
from geopar.problems.base import RoutingProblem, joined
from geopar.problems.day import Day, Goal
from geopar.problems.geography import to_plane
from geopar.problems.selection import indices_of
from geopar.problems.travel import Ints
from geopar.problems.validation import (
    LARGEST_NUMBER,
    SMALLEST_POSITIVE,
    Column,
    Coordinates,
    Details,
    Floats,
)


@dataclass(frozen=True, eq=False, init=False, repr=False)
class HCVRP(RoutingProblem):
    """One depot, customers with demands, vehicles with their own capacity and speed.

    Every customer is served once. A vehicle may make several trips; the load of a trip is at most
    its capacity. The objective is the makespan (paper, Eqs. 14 and 15): the moment at which the
    last vehicle is home.

    Parameters
    ----------
    depot
        ``(x, y)``, or ``(lon, lat)`` in degrees.
    customers
        ``N`` rows like ``depot``.
    demand
        ``N`` loads, zero or more.
    capacity
        ``M`` capacities, more than zero.
    speed
        ``M`` speeds, more than zero: distance per time, or km/h with ``lonlat``.
    customer_ids, vehicle_ids
        The user's own names, as text; numbered from one when left out.
    coordinates
        ``"plane"``, or ``"lonlat"``: then distances are kilometres and times hours.
    name
        A title for pictures and tables.
    day
        Road times, service, shifts, windows and the like; none of them when left out.
    details, vehicle_details, depot_details
        What drivers are told, by name: a text for each task (phone, address, note), for each
        vehicle, and of the depot. Planning takes no notice of it.
    load_names
        What the dimensions of load are called: ``("parcels",)``, ``("kg", "m3")``.

    Raises
    ------
    geopar.errors.InputError
        With every fault found.
    """

    kind: ClassVar[Literal["hcvrp"]] = "hcvrp"
    named = "customer"
    comes_home = True

    depot: Floats
    customers: Floats
    demand: Floats
    capacity: Floats
    speed: Floats
    customer_ids: tuple[str, ...]
    vehicle_ids: tuple[str, ...]
    coordinates: Coordinates
    name: str
    day: Day | None
    details: Details
    vehicle_details: Details
    depot_details: Mapping[str, str]
    load_names: tuple[str, ...]

    def __init__(
        self,
        depot: ArrayLike,
        customers: ArrayLike,
        demand: ArrayLike,
        capacity: ArrayLike,
        speed: ArrayLike,
        customer_ids: Sequence[str | int] | None = None,
        vehicle_ids: Sequence[str | int] | None = None,
        coordinates: Coordinates = "plane",
        name: str = "",
        day: Day | None = None,
        details: Mapping[str, Sequence[str]] | None = None,
        vehicle_details: Mapping[str, Sequence[str]] | None = None,
        depot_details: Mapping[str, str] | None = None,
        load_names: Sequence[str] = (),
    ) -> None:
        faults = Faults()
        validation.set_fields(
            self,
            depot=validation.as_point(faults, "depot", depot),
            customers=validation.as_floats(faults, "customers", customers, 2),
            demand=validation.as_floats(faults, "demand", demand),
            capacity=validation.as_floats(faults, "capacity", capacity),
            speed=validation.as_floats(faults, "speed", speed),
            coordinates=coordinates,
            name=name,
            day=day,
        )
        faults.raise_if_any()
        n, m = self.num_tasks, self.num_vehicles
        validation.check_count(faults, "customers", n, validation.MOST_TASKS)
        validation.check_count(faults, "vehicles", m, validation.MOST_VEHICLES)
        validation.check_same_length(faults, "demand", len(self.demand), "customers", n)
        validation.check_same_length(faults, "speed", len(self.speed), "capacity", m)
        faults.raise_if_any()
        validation.set_fields(
            self,
            customer_ids=validation.clean_ids(faults, "customer ids", customer_ids, n, "c"),
            vehicle_ids=validation.clean_ids(faults, "vehicle ids", vehicle_ids, m, "v"),
            depot_details={
                str(name): str(text) for name, text in (depot_details or {}).items() if text
            },
        )
        self._complete(faults, details, vehicle_details, load_names)

    def _check_values(self, faults: Faults) -> None:
        customers, vehicles = self.customer_ids, self.vehicle_ids
        validation.check_coordinates(faults, self.coordinates, "depot", None, self.depot[None])
        validation.check_coordinates(
            faults, self.coordinates, "customer", customers, self.customers
        )
        demand = Column("customer", "demand", customers, self.demand)
        for column, low in (
            (demand, 0.0),
            (Column("vehicle", "capacity", vehicles, self.capacity), SMALLEST_POSITIVE),
            (Column("vehicle", "speed", vehicles, self.speed), SMALLEST_POSITIVE),
        ):
            validation.check_range(faults, column, low, LARGEST_NUMBER)
        largest = np.fmax.reduce(self.capacity)  # past NaN, which is told above
        for row in np.flatnonzero((self.demand > largest) & np.isfinite(self.demand)).tolist():
            most = f"is more than any vehicle can carry; the largest capacity is {largest:g}."
            hint = "Split the customer, or add a larger vehicle."
            demand.add("demand-over-capacity", faults, row, most, hint)

    @property
    def num_tasks(self) -> int:
        """N: how many customers."""
        return len(self.customers)

    @cached_property
    def depot_xy(self) -> Floats:
        """The depot in the plane in which distances are measured."""
        if self.coordinates == "plane":
            return self.depot
        return validation.read_only(np.zeros(2))

    @cached_property
    def customers_xy(self) -> Floats:
        """The customers in the plane in which distances are measured."""
        if self.coordinates == "plane":
            return self.customers
        return to_plane(self.customers, self.depot)

    @property
    def places(self) -> Floats:
        """The customers, the depot, then own starts and ends of vehicles, as the user gave them."""
        return joined(self.customers, self.depot[None], self._own_places[0])

    @cached_property
    def places_xy(self) -> Floats:
        """As :attr:`places`, in the plane."""
        own = self._own_places[0]
        if self.coordinates == "lonlat":
            own = to_plane(own, self.depot)
        return joined(self.customers_xy, self.depot_xy[None], own)

    @property
    def homes(self) -> Ints:
        """Where each vehicle begins: the depot, or its own start."""
        return self._own_places[1]

    @property
    def ends(self) -> Ints:
        """Where each vehicle ends: the depot, its own end, or -1 where its last stop is."""
        return self._own_places[2]

    @cached_property
    def _own_places(self) -> tuple[Floats, Ints, Ints]:
        """Places behind the depot, and the numbers of each vehicle's start and end."""
        depot = self.num_tasks
        homes = np.full(self.num_vehicles, depot, dtype=np.int64)
        ends, own = homes.copy(), list[Floats]()
        day = Day() if self.day is None else self.day
        both = ((homes, day.start), (ends, day.end))
        for v in range(self.num_vehicles) if day.start is not None or day.end is not None else ():
            for numbers, given in both:
                place = None if given is None else given[v]
                if place is None or np.isnan(place).any():
                    continue
                if np.isinf(place).any():
                    numbers[v] = -1
                else:
                    own.append(place)
                    numbers[v] = depot + len(own)
        return np.reshape(own, (-1, 2)), homes, ends

    @property
    def matrix_rows(self) -> Ints:
        """The depot comes first in matrices."""
        rows = np.arange(1, len(self.places) + 1)
        rows[self.num_tasks] = 0
        rows[self.num_tasks + 1 :] -= 1
        return rows

    @property
    def speeds(self) -> Floats:
        """Distance per time, of each vehicle."""
        return self.speed / self._time_scale

    @property
    def goal(self) -> Goal:
        """The makespan, unless the day says otherwise."""
        return (self.day and self.day.minimise) or "makespan"

    @property
    def request_ids(self) -> tuple[str, ...]:
        """The customers."""
        return self.customer_ids

    @property
    def task_ids(self) -> tuple[str, ...]:
        """The tasks, in the order of their indices."""
        return self.customer_ids

    def on_board(self, trip: Ints) -> Floats:
        """What is still to be delivered after each customer of a trip."""
        # Summed from the end of the trip, where nothing is left.
        return np.append(np.cumsum(self.demand[trip[:0:-1]])[::-1], 0.0)

    def load_of(self, trips: Sequence[Ints]) -> float:
        """All that a vehicle carries."""
        return float(sum(self.demand[trip].sum() for trip in trips))

    def details_of_depot(self) -> dict[str, str]:
        """What drivers are told of the depot, by name."""
        return dict(self.depot_details)

    def totals(self) -> dict[str, float]:
        """What there is to do, in a few numbers by name."""
        return {"total_demand": float(self.demand.sum())}

    def select(self, customers: Iterable[Any], vehicles: Iterable[Any]) -> HCVRP:
        """The sub-instance of these customers and vehicles, by id or index, in that order."""
        customers = indices_of(customers, self.customer_ids, "customer")
        vehicles = indices_of(vehicles, self.vehicle_ids, "vehicle")
        day = self.day
        if day is not None:
            tasks, fleet = np.asarray(customers), np.asarray(vehicles)
            own = [p for v in fleet for p in (self.homes[v], self.ends[v]) if p > self.num_tasks]
            rows = np.array([0, *(tasks + 1), *own], dtype=np.int64)
            day = day.select(tasks, tasks, fleet, rows)
        return self.replace(
            day=day,
            details=validation.selected_details(self.details, customers),
            vehicle_details=validation.selected_details(self.vehicle_details, vehicles),
            customers=self.customers[customers],
            demand=self.demand[customers],
            customer_ids=tuple(self.customer_ids[i] for i in customers),
            capacity=self.capacity[vehicles],
            speed=self.speed[vehicles],
            vehicle_ids=tuple(self.vehicle_ids[i] for i in vehicles),
        )
