"""What goes to a worker and comes back: a part of a plan, and how long to search it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Flat(NamedTuple):
    """Trips as :func:`geopar.plan.flatten` has them."""

    tasks: Ints
    bounds: Ints
    vehicle: Ints

    @property
    def sizes(self) -> Ints:
        """Tasks of each trip."""
        return np.diff(self.bounds)

    def some(self, chosen: NDArray[np.bool_]) -> Flat:
        """Only these trips."""
        sizes = self.sizes
        bounds = np.concatenate([[0], np.cumsum(sizes[chosen])])
        return Flat(self.tasks[np.repeat(chosen, sizes)], bounds, self.vehicle[chosen])


def joined(parts: list[Flat]) -> Flat:
    """The trips of all."""
    sizes = np.concatenate([part.sizes for part in parts])
    return Flat(
        np.concatenate([part.tasks for part in parts]),
        np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)]),
        np.concatenate([part.vehicle for part in parts]),
    )


@dataclass(frozen=True)
class Effort:
    """How long a part is searched, and how hot.

    Parameters
    ----------
    seed, iterations
        Of the search.
    begin, end
        Which fractions of the whole run these iterations are.
    horizon
        Iterations of the whole run that fall to a part of this size.
    """

    seed: int
    iterations: int
    begin: float
    end: float
    horizon: float


@dataclass(frozen=True)
class Piece:
    """A part of a problem with its plan, numbered from 0 on.

    Parameters
    ----------
    arrays
        The problem's, by name.
    plan
        The trips that are searched.
    effort
        How long.
    """

    arrays: dict[str, Any]
    plan: Flat
    effort: Effort


@dataclass(frozen=True)
class Place:
    """Where a piece belongs: what the whole problem calls its tasks and vehicles."""

    tasks: Ints
    vehicles: Ints

    def inside(self, plan: Flat) -> Flat:
        """A part of the plan, in the piece's own numbers; both lists are sorted."""
        return Flat(
            np.searchsorted(self.tasks, plan.tasks),
            plan.bounds,
            np.searchsorted(self.vehicles, plan.vehicle),
        )

    def outside(self, plan: Flat) -> Flat:
        """The piece's plan, in the numbers of the whole."""
        return Flat(self.tasks[plan.tasks], plan.bounds, self.vehicles[plan.vehicle])
