"""The client of an OSRM server (http://project-osrm.org/docs/v5.24.0/api/)."""

from __future__ import annotations

from typing import Any

import numpy as np

from geopar.errors import refuse, short
from geopar.problems.validation import Floats
from geopar.roads.engine import Table
from geopar.roads.http import ask


class Osrm:
    """An OSRM server.

    Parameters
    ----------
    address
        Such as ``http://localhost:5000``.
    seconds
        How long to wait for an answer.
    """

    keeps_speeds = False

    def __init__(self, address: str, seconds: float) -> None:
        self.name, self._seconds = address.rstrip("/"), seconds

    def table(self, profile: str, sources: Floats, targets: Floats) -> Table:
        """See :class:`~geopar.roads.engine.RoadEngine`."""
        places = _text(np.concatenate([sources, targets]))
        first = ";".join(map(str, range(len(sources))))
        second = ";".join(map(str, range(len(sources), len(sources) + len(targets))))
        value = self._ask(
            f"table/v1/{profile}/{places}?sources={first}&destinations={second}"
            "&annotations=duration,distance"
        )
        shape = len(sources), len(targets)
        return Table(
            numbers(self.name, value.get("durations"), shape),
            numbers(self.name, value.get("distances"), shape),
        )

    def shape(self, profile: str, places: Floats) -> list[list[float]]:
        """See :class:`~geopar.roads.engine.RoadEngine`."""
        path = f"route/v1/{profile}/{_text(places)}?overview=full&geometries=geojson"
        value = self._ask(path)
        try:
            line = value["routes"][0]["geometry"]["coordinates"]
            return [[float(x), float(y)] for x, y in line]
        except (KeyError, IndexError, TypeError, ValueError):
            what = "answers without the shape of a route."
            refuse("bad-answer", self.name, short(value), what, "Is it OSRM?")

    def _ask(self, path: str) -> dict[str, Any]:
        value = ask(self.name, f"{self.name}/{path}", None, self._seconds)
        if value.get("code") == "TooBig":
            hint = "Take a smaller --max-table, or start it with a larger --max-table-size."
            refuse("road-table-too-large", self.name, ..., "refuses a table of this size.", hint)
        if value.get("code") != "Ok":
            said = short(value.get("message", value))
            what = f"refuses: {said}."
            refuse("bad-answer", self.name, value.get("code", ...), what, "Check the profile.")
        return value


def _text(places: Floats) -> str:
    return ";".join(f"{lon:.6f},{lat:.6f}" for lon, lat in places.tolist())


def numbers(engine: str, value: Any, shape: tuple[int, int]) -> Floats:
    """A table of that shape, of which ``null`` is no way.

    Raises
    ------
    geopar.errors.InputError
        For anything else.
    """
    try:
        found = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.shape != shape or np.any(found < 0.0) or np.any(np.isinf(found)):
        what = f"answers with something else than {shape[0]} × {shape[1]} times or distances."
        refuse("bad-answer", engine, short(value), what, "Is it a road engine?")
    return found
