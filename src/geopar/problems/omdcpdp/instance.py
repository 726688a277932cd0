"""The open multi-depot capacitated pickup and delivery problem: one instance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from geopar.errors import Faults
from geopar.problems import geography, validation
from geopar.problems.base import RoutingProblem, joined
from geopar.problems.day import Day, Goal
from geopar.problems.selection import indices_of
from geopar.problems.tasks import Stop
from geopar.problems.travel import Ints
from geopar.problems.validation import LARGEST_NUMBER, Column, Coordinates, Details, Floats


@dataclass(frozen=True, eq=False, init=False, repr=False)
class OMDCPDP(RoutingProblem):
    """Orders from a pickup to a delivery; vehicles with their own start and room for a few orders.

    Both ends of an order are served by one vehicle, pickup first, with at most ``capacity`` orders
    on board at any time. Routes are open: a vehicle stays where its last stop was. The objective
    is the sum of the delivery arrival times (paper, Eq. 16), at one distance per time.

    Tasks are numbered with all pickups first: order ``k`` has the tasks ``k`` and ``N/2 + k``.

    Parameters
    ----------
    pickups, deliveries
        ``N/2`` rows each of ``(x, y)``, or ``(lon, lat)`` in degrees; row ``k`` is order ``k``.
    starts
        ``M`` rows: where each vehicle begins.
    capacity
        ``M`` whole numbers: orders on board at once, at least one.
    order_ids, vehicle_ids
        The user's own names, as text; numbered from one when left out.
    coordinates
        ``"plane"``, or ``"lonlat"``: then distances are kilometres.
    name
        A title for pictures and tables.
    day
        Road times, service, shifts, windows and the like; none of them when left out.
    details, vehicle_details
        What drivers are told, by name: a text for each task (phone, address, note), and for each
        vehicle. Planning takes no notice of it.
    load_names
        What the dimensions of size are called: ``("kg", "m3")``.

    Raises
    ------
    geopar.errors.InputError
        With every fault found.
    """

    kind: ClassVar[Literal["omdcpdp"]] = "omdcpdp"
    named = "order"
    comes_home = False

    pickups: Floats
    deliveries: Floats
    starts: Floats
    capacity: Floats
    order_ids: tuple[str, ...]
    vehicle_ids: tuple[str, ...]
    coordinates: Coordinates
    name: str
    day: Day | None
    details: Details
    vehicle_details: Details
    load_names: tuple[str, ...]

    def __init__(
        self,
        pickups: ArrayLike,
        deliveries: ArrayLike,
        starts: ArrayLike,
        capacity: ArrayLike,
        order_ids: Sequence[str | int] | None = None,
        vehicle_ids: Sequence[str | int] | None = None,
        coordinates: Coordinates = "plane",
        name: str = "",
        day: Day | None = None,
        details: Mapping[str, Sequence[str]] | None = None,
        vehicle_details: Mapping[str, Sequence[str]] | None = None,
        load_names: Sequence[str] = (),
    ) -> None:
        faults = Faults()
        validation.set_fields(
            self,
            pickups=validation.as_floats(faults, "pickups", pickups, 2),
            deliveries=validation.as_floats(faults, "deliveries", deliveries, 2),
            starts=validation.as_floats(faults, "starts", starts, 2),
            capacity=validation.as_floats(faults, "capacity", capacity),
            coordinates=coordinates,
            name=name,
            day=day,
        )
        faults.raise_if_any()
        orders, m = self.num_orders, len(self.starts)
        validation.check_count(faults, "orders", orders, validation.MOST_TASKS // 2)
        validation.check_count(faults, "vehicles", m, validation.MOST_VEHICLES)
        validation.check_same_length(faults, "deliveries", len(self.deliveries), "pickups", orders)
        validation.check_same_length(faults, "capacity", len(self.capacity), "starts", m)
        faults.raise_if_any()
        validation.set_fields(
            self,
            order_ids=validation.clean_ids(faults, "order ids", order_ids, orders, "o"),
            vehicle_ids=validation.clean_ids(faults, "vehicle ids", vehicle_ids, m, "v"),
        )
        self._complete(faults, details, vehicle_details, load_names)

    def _check_values(self, faults: Faults) -> None:
        for thing, ids, part, points in (
            ("order", self.order_ids, "pickup.", self.pickups),
            ("order", self.order_ids, "delivery.", self.deliveries),
            ("vehicle", self.vehicle_ids, "start.", self.starts),
        ):
            validation.check_coordinates(faults, self.coordinates, thing, ids, points, part)
        capacity = Column("vehicle", "capacity", self.vehicle_ids, self.capacity)
        validation.check_range(faults, capacity, 1.0, LARGEST_NUMBER)
        whole = np.floor(self.capacity)
        for row in np.flatnonzero(np.isfinite(whole) & (self.capacity != whole)).tolist():
            message = "must be a whole number of orders."
            capacity.add("not-whole", faults, row, message, "Round it down.")

    @property
    def num_orders(self) -> int:
        """N/2: how many orders."""
        return len(self.pickups)

    @property
    def num_tasks(self) -> int:
        """N: how many tasks, two for each order."""
        return 2 * len(self.pickups)

    @property
    def places(self) -> Floats:
        """All pickups, all deliveries, then the starts, as the user gave them."""
        return joined(self.pickups, self.deliveries, self.starts)

    @cached_property
    def places_xy(self) -> Floats:
        """All pickups, all deliveries, then the starts, in the plane.

        The plane touches the earth at the mean of the starts.
        """
        if self.coordinates == "plane":
            return self.places
        return geography.to_plane(self.places, geography.centre(self.starts))

    @cached_property
    def starts_xy(self) -> Floats:
        """The starts in the plane in which distances are measured."""
        return self.places_xy[self.num_tasks :]

    @property
    def homes(self) -> Ints:
        """The start of each vehicle."""
        return self.num_tasks + np.arange(self.num_vehicles, dtype=np.int64)

    @property
    def ends(self) -> Ints:
        """Wherever the last stop is."""
        return np.full(self.num_vehicles, -1, dtype=np.int64)

    @property
    def matrix_rows(self) -> Ints:
        """The starts come first in matrices."""
        return np.roll(np.arange(len(self.places)), -self.num_vehicles)

    @property
    def speeds(self) -> Floats:
        """One distance per time for every vehicle, unless the day gives them speeds."""
        if self.day is None or self.day.speed is None:
            return np.ones(self.num_vehicles)
        return self.day.speed / self._time_scale

    @property
    def goal(self) -> Goal:
        """The sum of arrivals, unless the day says otherwise."""
        return (self.day and self.day.minimise) or "arrivals"

    @property
    def request_ids(self) -> tuple[str, ...]:
        """The orders."""
        return self.order_ids

    @cached_property
    def task_ids(self) -> tuple[Stop, ...]:
        """The tasks, in the order of their indices."""
        return tuple(
            Stop(order, action) for action in ("pickup", "delivery") for order in self.order_ids
        )

    def on_board(self, trip: Ints) -> Floats:
        """How many orders are on board after each stop of a trip."""
        return np.cumsum(np.where(trip < self.num_orders, 1.0, -1.0))

    def load_of(self, trips: Sequence[Ints]) -> float:
        """The most orders that a vehicle has on board at once."""
        return max((float(self.on_board(trip).max(initial=0.0)) for trip in trips), default=0.0)

    def totals(self) -> dict[str, float]:
        """What there is to do, in a few numbers by name."""
        return {"orders": self.num_orders}

    def select(self, orders: Iterable[Any], vehicles: Iterable[Any]) -> OMDCPDP:
        """The sub-instance of these orders and vehicles, by id or index, in that order."""
        orders = indices_of(orders, self.order_ids, "order")
        vehicles = indices_of(vehicles, self.vehicle_ids, "vehicle")
        day, chosen, fleet = self.day, np.asarray(orders), np.asarray(vehicles)
        tasks = np.concatenate([chosen, self.num_orders + chosen])
        if day is not None:
            day = day.select(tasks, chosen, fleet, np.append(fleet, self.num_vehicles + tasks))
        return self.replace(
            day=day,
            details=validation.selected_details(self.details, tasks),
            vehicle_details=validation.selected_details(self.vehicle_details, vehicles),
            pickups=self.pickups[orders],
            deliveries=self.deliveries[orders],
            order_ids=tuple(self.order_ids[i] for i in orders),
            starts=self.starts[vehicles],
            capacity=self.capacity[vehicles],
            vehicle_ids=tuple(self.vehicle_ids[i] for i in vehicles),
        )
