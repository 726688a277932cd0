"""Columns of numbers as plain Python values, for writing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from geopar.problems.validation import Coordinates, Floats

PLANE = ("x", "y")
DEGREES = ("lon", "lat")


def axes_for(coordinates: Coordinates) -> tuple[str, str]:
    """What the two coordinates of a place are called."""
    return PLANE if coordinates == "plane" else DEGREES


def objects(columns: dict[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Rows with the columns as fields."""
    names = tuple(columns)
    return [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def place_columns(places: Floats, coordinates: Coordinates) -> dict[str, Sequence[Any]]:
    """Two columns of coordinates; latitude first, as people say them."""
    if coordinates == "plane":
        return {"x": plain(places[:, 0]), "y": plain(places[:, 1])}
    return {"lat": plain(places[:, 1]), "lon": plain(places[:, 0])}


def plain(values: Floats) -> list[Any]:
    """Python numbers; whole ones without the dot, where all are whole and nothing gets lost."""
    whole = (values == np.floor(values)) & (np.abs(values) < 2.0**53)
    negative_zero = (values == 0.0) & np.signbit(values)
    clean = values.astype(np.int64) if np.all(whole & ~negative_zero) else values
    return list(clean.tolist())
