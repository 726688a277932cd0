"""Travel: how far it is from place to place, and how long a vehicle takes for it.

Places have numbers: the tasks of a problem come first, in their order, then where its vehicles
begin (HCVRP: the depot; OMDCPDP: one start for each vehicle). The model belongs to the problem. It
is what the checker, schedules, pictures and bounds go by; compiled searches have a ``distance`` of
their own, and networks know straight lines alone (:func:`require_straight_lines`).

What is to come plugs in here. A *matrix* of distances, or of what a vehicle of speed one takes, is
another :class:`Travel` whose ``distance`` looks up instead of measuring. *Service times* are a
property of the task: whoever sums legs adds them at each visit. *Shifts* bound the sums, and say
when a vehicle begins. Neither changes this interface.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from geopar.errors import Faults

if TYPE_CHECKING:
    from geopar.problems import Problem

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Travel(Protocol):
    """Distances and times between the places of one problem, in the user's units."""

    @property
    def is_straight(self) -> bool:
        """Whether distances are straight lines between coordinates of the plane."""

    def distance(self, origin: Ints, destination: Ints) -> Floats:
        """How far it is from each of some places to another."""

    def time(self, vehicle: Ints | int, distance: Floats) -> Floats:
        """How long vehicles take for a distance, which may be a sum of legs."""


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

    def distance(self, origin: Ints, destination: Ints) -> Floats:
        """How far it is from each of some places to another."""
        step = self._places[destination] - self._places[origin]
        return np.asarray(np.hypot(step[..., 0], step[..., 1]))

    def time(self, vehicle: Ints | int, distance: Floats) -> Floats:
        """How long vehicles take for a distance, which may be a sum of legs."""
        return np.asarray(distance / self._speed[vehicle])


def legs(travel: Travel, way: Ints) -> Floats:
    """How far it is from each place of a way to the next."""
    return travel.distance(way[:-1], way[1:])


def require_straight_lines(problem: Problem, solver: str) -> None:
    """Refuse a problem whose distances a network cannot see in its coordinates.

    Raises
    ------
    geopar.errors.InputError
        For any other travel than straight lines.
    """
    if not problem.has_straight_lines:
        faults = Faults()
        faults.add(
            "needs-straight-lines", "solver", solver,
            "sees coordinates only, and the distances of this problem are not straight lines.",
            "Maybe refine.",
        )  # fmt: skip
        faults.raise_now()
