"""The open multi-depot capacitated pickup and delivery problem: one instance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from geopar.errors import Faults
from geopar.plan import Stop
from geopar.problems import geography, validation
from geopar.problems.validation import LARGEST_NUMBER, Coordinates, Floats


@dataclass(frozen=True, eq=False, init=False, repr=False)
class OMDCPDP:
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

    Raises
    ------
    geopar.errors.InputError
        With every fault found.
    """

    kind: ClassVar[Literal["omdcpdp"]] = "omdcpdp"

    pickups: Floats
    deliveries: Floats
    starts: Floats
    capacity: Floats
    order_ids: tuple[str, ...]
    vehicle_ids: tuple[str, ...]
    coordinates: Coordinates
    name: str

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
        )
        faults.raise_if_any()
        orders, m = self.num_orders, self.num_vehicles
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
        self._check_values(faults)
        faults.raise_if_any()

    def _check_values(self, faults: Faults) -> None:
        for label, ids, points in (
            ("order {} pickup", self.order_ids, self.pickups),
            ("order {} delivery", self.order_ids, self.deliveries),
            ("vehicle {} start", self.vehicle_ids, self.starts),
        ):
            validation.check_coordinates(faults, self.coordinates, label, ids, points)
        label, whole = "vehicle {} capacity", np.floor(self.capacity)
        validation.check_range(faults, label, self.vehicle_ids, self.capacity, 1.0, LARGEST_NUMBER)
        for row in np.flatnonzero(np.isfinite(self.capacity) & (self.capacity != whole)):
            faults.add(
                "not-whole",
                label.format(validation.id_at(self.vehicle_ids, int(row))),
                self.capacity[row],
                "must be a whole number of orders.",
                "Round it down.",
            )

    @property
    def num_orders(self) -> int:
        """N/2: how many orders."""
        return len(self.pickups)

    @property
    def num_tasks(self) -> int:
        """N: how many tasks, two for each order."""
        return 2 * len(self.pickups)

    @property
    def num_vehicles(self) -> int:
        """M: how many vehicles."""
        return len(self.starts)

    @property
    def origin(self) -> Floats:
        """Where the local plane touches the earth: the mean of the starts."""
        return geography.centre(self.starts)

    @cached_property
    def tasks_xy(self) -> Floats:
        """All pickups, then all deliveries, in the plane in which distances are measured."""
        both = np.concatenate([self.pickups, self.deliveries])
        if self.coordinates == "plane":
            return validation.read_only(both)
        return geography.to_plane(both, self.origin)

    @cached_property
    def starts_xy(self) -> Floats:
        """The starts in the plane in which distances are measured."""
        if self.coordinates == "plane":
            return self.starts
        return geography.to_plane(self.starts, self.origin)

    @cached_property
    def task_ids(self) -> tuple[Stop, ...]:
        """The tasks, in the order of their indices."""
        return tuple(
            Stop(order, action) for action in ("pickup", "delivery") for order in self.order_ids
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OMDCPDP) and validation.same_fields(self, other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        title = f" {self.name!r}" if self.name else ""
        return f"<OMDCPDP{title}: {self.num_orders} orders, {self.num_vehicles} vehicles>"

    def replace(self, **changes: Any) -> OMDCPDP:
        """A copy with some fields changed, validated anew."""
        return validation.replaced(self, changes)

    def select(self, orders: Sequence[int] | Any, vehicles: Sequence[int] | Any) -> OMDCPDP:
        """The sub-instance of these orders and vehicles, by index, in that order."""
        return self.replace(
            pickups=self.pickups[orders],
            deliveries=self.deliveries[orders],
            order_ids=tuple(self.order_ids[i] for i in orders),
            starts=self.starts[vehicles],
            capacity=self.capacity[vehicles],
            vehicle_ids=tuple(self.vehicle_ids[i] for i in vehicles),
        )
