"""Columns of numbers as plain Python values, for writing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from geopar.problems.validation import Coordinates, Floats

Columns = dict[str, Sequence[Any]]

PLANE = ("x", "y")
DEGREES = ("lon", "lat")


def objects(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Rows with the columns as fields; ``...`` is left out."""
    names = tuple(columns)
    rows = [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if any(value is ... for column in columns.values() for value in column):
        return [{key: one for key, one in row.items() if one is not ...} for row in rows]
    return rows


def sparse(values: Sequence[Any], default: Any) -> list[Any]:
    """``...`` for what may be left out; where that is all, the first says ``None``."""
    found = [... if value == default else value for value in values]
    if all(value is ... for value in found) and found:
        found[0] = None
    return found


def place_columns(places: Floats, coordinates: Coordinates) -> Columns:
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
