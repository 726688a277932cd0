"""``geopar sheet``: what drivers take along."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from geopar.cli.inputs import ProblemName, ReadingOptions
from geopar.cli.outputs import check_targets, say
from geopar.cli.roads import Osrm, Profiles, Valhalla, engine_named, profiles_named
from geopar.errors import Faults


def sheet(
    problem: ProblemName,
    plan: Annotated[Path, typer.Argument(help="A plan for it: JSON or .sol.", show_default=False)],
    *,
    out: Annotated[
        Path,
        typer.Option(
            help="What to write: .html (to print), .csv, .xlsx, .gpx or .geojson.",
            show_default=False,
        ),
    ],
    vehicle: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this vehicle's sheet; may be repeated."),
    ] = None,
    each: Annotated[
        bool, typer.Option("--each", help="A file for each vehicle, named after it.")
    ] = False,
    date: Annotated[
        str | None,
        typer.Option(
            metavar="DATE", help="The day, such as 2026-11-19, where its times have no date."
        ),
    ] = None,
    reading: ReadingOptions,
    osrm: Osrm = None,
    valhalla: Valhalla = None,
    profile: Profiles = None,
) -> None:
    """Write the drivers' sheets of a plan: stops in order with times, load, notes and a map."""
    from geopar.checking import check
    from geopar.sheets import write_sheets
    from geopar.sheets.dates import read_date

    faults = Faults()
    day = read_date(faults, "--date", date)
    faults.raise_if_any()
    check_targets(out)
    instance, found = reading.problem_and_plan(problem, plan)
    shapes = None
    if osrm is not None or valhalla is not None:
        from geopar.roads import route_shapes

        engine = engine_named(osrm, valhalla)
        shapes = route_shapes(instance, found, engine, profiles=profiles_named(profile))
    written = write_sheets(
        instance, found, out, vehicles=vehicle or None, each=each, shapes=shapes, date=day
    )
    say(f"Wrote {', '.join(map(str, written))}.")
    report = check(instance, found.without_claim())
    if report.left_out:
        say(f"Not served: {', '.join(one.request for one in report.left_out)}.")
    if not report.feasible:
        told = "; the sheets say so too" if out.suffix.lower() == ".html" else ""
        say(f"The plan breaks rules{told}. See: geopar check {problem} {plan}")
        raise typer.Exit(1)
