"""How the command line names road engines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from geopar.errors import Faults

if TYPE_CHECKING:
    from geopar.roads import RoadEngine

Osrm = Annotated[
    str | None, typer.Option("--osrm", metavar="URL", help="An OSRM server: http://localhost:5000.")
]
Valhalla = Annotated[
    str | None,
    typer.Option("--valhalla", metavar="TILES_OR_URL", help="Valhalla's tiles, or its server."),
]
Profiles = Annotated[
    list[str] | None,
    typer.Option(
        "--profile", metavar="NAME=ENGINE'S", help="What the engine calls a profile: van=driving."
    ),
]


def engine_named(osrm: str | None, valhalla: str | None, great_circle: bool = False) -> RoadEngine:
    """The one engine that is named.

    Raises
    ------
    geopar.errors.InputError
        When none or several are.
    """
    from geopar.roads import open_engine

    return open_engine(osrm=osrm, valhalla=valhalla, great_circle=great_circle)


def profiles_named(texts: list[str] | None) -> dict[str, str]:
    """``van=driving`` as names by names.

    Raises
    ------
    geopar.errors.InputError
        With every text that is something else.
    """
    faults, found = Faults(), dict[str, str]()
    for text in texts or ():
        own, mark, theirs = text.partition("=")
        if not (own and mark and theirs):
            faults.add("wrong-type", "--profile", text, "is no pair.", "Maybe car=driving.")
        found[own] = theirs
    faults.raise_if_any()
    return found
