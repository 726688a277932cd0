"""The min-max heterogeneous capacitated vehicle routing problem: one instance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from geopar.errors import Faults
from geopar.problems import validation
from geopar.problems.geography import to_plane
from geopar.problems.validation import LARGEST_NUMBER, SMALLEST_POSITIVE, Coordinates, Floats


@dataclass(frozen=True, eq=False, init=False, repr=False)
class HCVRP:
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

    Raises
    ------
    geopar.errors.InputError
        With every fault found.
    """

    kind: ClassVar[Literal["hcvrp"]] = "hcvrp"

    depot: Floats
    customers: Floats
    demand: Floats
    capacity: Floats
    speed: Floats
    customer_ids: tuple[str, ...]
    vehicle_ids: tuple[str, ...]
    coordinates: Coordinates
    name: str

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
        )
        self._check_values(faults)
        faults.raise_if_any()

    def _check_values(self, faults: Faults) -> None:
        for label, ids, points in (
            ("{}", ("depot",), self.depot[None]),
            ("customer {}", self.customer_ids, self.customers),
        ):
            validation.check_coordinates(faults, self.coordinates, label, ids, points)
        for label, ids, values, low in (
            ("customer {} demand", self.customer_ids, self.demand, 0.0),
            ("vehicle {} capacity", self.vehicle_ids, self.capacity, SMALLEST_POSITIVE),
            ("vehicle {} speed", self.vehicle_ids, self.speed, SMALLEST_POSITIVE),
        ):
            validation.check_range(faults, label, ids, values, low, LARGEST_NUMBER)
        largest = np.fmax.reduce(self.capacity)  # past NaN, which is told above
        for row in np.flatnonzero((self.demand > largest) & np.isfinite(self.demand)):
            faults.add(
                "demand-over-capacity",
                f"customer {validation.id_at(self.customer_ids, int(row))} demand",
                self.demand[row],
                f"is more than any vehicle can carry; the largest capacity is {largest:g}.",
                "Split the customer, or add a larger vehicle.",
            )

    @property
    def num_tasks(self) -> int:
        """N: how many customers."""
        return len(self.customers)

    @property
    def num_vehicles(self) -> int:
        """M: how many vehicles."""
        return len(self.capacity)

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
    def task_ids(self) -> tuple[str, ...]:
        """The tasks, in the order of their indices."""
        return self.customer_ids

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HCVRP) and validation.same_fields(self, other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        title = f" {self.name!r}" if self.name else ""
        return f"<HCVRP{title}: {self.num_tasks} customers, {self.num_vehicles} vehicles>"

    def replace(self, **changes: Any) -> HCVRP:
        """A copy with some fields changed, validated anew."""
        return validation.replaced(self, changes)

    def select(self, customers: Sequence[int] | Any, vehicles: Sequence[int] | Any) -> HCVRP:
        """The sub-instance of these customers and vehicles, by index, in that order."""
        return self.replace(
            customers=self.customers[customers],
            demand=self.demand[customers],
            customer_ids=tuple(self.customer_ids[i] for i in customers),
            capacity=self.capacity[vehicles],
            speed=self.speed[vehicles],
            vehicle_ids=tuple(self.vehicle_ids[i] for i in vehicles),
        )
