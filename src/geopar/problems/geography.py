"""From latitude and longitude to a plane in kilometres.

The earth is a sphere with the mean radius of the IUGG. The plane is the azimuthal equidistant one
about an origin: distances from the origin are those of the great circle, and all others at most
half a percent too long up to :data:`FARTHEST_KM` from it. Farther apart the earth has no map.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from geopar.errors import refuse
from geopar.problems.validation import Floats, read_only

if TYPE_CHECKING:
    from geopar.problems import Problem

FloatOrFloats = TypeVar("FloatOrFloats", float, Floats)

EARTH_RADIUS_KM = 6371.0088
# Round the origin the plane is wider than the earth by c / sin c at the angle c from it: 0.5 %.
FARTHEST_KM = 1100.0


def to_plane(points: Floats, origin: Floats) -> Floats:
    """``(lon, lat)`` rows as kilometres east and north of ``origin``, by direction and distance."""
    east, north, up = _seen_from(points, origin)
    away = np.hypot(east, north)
    # At the origin itself, and straight below it, there is no direction.
    stretch = np.divide(np.arctan2(away, up), away, out=np.ones_like(away), where=away > 0.0)
    return read_only(EARTH_RADIUS_KM * np.stack([east * stretch, north * stretch], axis=1))


def kilometres_from(points: Floats, origin: Floats) -> Floats:
    """How far ``(lon, lat)`` rows are from ``origin`` on the great circle."""
    east, north, up = _seen_from(points, origin)
    found: Floats = EARTH_RADIUS_KM * np.arctan2(np.hypot(east, north), up)
    return found


def _seen_from(points: Floats, origin: Floats) -> tuple[Floats, Floats, Floats]:
    """Places of the unit sphere along the east, the north and the zenith of ``origin``."""
    # The difference is exact where both are near; the functions take any longitude.
    longitude = np.radians(short_way(points[:, 0] - origin[0]))
    latitude, own = np.radians(points[:, 1]), np.radians(origin[1])
    level = np.cos(latitude) * np.cos(longitude)
    east = np.cos(latitude) * np.sin(longitude)
    north = np.cos(own) * np.sin(latitude) - np.sin(own) * level
    return east, north, np.sin(own) * np.sin(latitude) + np.cos(own) * level


def centre(points: Floats) -> Floats:
    """The middle of ``(lon, lat)`` rows: where their mean in space is below the sky."""
    longitude, latitude = np.radians(points).T
    x = (np.cos(latitude) * np.cos(longitude)).mean()
    y = (np.cos(latitude) * np.sin(longitude)).mean()
    z = np.sin(latitude).mean()
    found: Floats = np.degrees(np.array([np.arctan2(y, x), np.arctan2(z, np.hypot(x, y))]))
    return found


def short_way(degrees: FloatOrFloats) -> FloatOrFloats:
    """A difference of longitudes, the short way round."""
    return (degrees + 180.0) % 360.0 - 180.0


def require_map(problem: Problem) -> None:
    """Refuse a problem whose places are too far apart for straight lines on a map.

    Raises
    ------
    geopar.errors.InputError
        With the farthest place.
    """
    if problem.coordinates == "plane" or not problem.has_straight_lines:
        return
    # The plane keeps distances from its origin.
    away = np.hypot(*problem.places_xy.T)
    index = int(away.argmax())
    if away[index] > FARTHEST_KM:
        is_task = index < problem.num_tasks
        which = str(problem.task_ids[index]) if is_task else "where vehicles start"
        refuse(
            "too-far-apart", "places", f"{away[index]:,.0f} km",
            f"is how far {which} is from the middle of the map; straight lines are true to half a "
            f"percent up to {FARTHEST_KM:,.0f} km.",
            "Maybe latitude and longitude are swapped there. If they are right: "
            "`geopar matrix PROBLEM --great-circle --out PROBLEM`.",
        )  # fmt: skip
