"""From latitude and longitude to a plane in kilometres, for areas of a few hundred of them."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from geopar.problems.validation import Floats, read_only

FloatOrFloats = TypeVar("FloatOrFloats", float, Floats)

EARTH_RADIUS_KM = 6371.0088


def to_plane(points: Floats, origin: Floats) -> Floats:
    """Local equirectangular projection of ``(lon, lat)`` rows about ``origin``, in kilometres.

    Longitudes are taken the short way round, so an area across the date line is one piece.
    """
    longitude = short_way(points[:, 0] - origin[0])
    latitude = points[:, 1] - origin[1]
    scale = np.pi / 180.0 * EARTH_RADIUS_KM
    x = longitude * scale * np.cos(np.radians(origin[1]))
    return read_only(np.stack([x, latitude * scale], axis=1))


def centre(points: Floats) -> Floats:
    """The mean of ``(lon, lat)`` rows, right across the date line too."""
    first = points[0]
    longitude = first[0] + short_way(points[:, 0] - first[0]).mean()
    return np.array([short_way(longitude), points[:, 1].mean()])


def short_way(degrees: FloatOrFloats) -> FloatOrFloats:
    """A difference of longitudes, the short way round."""
    return (degrees + 180.0) % 360.0 - 180.0
