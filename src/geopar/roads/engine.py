"""What a road engine answers, and how one is opened."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, Protocol

from geopar.errors import refuse
from geopar.problems.validation import Floats


class Table(NamedTuple):
    """Seconds and metres from each source to each target; NaN where there is no way."""

    seconds: Floats
    metres: Floats


class RoadEngine(Protocol):
    """Times and ways on roads. Places are ``(longitude, latitude)``.

    Attributes
    ----------
    name
        Where it is, for messages and for the cache.
    keeps_speeds
        Whether its seconds are those of one kilometre an hour, which vehicles divide by their
        speeds, instead of times of the road's own.
    """

    name: str
    keeps_speeds: bool

    def table(self, profile: str, sources: Floats, targets: Floats) -> Table:
        """Times and distances from each source to each target.

        Raises
        ------
        geopar.errors.InputError
            When there is no answer, or one that makes no sense.
        """

    def shape(self, profile: str, places: Floats) -> list[list[float]]:
        """The way past all places in turn, as longitudes and latitudes."""


def open_engine(
    *,
    osrm: str | None = None,
    valhalla: str | Path | None = None,
    great_circle: bool = False,
    seconds: float = 30.0,
) -> RoadEngine:
    """A road engine.

    Parameters
    ----------
    osrm
        The address of an OSRM server, such as ``http://localhost:5000``.
    valhalla
        The address of a Valhalla server, or its tiles on this machine: a folder or ``.tar`` file
        (extra ``roads``).
    great_circle
        No roads: the shortest ways on the globe, for problems too wide for a map.
    seconds
        How long to wait for one answer of a server.

    Raises
    ------
    geopar.errors.InputError
        When none or several are named, or the tiles are not there.
    """
    if (osrm is not None) + (valhalla is not None) + great_circle != 1:
        hint = (
            "Give the address of an OSRM server, of Valhalla's server or tiles, or great circles."
        )
        refuse("missing-option", "road engine", ..., "must be exactly one.", hint)
    if great_circle:
        from geopar.roads.great_circle import GreatCircles

        return GreatCircles()
    if osrm is not None:
        from geopar.roads.osrm import Osrm

        return Osrm(osrm, seconds)
    from geopar.roads.valhalla import ValhallaServer, ValhallaTiles

    if str(valhalla).startswith(("http://", "https://")):
        return ValhallaServer(str(valhalla), seconds)
    return ValhallaTiles(Path(str(valhalla)))
