"""Travel: how far it is from place to place, and how long a vehicle takes for it.

Places have numbers: the tasks of a problem come first, in their order, then where its vehicles
begin (HCVRP: the depot; OMDCPDP: one start for each vehicle). The model belongs to the problem. It
is what the checker, schedules, pictures and bounds go by; compiled searches have a ``distance`` of
their own, and networks know straight lines alone (:func:`require_straight_lines`). What happens at
the places is another matter: see :mod:`geopar.problems.day`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from geopar.errors import Faults

if TYPE_CHECKING:
    from geopar.problems import Problem
    from geopar.problems.day import Matrix

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Travel(Protocol):
    """Distances and times between the places of one problem, in the user's units."""

    @property
    def is_straight(self) -> bool:
        """Whether distances are straight lines between coordinates of the plane."""

    def distance(self, origin: Ints | int, destination: Ints | int, vehicle: int = 0) -> Floats:
        """How far it is from each of some places to another, for one vehicle."""

    def duration(self, vehicle: Ints | int, origin: Ints | int, destination: Ints | int) -> Floats:
        """How long vehicles take from place to place."""


class StraightLines:
    """Straight lines in the plane, driven at the vehicle's own constant speed.

    Parameters
    ----------
    places
        ``(P, 2)`` coordinates.
    speed
        Of each vehicle.
    """

    is_straight = True

    def __init__(self, places: Floats, speed: Floats) -> None:
        self._places, self._speed = places, speed

    def distance(self, origin: Ints | int, destination: Ints | int, vehicle: int = 0) -> Floats:
        """How far it is from each of some places to another, the same for every vehicle."""
        # Many times as fast as indexing, and the checker's time is mostly this.
        step = self._places.take(destination, axis=0) - self._places.take(origin, axis=0)
        return np.asarray(np.hypot(step[..., 0], step[..., 1]))

    def duration(self, vehicle: Ints | int, origin: Ints | int, destination: Ints | int) -> Floats:
        """How long vehicles take from place to place."""
        return np.asarray(self.distance(origin, destination) / self._speed[vehicle])


class Matrices:
    """What tables say, one for each profile of vehicles; nothing from a place to itself.

    Parameters
    ----------
    tables
        Of each profile, by number.
    profile
        Of each vehicle; distances are those of the first vehicle's.
    speed
        Of each vehicle: what durations are divided by.
    row
        The row of each place in the tables.
    """

    is_straight = False

    def __init__(self, tables: Sequence[Matrix], profile: Ints, speed: Floats, row: Ints) -> None:
        self._tables, self._profile, self._speed, self._row = tables, profile, speed, row

    def distance(self, origin: Ints | int, destination: Ints | int, vehicle: int = 0) -> Floats:
        """How far it is from each of some places to another, for one vehicle."""
        rows, columns = self._row[origin], self._row[destination]
        table = self._tables[self._profile[vehicle]].distances
        return np.where(rows == columns, 0.0, table[rows, columns])

    def duration(self, vehicle: Ints | int, origin: Ints | int, destination: Ints | int) -> Floats:
        """How long vehicles take from place to place."""
        rows, columns = self._row[origin], self._row[destination]
        profile = np.broadcast_to(self._profile[vehicle], np.broadcast(rows, columns).shape)
        found = np.empty(profile.shape)
        for number, table in enumerate(self._tables):
            here = profile == number
            found[here] = np.broadcast_to(table.durations[rows, columns], profile.shape)[here]
        return np.where(rows == columns, 0.0, found / self._speed[vehicle])


def legs(travel: Travel, way: Ints) -> Floats:
    """How far it is from each place of a way to the next."""
    return travel.distance(way[:-1], way[1:])


PLAN_DAYS = "Use refine, insert or hybrid: they plan working days."


def require_straight_lines(problem: Problem, solver: str) -> None:
    """Refuse a problem of which a solver that goes by coordinates does not see enough.

    Raises
    ------
    geopar.errors.InputError
        For any other travel than straight lines, and for a day.
    """
    faults = Faults()
    if not problem.has_straight_lines:
        faults.add(
            "needs-straight-lines", "solver", solver,
            "knows straight lines only, and this problem has matrices of travel.", PLAN_DAYS,
        )  # fmt: skip
    elif problem.day is not None:
        faults.add(
            "needs-plain-problem", "solver", solver,
            f"does not know of a day's {', '.join(problem.day.parts)}.", PLAN_DAYS,
        )  # fmt: skip
    faults.raise_if_any()
