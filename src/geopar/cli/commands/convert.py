"""``geopar convert``: from one format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from geopar.cli.inputs import ReadingOptions
from geopar.cli.outputs import check_targets, say, tell
from geopar.cli.roads import Osrm, Profiles, Valhalla, engine_named, profiles_named


def convert(
    source: Annotated[
        str,
        typer.Argument(
            metavar="IN", show_default=False,
            help="A problem (file, frozen set or instance), or with --problem a plan.",
        ),
    ],
    target: Annotated[
        Path,
        typer.Argument(
            metavar="OUT", show_default=False,
            help="A problem: .json, .csv, .xlsx, .vrp, .npz. "
            "A plan: .json, .sol, .geojson, .csv, .xlsx.",
        ),
    ],
    *,
    problem: Annotated[
        str | None,
        typer.Option(metavar="PROBLEM", help="IN is a plan for this problem."),
    ] = None,
    reading: ReadingOptions,
    osrm: Osrm = None,
    valhalla: Valhalla = None,
    profile: Profiles = None,
) -> None:  # fmt: skip
    """Convert a problem or a plan; the suffix of OUT says to what."""
    from geopar.files import read_batch, write_batch, write_plan, write_problem
    from geopar.files.named import frozen_set

    check_targets(target)
    to_batch = problem is None and target.suffix.lower() == ".npz"
    if problem is not None:
        instance, plan = reading.problem_and_plan(problem, source)
        shapes = None
        if osrm is not None or valhalla is not None:
            from geopar.roads import route_shapes

            engine = engine_named(osrm, valhalla)
            shapes = route_shapes(instance, plan, engine, profiles=profiles_named(profile))
        written = write_plan(plan, target, instance, shapes=shapes)
    elif to_batch and (whole := frozen_set(source)) is not None:
        written = write_batch(list(whole), target)
    elif to_batch and source.lower().endswith(".npz"):
        written = write_batch(list(read_batch(source)), target)
    else:
        instance = reading.problem(source)
        tell(instance)
        written = write_problem(instance, target)
    say(f"Wrote {', '.join(map(str, written))}.")
