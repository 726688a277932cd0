"""Driver sheets as answers: of a plan that comes along, or of a job."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date as Date
from typing import Any, NamedTuple

from starlette.responses import Response

from geopar.errors import InputError
from geopar.files import parse_json, plan_from_json, problem_from_json
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.replanning.gone import gone
from geopar.replanning.rest import rest_of_day
from geopar.service.responses import NOT_FOUND, RefusedError
from geopar.sheets import FORMATS, sheet_bytes
from geopar.sheets.gone import Gone
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
    gone: Sequence[Gone] = (),
) -> Response:
    """The sheets; a page is shown, anything else is saved under a name."""
    content = sheet_bytes(
        problem, plan, format, vehicles=vehicles, preliminary=preliminary, date=date, gone=gone
    )
    headers = {"Content-Security-Policy": CONTENT_POLICY}
    if format != "html":
        name = "sheets-preliminary" if preliminary else "sheets"
        headers["Content-Disposition"] = f'attachment; filename="{name}.{format}"'
    return Response(content, headers=headers, media_type=MEDIA[format])


class JobPlan(NamedTuple):
    """Problem and best plan of a job, whether that may still change, and whose rest it is."""

    problem: Problem
    plan: Plan
    preliminary: bool
    rest_of: dict[str, Any] | None


def job_plan(problem: str, job: str) -> JobPlan:
    """What sheets need of a job, from its documents.

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
    rest_of = (found.get("options") or {}).get("rest_of")
    return JobPlan(problem_from_json(parse_json(problem.encode())), plan, preliminary, rest_of)


def gone_for(rest_of: Mapping[str, Any], day: tuple[str, str] | None, plan: Plan) -> Sequence[Gone]:
    """Who is out of service in the rest of a day.

    Parameters
    ----------
    rest_of
        Of which day, and what was asked.
    day
        The documents of its job; None where that is not here any more.
    plan
        Of the rest.
    """
    names = rest_of.get("out_of_service") or []
    if day is not None and names:
        try:
            found = job_plan(*day)
            rest = rest_of_day(
                found.problem.minimising(found.plan.minimise), found.plan, rest_of["now"],
                out_of_service=names, goods_back=rest_of.get("goods_back"),
                cancelled=rest_of.get("cancelled") or (),
            )  # fmt: skip
            return gone(rest, plan)
        except (InputError, RefusedError):
            pass  # What a client says of its day need not be true.
    return [Gone(name, "", "Out of service.") for name in names]
