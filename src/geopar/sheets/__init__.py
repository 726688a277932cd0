"""What drivers take along: a page for each vehicle to print, tables, routes for devices."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date as Date
from pathlib import Path

from geopar.checking import check
from geopar.errors import Faults, refuse
from geopar.files.known_ids import check_ids_known, check_kind
from geopar.files.plan_geojson import plan_to_geojson
from geopar.files.problem_json import object_text
from geopar.files.storage import StrPath, encode, label, write_files
from geopar.files.table import table_text
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.sheets.content import Sheet, sheets_of
from geopar.sheets.dates import check_date
from geopar.sheets.gone import Gone
from geopar.sheets.gpx import sheets_gpx
from geopar.sheets.html import Remarks, sheets_html
from geopar.sheets.tables import sheet_cells
from geopar.sheets.workbook import sheets_workbook

__all__ = ["FORMATS", "sheet_bytes", "sheets_of", "write_sheets"]

FORMATS = ("html", "csv", "xlsx", "gpx", "geojson")

Shapes = Mapping[tuple[str, int], list[list[float]]]


def sheet_bytes(
    problem: Problem,
    plan: Plan,
    format: str = "html",
    *,
    vehicles: Sequence[str] | None = None,
    shapes: Shapes | None = None,
    preliminary: bool = False,
    date: Date | None = None,
    gone: Sequence[Gone] = (),
) -> bytes:
    """The sheets of a plan as the content of one file.

    Parameters
    ----------
    format
        ``html`` (to print), ``csv``, ``xlsx``, ``gpx`` or ``geojson``.
    vehicles
        Only these; all that have something to do when left out.
    shapes
        GPX and GeoJSON: lines on roads, see :func:`geopar.roads.route_shapes`.
    preliminary
        Pages and spreadsheets: say that the plan may still change.
    date
        Pages and spreadsheets: the day, where the times of the problem do not say it.
    gone
        Pages and spreadsheets: who is out of service, see :func:`geopar.replanning.gone.gone`.

    Raises
    ------
    geopar.errors.InputError
        For ids that the problem does not have, a format that there is none of, or coordinates that
        it cannot hold.
    """
    faults = Faults()
    if format not in FORMATS:
        hint = f"One of {', '.join(FORMATS)}."
        faults.refuse("unknown-format", "format", format, "is no format of sheets.", hint)
    check_date(faults, problem, date)
    faults.raise_if_any()
    sheets, remarks = _looked_at(problem, plan, format, vehicles, gone)
    return _bytes(problem, plan, sheets, format, shapes, remarks, preliminary, date)


def _looked_at(
    problem: Problem,
    plan: Plan,
    format: str,
    vehicles: Sequence[str] | None,
    gone: Sequence[Gone] = (),
) -> tuple[list[Sheet], Remarks]:
    """The sheets of a plan that fits the problem, and what to tell: on pages to print only."""
    faults = Faults()
    check_kind(faults, plan, problem)
    faults.raise_if_any()
    check_ids_known(plan, problem)
    if vehicles is not None:
        named = set(vehicles)
        gone = [one for one in gone if one.vehicle in named]
        vehicles = [name for name in vehicles if all(name != one.vehicle for one in gone)]
    sheets = sheets_of(problem, plan, vehicles)
    if format != "html":
        return sheets, Remarks(gone=gone)
    # What the plan's file says it costs is nothing to drivers.
    report = check(problem, plan.without_claim())
    broken = [violation.message for violation in report.violations]
    # One vehicle's sheet is for its driver, who need not know.
    if vehicles is not None:
        return sheets, Remarks(broken, gone=gone)
    absent = [(one.request, one.reason) for one in report.left_out]
    busy = {sheet.vehicle for sheet in sheets}
    idle = [one for one in problem.vehicle_ids if one not in busy]
    return sheets, Remarks(broken, absent, idle, gone)


def _bytes(
    problem: Problem,
    plan: Plan,
    sheets: list[Sheet],
    format: str,
    shapes: Shapes | None,
    remarks: Remarks,
    preliminary: bool = False,
    date: Date | None = None,
) -> bytes:
    if format == "xlsx":
        return sheets_workbook(
            problem, sheets, preliminary=preliminary, date=date, gone=remarks.gone
        )
    if format == "csv":
        header, *rows = sheet_cells(problem, sheets)
        text = table_text([str(cell) for cell in header], rows)
    elif format == "gpx":
        text = sheets_gpx(problem, sheets, shapes)
    elif format == "geojson":
        named = {sheet.vehicle for sheet in sheets}
        routes = tuple(route for route in plan.routes if route.vehicle in named)
        text = object_text(plan_to_geojson(Plan(plan.kind, routes), problem, shapes))
    else:
        text = sheets_html(problem, sheets, remarks, preliminary=preliminary, date=date)
    return encode(text, f"sheets.{format}")


def write_sheets(
    problem: Problem,
    plan: Plan,
    path: StrPath,
    *,
    vehicles: Sequence[str] | None = None,
    each: bool = False,
    shapes: Shapes | None = None,
    date: Date | None = None,
    gone: Sequence[Gone] = (),
) -> list[Path]:
    """Write sheets: by suffix a page to print, a table, or routes for devices.

    Parameters
    ----------
    each
        A file for each vehicle, with its name in the file's.
    date, gone
        As of :func:`sheet_bytes`; those have no files of their own.

    Returns
    -------
    The files written.

    Raises
    ------
    geopar.errors.InputError
        As :func:`sheet_bytes`, or when a file cannot be written; then none is.
    """
    here = Path(path)
    kind = here.suffix.lower().lstrip(".")
    if kind not in FORMATS:
        refuse(
            "unknown-format", label(here), here.suffix, "is no suffix known here.",
            f"End the name in .{', .'.join(FORMATS)}.",
        )  # fmt: skip
    if not each:
        content = sheet_bytes(
            problem, plan, kind, vehicles=vehicles, shapes=shapes, date=date, gone=gone
        )
        write_files({here: content})
        return [here]
    faults, files = Faults(), dict[Path, bytes]()
    check_date(faults, problem, date)
    faults.raise_if_any()
    sheets, remarks = _looked_at(problem, plan, kind, vehicles)
    for sheet in sheets:
        target = _named_after(here, sheet.vehicle, files)
        broken = Remarks(remarks.broken)
        files[target] = _bytes(problem, plan, [sheet], kind, shapes, broken, date=date)
    write_files(files)
    return list(files)


def _named_after(path: Path, vehicle: str, taken: Mapping[Path, bytes]) -> Path:
    """The file of one vehicle: letters, digits, dots and dashes of its name."""
    plain = re.sub(r"[^\w.-]+", "-", vehicle).strip("-.")[:80] or "vehicle"
    target, number = path.with_name(f"{path.stem}-{plain}{path.suffix}"), 1
    while target in taken:
        number += 1
        target = path.with_name(f"{path.stem}-{plain}-{number}{path.suffix}")
    return target
