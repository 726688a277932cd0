"""The OpenAPI document: every route with its schemas and an example that was really computed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from geopar.__about__ import __version__
from geopar.bounding import Bound
from geopar.checking import check
from geopar.files import plan_to_json, problem_to_json
from geopar.plan import Plan
from geopar.problems import HCVRP
from geopar.problems.hcvrp.bound import lower_bound
from geopar.service.documents import report_document, result_document, summary
from geopar.service.requests import LONGEST_KEY
from geopar.service.responses import JSON
from geopar.service.schemas import STATUSES, Schema, components, ref
from geopar.service.service import Settings
from geopar.service.sheet_answers import MEDIA
from geopar.solver import Outcome
from geopar.solving import judge

REASONS = {
    400: "Not JSON, or a form that cannot be read.",
    401: "The token is missing or wrong.",
    403: "A host name that is not this machine's, or a web page of another origin.",
    404: "There is no such job.",
    409: "The job has not ended.",
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
class Operation:
    """One method of one path, and what is said of it.

    ``body`` and ``answer`` are names of schemas, ``fails`` the statuses of errors, ``nothing`` is
    what an answer without content means.
    """

    method: str
    path: str
    summary: str
    answer: str | None = None
    body: str | None = None
    fails: tuple[int, ...] = ()
    status: int = 200
    description: str = ""
    parameters: tuple[Schema, ...] = ()
    media: str = JSON
    other_media: tuple[str, ...] = ()
    nothing: str | None = None


def _query(name: str, schema: Schema, meaning: str) -> Schema:
    return {"name": name, "in": "query", "required": False, "schema": schema,
            "description": meaning}  # fmt: skip


_ID: Schema = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
_KEY: Schema = {
    "name": "Idempotency-Key", "in": "header", "required": False,
    "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY,
               "pattern": "^[!-~]([ -~]*[!-~])?$"},
    "description": "One for each job, such as a UUID.",
}  # fmt: skip
_WHOLE: Schema = {"type": "integer", "minimum": 0, "maximum": 999_999_999}
SHEET_MEDIA = tuple(media for media in MEDIA.values() if media != "text/html")

OPERATIONS = {
    "solve": Operation(
        "POST",
        "/solve",
        "Solve and wait",
        "SolveAnswer",
        "SolveRequest",
        (*BODY, 429, 503),
        description="A client that goes away ends the run. `pointer` is one pass of our network; "
        "such requests go through it together.",
    ),
    "trace": Operation(
        "POST",
        "/trace",
        "One pass of the network, step by step",
        "TraceAnswer",
        "TraceRequest",
        (*BODY, 429, 503),
    ),
    "bound": Operation(
        "POST",
        "/bound",
        "How good a plan could be at best",
        "BoundAnswer",
        "BoundRequest",
        (*BODY, 429, 503),
        description="A makespan that no plan beats which serves everybody, of HCVRP whose vehicles "
        "come home. It takes seconds, and proves more the longer it may, until it is `complete`.",
    ),
    "validate": Operation(
        "POST", "/validate", "Find every fault of a problem", "ValidAnswer", "ProblemRequest", BODY
    ),
    "check": Operation("POST", "/check", "Check a plan", "CheckAnswer", "CheckRequest", BODY),
    "replan": Operation(
        "POST",
        "/replan",
        "The rest of a day that is under way",
        "ReplanAnswer",
        "ReplanRequest",
        BODY,
        description="Where everybody is at the moment `now`, if all went as `plan` has it, and "
        "what is left to do from there. Nothing is planned yet: send `problem` and `start` of the "
        "answer to `/jobs` or `/solve`. Asked again with `new_plan`, it tells what that changes.",
    ),
    "create_job": Operation(
        "POST",
        "/jobs",
        "Solve in the background",
        "JobPlace",
        "JobRequest",
        (*BODY, 429, 503),
        202,
        description="With an `Idempotency-Key` the same request makes one job, however often it is "
        "sent, also after a restart; the key ends with the job. The same key with another body, "
        "even one that makes no sense, is refused with `key-reused`.",
        parameters=(_KEY,),
    ),
    "list_jobs": Operation(
        "GET",
        "/jobs",
        "Jobs without plans, newest first, page by page",
        "JobList",
        fails=(422,),
        description="Give `next` of one page as the `cursor` of the next. Pages hold while jobs "
        "come and go: none is told twice, and none is missed.",
        parameters=(
            _query("limit", {"type": "integer", "minimum": 1, "maximum": 500}, "50 if left out."),
            _query(
                "cursor",
                {"type": "string", "pattern": "^[1-9][0-9]{0,16}$"},
                "`next` of the page before; the newest if left out.",
            ),
            _query(
                "status",
                {"type": "array", "items": {"enum": list(STATUSES)}},
                "Only of these; of any if left out.",
            ),
            _query(
                "name",
                {"type": "string"},
                "Only those whose name has this in it, in capitals or not.",
            ),
        ),
    ),
    "get_job": Operation(
        "GET",
        "/jobs/{id}",
        "A job and its best plan so far",
        "Job",
        fails=(404,),
        parameters=(_ID,),
    ),
    "stop_job": Operation(
        "DELETE",
        "/jobs/{id}",
        "End a job and keep its best plan; or forget one that has ended",
        "Job",
        fails=(404, 409, 422, 503),
        parameters=(_ID, _query("forget", {"type": "boolean"}, "false if left out.")),
        description="A job that has ended stays as it is, however often this is asked, unless "
        "`forget` is true: then it is removed, with its problem and its plan, and 204 is answered.",
        nothing="It is forgotten.",
    ),
    "rename_job": Operation(
        "PATCH",
        "/jobs/{id}",
        "Give a job another name",
        "Job",
        "NameRequest",
        (*BODY, 404, 503),
        parameters=(_ID,),
        description="Whatever its status. A name that is null or empty takes the name away.",
    ),
    "get_job_problem": Operation(
        "GET",
        "/jobs/{id}/problem",
        "The problem of a job",
        "Problem",
        fails=(404,),
        parameters=(_ID,),
    ),
    "get_job_events": Operation(
        "GET",
        "/jobs/{id}/events",
        "What happens to a job, as server-sent events",
        fails=(404, 422, 429),
        description="Events `status`, `improvement` (time, objective, iterations, plan, schedule), "
        "`progress` (time, iterations; `compiling` while code for it is compiled, once) and, last, "
        "`end` (the job). A client that is late or slow gets the newest "
        "of each. 204 when there is nothing after the end.",
        parameters=(_ID, _query("after", _WHOLE, "The last id seen, as Last-Event-ID has it.")),
        media="text/event-stream",
        nothing="There is nothing after the end.",
    ),
    "sheet": Operation(
        "POST",
        "/sheet",
        "Driver sheets of a plan",
        body="SheetRequest",
        fails=BODY,
        description="A page to print, a table, or routes for devices, as `format` says.",
        media="text/html",
        other_media=SHEET_MEDIA,
    ),
    "get_job_sheet": Operation(
        "GET",
        "/jobs/{id}/sheet",
        "Driver sheets of a job's best plan; preliminary while it runs",
        fails=(404, 422),
        parameters=(
            _ID,
            _query("format", {"enum": list(MEDIA)}, "html if left out."),
            _query("vehicle", {"type": "array", "items": {"type": "string"}}, "All if left out."),
            _query(
                "date", {"type": "string", "format": "date"}, "To print, where times have none."
            ),
        ),
        media="text/html",
        other_media=SHEET_MEDIA,
    ),
    "generate": Operation(
        "POST", "/generate", "Draw a random problem", "ProblemAnswer", "GenerateRequest", BODY
    ),
    "read": Operation(
        "POST",
        "/read",
        "Read a problem from files",
        "ProblemAnswer",
        "Files",
        (*BODY, 503),
        description="JSON, VRPLIB or npz in one file; CSV as stops and a file with `vehicles` in "
        "its name.",
        parameters=(
            _query("index", _WHOLE, "Which problem of an npz batch."),
            _query("num_vehicles", _WHOLE, "VRPLIB: how many."),
            _query("capacity", {"type": "string"}, "VRPLIB: one for all, or one each: 30,45."),
            _query("speed", {"type": "string"}, "VRPLIB: one for all, or one each: 1,0.5."),
        ),
    ),
    "solvers": Operation("GET", "/solvers", "Solvers and limits", "SolversAnswer"),
    "health": Operation("GET", "/health", "Solve a small case", "HealthAnswer", fails=(503,)),
    "metrics": Operation("GET", "/metrics", "Counters for Prometheus", media="text/plain"),
}


def _described(name: str, operation: Operation) -> dict[str, Any]:
    """One operation as the document has it."""
    schema: Schema = {"type": "string"} if operation.answer is None else ref(operation.answer)
    responses: dict[str, Any] = {
        str(operation.status): {
            "description": "Fine.",
            "content": {one: _content(schema) for one in (operation.media, *operation.other_media)},
        }
    }  # fmt: skip
    for status in (401, 403, *operation.fails):
        responses[str(status)] = {
            "description": REASONS[status], "content": {JSON: _content(ref("Error"))}
        }  # fmt: skip
    if operation.nothing is not None:
        responses["204"] = {"description": operation.nothing}
    described: dict[str, Any] = {
        "operationId": name, "summary": operation.summary, "responses": responses
    }  # fmt: skip
    if operation.description:
        described["description"] = operation.description
    if operation.parameters:
        described["parameters"] = list(operation.parameters)
    if operation.body is not None:
        media = "multipart/form-data" if operation.body == "Files" else JSON
        described["requestBody"] = {
            "required": True, "content": {media: _content(ref(operation.body))}
        }  # fmt: skip
    return described


def _content(schema: Schema) -> dict[str, Any]:
    """A schema with its example, if there is one."""
    examples = {ref(name)["$ref"]: example for name, example in _examples().items()}
    example = examples.get(schema.get("$ref"))
    return {"schema": schema} if example is None else {"schema": schema, "example": example}


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
    drawn = {"problem": document, "summary": summary(problem), "remarks": []}
    # The quick one: the other would have to be compiled before the service can start.
    proven = Bound(lower_bound(problem), "work", False, 0.0)
    return {
        "SolveRequest": {**asked, "solver": "refine", "time_limit": 2, "seed": 1},
        "JobRequest": {**asked, "solver": "refine", "time_limit": 2, "seed": 1},
        "ProblemRequest": asked,
        "TraceRequest": {**asked, "seed": 0},
        "BoundRequest": {**asked, "time_limit": 5},
        "CheckRequest": {**asked, "plan": plan_to_json(plan)},
        "SheetRequest": {**asked, "plan": plan_to_json(plan), "format": "csv"},
        "ReplanRequest": {
            **asked,
            "plan": plan_to_json(plan),
            "now": 1.2,
            "out_of_service": ["bicycle"],
        },
        "NameRequest": {"name": "Monday, final"},
        "GenerateRequest": {"setting": "hcvrp/60/3", "seed": 1},
        "Problem": document,
        "ProblemAnswer": drawn,
        "ValidAnswer": {"valid": True, "summary": summary(problem)},
        "SolveAnswer": {"result": result_document(result)},
        "BoundAnswer": proven._asdict(),
        "CheckAnswer": report_document(problem, plan, check(problem, plan)),
    }


def openapi(settings: Settings) -> dict[str, Any]:
    """The whole document."""
    paths: dict[str, dict[str, Any]] = {}
    for name, operation in OPERATIONS.items():
        methods = paths.setdefault(operation.path, {})
        methods[operation.method.lower()] = _described(name, operation)
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "GeoPAR", "version": __version__, "description": DESCRIPTION},
        "paths": paths,
        "components": {"schemas": components(settings.limits)},
    }
    if settings.token is not None:
        document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"token": []}]
    return document
