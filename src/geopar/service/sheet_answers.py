"""Driver sheets as answers: of a plan that comes along, or of a job."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date as Date

from starlette.responses import Response

from geopar.files import parse_json, plan_from_json, problem_from_json
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.service.responses import NOT_FOUND, RefusedError
from geopar.sheets import FORMATS, sheet_bytes
from geopar.sheets.html import CONTENT_POLICY

MEDIA = {
    "html": "text/html",
    "csv": "text/csv",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "gpx": "application/gpx+xml",
    "geojson": "application/geo+json",
}
assert set(MEDIA) == set(FORMATS)


def sheet_response(
    problem: Problem,
    plan: Plan,
    format: str,
    vehicles: Sequence[str] | None,
    date: Date | None = None,
    *,
    preliminary: bool = False,
) -> Response:
    """The sheets; a page is shown, anything else is saved under a name."""
    content = sheet_bytes(
        problem, plan, format, vehicles=vehicles, preliminary=preliminary, date=date
    )
    headers = {"Content-Security-Policy": CONTENT_POLICY}
    if format != "html":
        name = "sheets-preliminary" if preliminary else "sheets"
        headers["Content-Disposition"] = f'attachment; filename="{name}.{format}"'
    return Response(content, headers=headers, media_type=MEDIA[format])


def job_plan(problem: str, job: str) -> tuple[Problem, Plan, bool]:
    """Problem, best plan so far and whether it may still change, from the documents of a job.

    Raises
    ------
    RefusedError
        Where there is no plan yet.
    """
    found = json.loads(job)
    if found["result"] is None:
        message = f"Job {found['id']} has no plan yet; it is {found['status']}."
        raise RefusedError(NOT_FOUND, "no-plan", message)
    plan = plan_from_json(found["result"]["plan"])
    preliminary = found["status"] in ("queued", "running")
    return problem_from_json(parse_json(problem.encode())), plan, preliminary
