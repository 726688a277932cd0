"""The shortest ways on the globe, as a road engine: for what is too far apart for a map."""

from __future__ import annotations

import numpy as np

from geopar.problems.geography import kilometres_from
from geopar.problems.validation import Floats
from geopar.roads.engine import Table
from geopar.roads.matrices import METRES_PER_KM, SECONDS_PER_HOUR


class GreatCircles:
    """Great circles of a sphere, driven at a kilometre an hour: vehicles have their own speeds."""

    name = "great circles"
    keeps_speeds = True

    def table(self, profile: str, sources: Floats, targets: Floats) -> Table:
        """Times at a kilometre an hour, and distances, the same for every profile."""
        kilometres = np.stack([kilometres_from(targets, source) for source in sources])
        return Table(kilometres * SECONDS_PER_HOUR, kilometres * METRES_PER_KM)

    def shape(self, profile: str, places: Floats) -> list[list[float]]:
        """The places themselves: maps draw their own lines between them."""
        return [[float(x), float(y)] for x, y in places]
