"""Valhalla, as a server or in this process on its tiles (https://valhalla.github.io/valhalla/api/)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from geopar.errors import MissingExtraError, refuse, short
from geopar.problems.validation import Floats
from geopar.roads.engine import Table
from geopar.roads.http import ask
from geopar.roads.osrm import numbers

# What people call a way to travel, and what Valhalla does.
COSTINGS = {
    "car": "auto", "van": "auto", "driving": "auto", "bike": "bicycle", "cargo bike": "bicycle",
    "cycling": "bicycle", "foot": "pedestrian", "walking": "pedestrian", "lorry": "truck",
}  # fmt: skip
METRES_PER_KM = 1000.0
_NO_WAY = (171, 442)  # no edges near a place; no path found
_NO_WAY_WORDS = ("No suitable edges", "No path could be found")


class _Valhalla:
    """What server and tiles have in common; ``_ask(action, request)`` is how they are asked."""

    name: str
    keeps_speeds = False

    def table(self, profile: str, sources: Floats, targets: Floats) -> Table:
        """See :class:`~geopar.roads.engine.RoadEngine`."""
        value = self._ask(
            "sources_to_targets",
            {
                "sources": _places(sources), "targets": _places(targets), "units": "kilometers",
                "costing": COSTINGS.get(profile, profile),
            },
        )  # fmt: skip
        shape = len(sources), len(targets)
        if _is_no_way(value):
            return self._in_halves(profile, sources, targets)
        cells: Any = value.get("sources_to_targets")
        try:
            seconds, kilometres = (
                [[cell.get(part) for cell in row] for row in cells] for part in ("time", "distance")
            )
        except (TypeError, AttributeError):
            said = short(value.get("error", value))
            hint = f"Check the profile; it was asked for {COSTINGS.get(profile, profile)}."
            refuse("bad-answer", self.name, ..., f"has no table: {said}.", hint)
        return Table(
            numbers(self.name, seconds, shape),
            numbers(self.name, kilometres, shape) * METRES_PER_KM,
        )

    def _in_halves(self, profile: str, sources: Floats, targets: Floats) -> Table:
        """A table that is refused for one place that is on no road: which one, halves tell."""
        shape = len(sources), len(targets)
        if shape == (1, 1):
            return Table(np.full(shape, np.nan), np.full(shape, np.nan))
        by_rows = shape[0] >= shape[1]
        middle = max(shape) // 2
        if by_rows:
            parts = [(sources[:middle], targets), (sources[middle:], targets)]
        else:
            parts = [(sources, targets[:middle]), (sources, targets[middle:])]
        tables = [self.table(profile, *part) for part in parts]
        one, other = (
            np.concatenate(both, axis=0 if by_rows else 1) for both in zip(*tables, strict=True)
        )
        return Table(one, other)

    def shape(self, profile: str, places: Floats) -> list[list[float]]:
        """See :class:`~geopar.roads.engine.RoadEngine`."""
        costing = COSTINGS.get(profile, profile)
        value = self._ask("route", {"locations": _places(places), "costing": costing})
        try:
            lines = [decoded(leg["shape"]) for leg in value["trip"]["legs"]]
        except (KeyError, TypeError, IndexError):
            said = short(value.get("error", value))
            refuse("bad-answer", self.name, ..., f"has no route: {said}.", "Check the profile.")
        return [place for line in lines for place in line]

    def _ask(self, action: str, request: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError


class ValhallaServer(_Valhalla):
    """A Valhalla server.

    Parameters
    ----------
    address
        Such as ``http://localhost:8002``.
    seconds
        How long to wait for an answer.
    """

    def __init__(self, address: str, seconds: float) -> None:
        self.name, self._seconds = address.rstrip("/"), seconds

    def _ask(self, action: str, request: dict[str, Any]) -> dict[str, Any]:
        return ask(self.name, f"{self.name}/{action}", request, self._seconds)


class ValhallaTiles(_Valhalla):
    """Valhalla in this process, on tiles of this machine.

    Parameters
    ----------
    tiles
        A folder of tiles, or a ``.tar`` file of them.

    Raises
    ------
    geopar.errors.InputError
        When there are none.
    geopar.errors.MissingExtraError
        Without pyvalhalla.
    """

    def __init__(self, tiles: Path) -> None:
        if not tiles.exists():
            hint = "Build tiles first, or give the address of a server: http://…"
            refuse("no-such-file", "tiles", str(tiles), "is not there.", hint)
        try:
            import valhalla
        except ImportError:
            raise MissingExtraError("Valhalla in this process", "roads") from None
        self.name = str(tiles.resolve())
        config = valhalla.get_config(tiles, tiles)
        other = "tile_extract" if tiles.is_dir() else "tile_dir"
        config["mjolnir"][other] = str(tiles / "none")  # a path that is none: "" is a folder
        config["service_limits"]["max_timedep_distance_matrix"] = 0
        try:
            self._actor = valhalla.Actor(config)
        except Exception as error:  # whatever it stumbles over, the tiles are to blame
            refuse(
                "bad-tiles", "tiles", str(tiles), f"cannot be used: {error}.", "Build them anew."
            )

    def _ask(self, action: str, request: dict[str, Any]) -> dict[str, Any]:
        ask_for = {"sources_to_targets": self._actor.matrix, "route": self._actor.route}[action]
        try:
            value: dict[str, Any] = ask_for(request)
        except Exception as error:  # Valhalla's errors have a code and a text
            return {"error": str(error), "error_code": getattr(error, "code", None)}
        return value


def _is_no_way(value: dict[str, Any]) -> bool:
    """Whether a place is on no road, or a pair has no way: by code, or else by its words."""
    if value.get("error_code") is not None:
        return value["error_code"] in _NO_WAY
    said = str(value.get("error", ""))
    return any(words in said for words in _NO_WAY_WORDS)


def _places(places: Floats) -> list[dict[str, float]]:
    return [{"lon": lon, "lat": lat} for lon, lat in places.tolist()]


def decoded(text: str, digits: int = 6) -> list[list[float]]:
    """A polyline as Google's algorithm packs it, as longitudes and latitudes."""
    places, at, numbers_read = [], 0, [0, 0]
    while at < len(text):
        for axis in (0, 1):
            shift = value = 0
            while True:
                piece = ord(text[at]) - 63
                at += 1
                value |= (piece & 0x1F) << shift
                shift += 5
                if piece < 0x20:
                    break
            numbers_read[axis] += ~(value >> 1) if value & 1 else value >> 1
        lat, lon = (number / 10.0**digits for number in numbers_read)
        places.append([lon, lat])
    return places
