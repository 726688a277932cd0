"""The OpenAPI document: every route with its schemas and an example that was really computed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from geopar.check import check
from geopar.files import plan_to_json, problem_to_json
from geopar.plan import Plan
from geopar.problems import HCVRP
from geopar.service.answers import JSON
from geopar.service.documents import report_document, result_document, summary
from geopar.service.schemas import Schema, components, ref
from geopar.service.service import Settings
from geopar.solve import judge
from geopar.solvers import Outcome

REASONS = {
    400: "Not JSON, or a form that cannot be read.",
    401: "The token is missing or wrong.",
    403: "A name that is not this machine's.",
    404: "There is no such job.",
    408: "The body took too long.",
    413: "The body is over the limit, which is named.",
    415: "The body is of another type.",
    422: "What is asked for makes no sense or is over a limit; every fault is listed.",
    429: "Too much at once; the limit is named.",
    503: "Not now: the workers are not well, there is no room to write, or the service ends.",
}
BODY = (400, 408, 413, 415, 422)

DESCRIPTION = """Plans routes for fleets of different vehicles.

Problems and plans are those of GeoPAR's files. Every plan was checked before it is answered with.
"""


@dataclass(frozen=True)
class _Route:
    """What is said of a route. ``body`` and ``answer`` are names of schemas."""

    summary: str
    answer: str | None = None
    body: str | None = None
    fails: tuple[int, ...] = ()
    status: int = 200
    description: str = ""
    parameters: tuple[Schema, ...] = ()
    media: str = JSON


def _query(name: str, schema: Schema, meaning: str) -> Schema:
    return {"name": name, "in": "query", "required": False, "schema": schema,
            "description": meaning}  # fmt: skip


_ID: Schema = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
_WHOLE: Schema = {"type": "integer", "minimum": 0, "maximum": 999_999_999}

_ROUTES = {
    "solve": _Route(
        "Solve and wait", "SolveAnswer", "SolveRequest", (*BODY, 429, 503),
        description="A client that goes away ends the run. `pointer` is one pass of our network; "
        "such requests go through it together.",
    ),
    "trace": _Route(
        "One pass of the network, step by step", "TraceAnswer", "TraceRequest", (*BODY, 429, 503)
    ),
    "validate": _Route("Find every fault of a problem", "ValidAnswer", "ProblemRequest", BODY),
    "check": _Route("Check a plan", "CheckAnswer", "CheckRequest", BODY),
    "create_job": _Route(
        "Solve in the background", "JobPlace", "SolveRequest", (*BODY, 429, 503), 202
    ),
    "list_jobs": _Route(
        "The newest jobs, without plans", "JobList", fails=(422,),
        parameters=(
            _query("limit", {"type": "integer", "minimum": 1, "maximum": 500}, "50 if left out."),
        ),
    ),
    "get_job": _Route("A job and its best plan so far", "Job", fails=(404,), parameters=(_ID,)),
    "stop_job": _Route(
        "End a job and keep its best plan", "Job", fails=(404,), parameters=(_ID,),
        description="A job that has ended stays as it is, however often this is asked.",
    ),
    "get_job_problem": _Route(
        "The problem of a job", "Problem", fails=(404,), parameters=(_ID,)
    ),
    "get_job_events": _Route(
        "What happens to a job, as server-sent events", fails=(404, 422, 429),
        description="Events `status`, `improvement` (time, objective, iterations, plan, schedule), "
        "`progress` and, last, `end` (the job). Whoever comes late or reads slowly gets the newest "
        "of each. 204 when there is nothing after the end.",
        parameters=(_ID, _query("after", _WHOLE, "The last id seen, as Last-Event-ID has it.")),
        media="text/event-stream",
    ),
    "generate": _Route("Draw a random problem", "ProblemAnswer", "GenerateRequest", BODY),
    "read": _Route(
        "Read a problem from files", "ProblemAnswer", "Files", (*BODY, 503),
        description="JSON, VRPLIB or npz in one file; CSV as stops and a file with `vehicles` in "
        "its name.",
        parameters=(
            _query("index", _WHOLE, "Which problem of an npz batch."),
            _query("num_vehicles", _WHOLE, "VRPLIB: how many."),
            _query("capacity", {"type": "string"}, "VRPLIB: one for all, or one each: 30,45."),
            _query("speed", {"type": "string"}, "VRPLIB: one for all, or one each: 1,0.5."),
        ),
    ),
    "solvers": _Route("Solvers and limits", "SolversAnswer"),
    "health": _Route("Solve a small case", "HealthAnswer", fails=(503,)),
    "metrics": _Route("Counters for Prometheus", media="text/plain"),
}  # fmt: skip


def describe(name: str) -> dict[str, Any]:
    """What FastAPI is to say of a route."""
    route = _ROUTES[name]
    schema: Schema = {"type": "string"} if route.answer is None else ref(route.answer)
    content: dict[str, Any] = {"schema": schema}
    responses: dict[int | str, Any] = {
        route.status: {"description": "Fine.", "content": {route.media: content}}
    }
    for status in (401, 403, *route.fails):
        responses[status] = {
            "description": REASONS[status], "content": {JSON: {"schema": ref("Error")}}
        }  # fmt: skip
    if name == "get_job_events":
        responses[204] = {"description": "There is nothing after the end."}
    extra: dict[str, Any] = {}
    if route.parameters:
        extra["parameters"] = list(route.parameters)
    if route.body is not None:
        media = "multipart/form-data" if route.body == "Files" else JSON
        extra["requestBody"] = {
            "required": True, "content": {media: {"schema": ref(route.body)}}
        }  # fmt: skip
    return {
        "operation_id": name,
        "summary": route.summary,
        "description": route.description,
        "status_code": route.status,
        "responses": responses,
        "openapi_extra": extra,
        "response_model": None,
    }


@lru_cache(maxsize=1)
def _examples() -> dict[str, Any]:
    """By name of the schema."""
    problem = HCVRP(
        (0.5, 0.5), [(0.1, 0.9), (0.7, 0.2), (0.9, 0.6)], [3, 2.5, 4], [10, 4], [1, 0.5],
        ["baker", "school", "clinic"], ["van", "bicycle"], name="three stops",
    )  # fmt: skip
    plan = Plan.from_indices(problem, [[[0], [1, 2]], []])
    result = judge(problem, Outcome(plan, iterations=1000), "refine", 1, 2.0)
    document = problem_to_json(problem)
    asked = {"problem": document}
    drawn = {"problem": document, "summary": summary(problem)}
    return {
        "SolveRequest": {**asked, "solver": "refine", "time_limit": 2, "seed": 1},
        "ProblemRequest": asked,
        "TraceRequest": {**asked, "seed": 0},
        "CheckRequest": {**asked, "plan": plan_to_json(plan)},
        "GenerateRequest": {"setting": "hcvrp/60/3", "seed": 1},
        "Problem": document,
        "ProblemAnswer": drawn,
        "ValidAnswer": {"valid": True, "summary": summary(problem)},
        "SolveAnswer": {"result": result_document(result)},
        "CheckAnswer": report_document(problem, check(problem, plan)),
    }


def _add_examples(document: dict[str, Any]) -> None:
    """Put examples beside the schemas; earlier FastAPI would leave out all that is null."""
    examples = {ref(name)["$ref"]: example for name, example in _examples().items()}
    for operations in document["paths"].values():
        for operation in operations.values():
            parts = [operation.get("requestBody", {}), *operation["responses"].values()]
            for content in (part for whole in parts for part in whole.get("content", {}).values()):
                name = content["schema"].get("$ref")
                if name in examples:
                    content["example"] = examples[name]


def openapi(app: FastAPI, settings: Settings) -> dict[str, Any]:
    """The whole document, made once."""
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title, version=app.version, description=DESCRIPTION, routes=app.routes
        )
        _add_examples(document)
        document["components"] = {"schemas": components(settings.limits)}
        if settings.token is not None:
            document["components"]["securitySchemes"] = {
                "token": {"type": "http", "scheme": "bearer"}
            }
            document["security"] = [{"token": []}]
        app.openapi_schema = document
    return app.openapi_schema
