"""``geopar matrix``: travel times on roads for a problem."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from geopar.cli.inputs import FleetOptions, ProblemName
from geopar.cli.outputs import check_matrix_target, say, stderr, tell
from geopar.cli.roads import Osrm, Profiles, Valhalla, engine_named, profiles_named


def matrix(
    problem: ProblemName,
    *,
    out: Annotated[
        Path, typer.Option(metavar="PROBLEM", help="Write it: .json or .npz.", show_default=False)
    ],
    osrm: Osrm = None,
    valhalla: Valhalla = None,
    great_circle: Annotated[
        bool,
        typer.Option("--great-circle", help="No roads: the globe, for what is too far apart."),
    ] = False,
    profile: Profiles = None,
    max_table: Annotated[int, typer.Option(help="Places in one request at most.")] = 100,
    cache: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Keep answers there, not in ~/.cache.")
    ] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Keep no answers.")] = False,
    reading: FleetOptions,
) -> None:
    """Ask a road engine for the times between all places, and write the problem with them."""
    from rich.progress import Progress

    from geopar.files import write_problem
    from geopar.roads import road_times
    from geopar.roads.cache import default_folder

    check_matrix_target(out)
    engine, names = engine_named(osrm, valhalla, great_circle), profiles_named(profile)
    instance = reading.problem(problem)
    with Progress(console=stderr, transient=True) as bar:
        line = bar.add_task("asking for road times", total=None)
        found = road_times(
            instance, engine,
            profiles=names, max_table=max_table,
            cache=None if no_cache or great_circle else cache or default_folder(),
            progress=lambda done, total: bar.update(line, completed=done, total=total),
        )  # fmt: skip
    tell(found)
    written = write_problem(found, out)
    say(f"Wrote {', '.join(map(str, written))}.")
