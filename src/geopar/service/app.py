"""The routes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from geopar.__about__ import __version__
from geopar.checking import check as check_plan
from geopar.errors import Faults, GeoparError, refuse
from geopar.files.remarks import remarks
from geopar.files.wording import shown
from geopar.problems import Problem
from geopar.service import page
from geopar.service.batching import BrokenPassError
from geopar.service.documents import join_text, problem_text, report_document, summary, to_text
from geopar.service.events import COMMENT, Event, EventStream
from geopar.service.jobs import Jobs
from geopar.service.messages import LostWorkerError
from geopar.service.openapi import OPERATIONS, openapi
from geopar.service.replan_answers import rest_text
from geopar.service.requests import (
    bound_reader,
    key_of,
    parsed,
    plan_reader,
    problem_reader,
    read_body,
    read_json,
    read_json_body,
    read_name,
    replan_reader,
    setting_reader,
    sheet_reader,
    solve_request_reader,
    trace_reader,
)
from geopar.service.responses import (
    BAD_REQUEST,
    UNAVAILABLE,
    UNSUPPORTED,
    RefusedError,
    error_response,
    json_response,
    refusal,
    text_response,
)
from geopar.service.schemas import STATUSES
from geopar.service.security import Guard
from geopar.service.service import Service, Settings
from geopar.service.sheet_answers import gone_for, job_plan, sheet_response
from geopar.service.store import Listing
from geopar.service.uploads import problem_from_files, uploaded
from geopar.sheets.dates import read_date

MOST_LISTED = 500
# Of a job, which is the cursor of a list.
LARGEST_NUMBER = 10**17
EVENT_STREAM = "text/event-stream"

_log = logging.getLogger(__name__)


def make_app(settings: Settings) -> Starlette:
    """The service as an ASGI application; ``app.state.service`` is the :class:`Service`."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        service = Service(settings)
        app.state.service = service
        await service.start()
        try:
            yield
        finally:
            await service.close()

    guard = Middleware(
        Guard, token=settings.token, tiles=settings.tiles, local_only=settings.local_only,
        on_answer=lambda *answer: app.state.service.metrics.request(*answer),
    )  # fmt: skip
    parts = (_solving_routes, _job_routes, _sheet_routes, _file_routes, _about_routes)
    app: Starlette = Starlette(
        routes=[route for part in parts for route in part(settings)],
        middleware=[guard],
        exception_handlers={
            GeoparError: _refused, HTTPException: _http_error, Exception: _internal_error
        },
        lifespan=lifespan,
    )  # fmt: skip
    return app


Endpoint = Callable[[Request], Awaitable[Response]]
Result = TypeVar("Result")


def _route(endpoint: Endpoint) -> Route:
    """A route as the OpenAPI document describes the operation of the endpoint's name."""
    operation = OPERATIONS[endpoint.__name__]
    route = Route(operation.path, endpoint, methods=[operation.method])
    route.methods = {operation.method}  # GET alone: HEAD would hold an event stream open
    return route


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


async def _refused(request: Request, error: Exception) -> Response:
    refused = refusal(error)
    if refused.code == "starting":
        _log.info("%s %s: %s", request.method, request.url.path, error)
    elif refused.status >= 500 and refused.code not in ("closing", "store-away"):
        _log.error("%s %s: %s", request.method, request.url.path, error)
    return error_response(refused)


async def _http_error(request: Request, error: Exception) -> Response:
    """Refusals of the framework: unknown paths and methods."""
    assert isinstance(error, HTTPException)
    message = f"{request.method} {request.url.path[:80]}: {error.detail}. See /openapi.json."
    code = {404: "no-such-path", 405: "wrong-method"}.get(error.status_code, "bad-request")
    return error_response(RefusedError(error.status_code, code, message, headers=error.headers))


async def _internal_error(request: Request, error: Exception) -> Response:
    _log.error("%s %s", request.method, request.url.path, exc_info=error)
    return error_response(error)


async def _unless_gone(request: Request, work: Awaitable[str]) -> str:
    """Await the work until the client disconnects or the service shuts down."""
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_until_gone(request))
    closing = asyncio.ensure_future(_service(request).closing.wait())
    try:
        await asyncio.wait((task, gone, closing), return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
    except (LostWorkerError, BrokenPassError) as error:
        message = f"This could not be solved: {error or 'the plan broke a rule'}. Try it again."
        raise RefusedError(UNAVAILABLE, "worker-lost", message) from error
    finally:
        for waiting in (task, gone, closing):
            waiting.cancel()
    raise RefusedError(UNAVAILABLE, "closing", "The service is shutting down.")


async def _until_gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _in_thread_if_large(problem: Problem, work: Callable[[], Result]) -> Result:
    return work() if problem.num_tasks <= 300 else await asyncio.to_thread(work)


def _solving_routes(settings: Settings) -> list[Route]:
    limits = settings.limits
    read_solve_request, read_traced = solve_request_reader(limits), trace_reader(limits)
    read_problem, read_plan = problem_reader(limits), plan_reader(limits)
    read_replan, read_bounded = replan_reader(limits), bound_reader(limits)

    async def solve(request: Request) -> Response:
        wanted = await read_json(request, limits, read_solve_request)
        text = await _unless_gone(request, _service(request).solve(wanted))
        return text_response(f'{{"result":{text}}}')

    async def trace(request: Request) -> Response:
        problem, seed = await read_json(request, limits, read_traced)
        return text_response(await _unless_gone(request, _service(request).trace(problem, seed)))

    async def bound(request: Request) -> Response:
        problem, seconds = await read_json(request, limits, read_bounded)
        return text_response(
            await _unless_gone(request, _service(request).bounds.find(problem, seconds))
        )

    async def validate(request: Request) -> Response:
        problem = await read_json(request, limits, read_problem)
        return json_response({"valid": True, "summary": summary(problem)})

    async def check(request: Request) -> Response:
        problem, plan = await read_json(request, limits, read_plan)

        def judge() -> str:
            # What a plan says it costs is no rule: it may have been edited since.
            report = check_plan(problem, plan.without_claim())
            return to_text(report_document(problem, plan, report))

        return text_response(await _in_thread_if_large(problem, judge))

    async def replan(request: Request) -> Response:
        wanted = await read_json(request, limits, read_replan)
        return text_response(await _in_thread_if_large(wanted.problem, lambda: rest_text(wanted)))

    return [*map(_route, (solve, trace, bound, validate, check, replan))]


def _job_routes(settings: Settings) -> list[Route]:
    read_solve_request = solve_request_reader(settings.limits, settings.webhooks)

    async def create_job(request: Request) -> Response:
        body = await read_json_body(request, settings.limits)
        key = await key_of(request, body)
        # A key that is known decides, whatever the body is: whoever took it for another request
        # hears of that first, and not of what is wrong with a body that makes no job anyway.
        place = None if key is None else await _service(request).jobs.made_before(key)
        if place is None:
            wanted = await parsed(body, read_solve_request)
            place = await _service(request).create_job(wanted, key)
        return json_response(place._asdict(), 202, {"Location": f"/jobs/{place.id}"})

    async def list_jobs(request: Request) -> Response:
        return text_response(await _service(request).jobs.listed(_listing(request)))

    async def get_job(request: Request) -> Response:
        return text_response(await _service(request).jobs.document(request.path_params["id"]))

    async def stop_job(request: Request) -> Response:
        jobs, id = _service(request).jobs, request.path_params["id"]
        if _flag(request, "forget"):
            await jobs.forget(id)
            return Response(status_code=204)
        return text_response(await jobs.stop(id))

    async def rename_job(request: Request) -> Response:
        name = await read_json(request, settings.limits, read_name)
        return text_response(await _service(request).jobs.rename(request.path_params["id"], name))

    async def get_job_problem(request: Request) -> Response:
        return text_response(await _service(request).jobs.problem(request.path_params["id"]))

    async def get_job_events(request: Request) -> Response:
        service, id = _service(request), request.path_params["id"]
        after = _last_seen(request)
        job = service.jobs.live(id)
        if job is None or job.log.closed:
            if not await service.runs_elsewhere(id):
                return await _ended_stream(service, id, after)
            job = None
        service.limits.check_room(
            "event streams", service.metrics.streams, service.limits.streams, "--streams"
        )
        events = service.follow_elsewhere(id, after) if job is None else job.log.follow(after)
        return EventStream(events, service.metrics)

    about_one = (get_job, stop_job, rename_job, get_job_problem, get_job_events)
    return [*map(_route, (create_job, list_jobs, *about_one))]


def _sheet_routes(settings: Settings) -> list[Route]:
    read_sheet_request = sheet_reader(settings.limits)

    async def sheet(request: Request) -> Response:
        wanted = await read_json(request, settings.limits, read_sheet_request)
        day = await _day_of(_service(request).jobs, wanted.rest_of)

        def make() -> Response:
            gone = gone_for(wanted.rest_of, day, wanted.plan) if wanted.rest_of else ()
            return sheet_response(*wanted[:5], gone=gone)

        return await asyncio.to_thread(make)

    async def get_job_sheet(request: Request) -> Response:
        jobs, id = _service(request).jobs, request.path_params["id"]
        documents = await jobs.problem(id), await jobs.document(id)
        query = request.query_params
        vehicles, faults = query.getlist("vehicle") or None, Faults()
        date = read_date(faults, "date", query.get("date"))
        faults.raise_if_any()

        asked, plan, preliminary, rest_of = await asyncio.to_thread(job_plan, *documents)
        day = await _day_of(jobs, rest_of)

        def make() -> Response:
            gone = gone_for(rest_of, day, plan) if rest_of else ()
            format = query.get("format", "html")
            return sheet_response(
                asked, plan, format, vehicles, date, preliminary=preliminary, gone=gone
            )

        return await asyncio.to_thread(make)

    return [*map(_route, (sheet, get_job_sheet))]


async def _day_of(jobs: Jobs, rest_of: Mapping[str, Any] | None) -> tuple[str, str] | None:
    """Problem and document of the job whose rest it is, where that is still here."""
    if not rest_of:
        return None
    try:
        return await jobs.problem(rest_of["job"]), await jobs.document(rest_of["job"])
    except RefusedError:
        return None


async def _ended_stream(service: Service, id: str, after: int) -> Response:
    """The last event of an ended job, once; then 204, so that browsers do not reconnect."""
    text = await service.jobs.document(id)
    row = await service.store.get(id)
    number = max(1, row.events if row is not None else 1)
    if after == number:
        return Response(status_code=204)
    return StreamingResponse(iter([COMMENT, Event(number, "end", text).encode()]),
                             media_type=EVENT_STREAM)  # fmt: skip


def _last_seen(request: Request) -> int:
    text = request.headers.get("last-event-id") or request.query_params.get("after", "0")
    if not (text.isascii() and text.isdecimal() and len(text) <= 15):
        refuse("bad-index", "Last-Event-ID", text, "must be a whole number.", "Maybe 0.")
    return int(text)


def _listing(request: Request) -> Listing:
    """Which jobs are asked for; all faults at once."""
    faults, query = Faults(), request.query_params
    most = _whole(faults, "limit", query.get("limit", "50"), 1, MOST_LISTED)
    before = None
    if "cursor" in query:
        before = _whole(faults, "cursor", query["cursor"], 1, LARGEST_NUMBER)
    statuses = tuple(filter(None, ",".join(query.getlist("status")).split(",")))
    for status in statuses:
        if status not in STATUSES:
            known = f"must be one of {', '.join(STATUSES)}."
            faults.add("unknown-value", "status", shown(status), known)
    faults.raise_if_any()
    return Listing(most, before, statuses, query.get("name") or None)


def _whole(faults: Faults, name: str, text: str, least: int, most: int) -> int:
    is_number = text.isascii() and text.isdecimal() and len(text) <= 18
    if not (is_number and least <= int(text) <= most):
        message = f"must be a whole number from {least} to {most:,}."
        faults.add("out-of-range", name, shown(text), message)
        return least
    return int(text)


def _flag(request: Request, name: str) -> bool:
    """Whether it is asked for: ``?forget=true``, or ``?forget`` alone."""
    text = request.query_params.get(name, "false")
    if text not in ("", "true", "1", "false", "0"):
        refuse("unknown-value", name, shown(text), "must be true or false.")
    return text in ("", "true", "1")


def _file_routes(settings: Settings) -> list[Route]:
    limits = settings.limits
    draw = setting_reader(limits)

    async def generate(request: Request) -> Response:
        problem = await read_json(request, limits, lambda value: value)
        # Drawing takes long for few bytes, so it is always left to a thread.
        return await _problem_response(await asyncio.to_thread(draw, problem))

    async def read(request: Request) -> Response:
        if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
            raise RefusedError(
                UNSUPPORTED, "wrong-content-type",
                "The body must be multipart/form-data with parts named files. With curl: "
                "-F files=@city.json.",
            )  # fmt: skip
        body = await read_body(request, limits)
        options = {k: v for k, v in request.query_params.items() if k not in ("name", "token")}

        async def parts() -> AsyncGenerator[bytes, None]:
            yield body
            yield b""

        try:
            parser = MultiPartParser(request.headers, parts(), max_files=4, max_fields=4)
            form = await parser.parse()
        except (MultiPartException, KeyError, ValueError, UnicodeError) as error:
            reason = getattr(error, "message", "") or "its parts have no clear boundaries"
            raise RefusedError(
                BAD_REQUEST, "bad-form", f"The form cannot be read: {reason}."
            ) from error
        async with _closing(form):
            files = await uploaded(form)
        try:
            problem = await asyncio.to_thread(problem_from_files, files, options, limits)
        except OSError as error:
            raise RefusedError(
                UNAVAILABLE, "no-room", f"The files cannot be kept while they are read: {error}."
            ) from error
        return await _problem_response(problem)

    return [*map(_route, (generate, read))]


@asynccontextmanager
async def _closing(form: Any) -> AsyncIterator[None]:
    try:
        yield
    finally:
        await form.close()


async def _problem_response(problem: Problem) -> Response:
    def described() -> tuple[str, list[str]]:
        return problem_text(problem), remarks(problem)

    text, found = await _in_thread_if_large(problem, described)
    about = {"summary": summary(problem), "remarks": found}
    return text_response(join_text(about, {"problem": text}))


def _about_routes(settings: Settings) -> list[Route]:
    described = to_text(openapi(settings))

    async def solvers(request: Request) -> Response:
        listed = _service(request).solver_list()
        listed |= {
            "limits": settings.limits.to_json(), "version": __version__, "tiles": settings.tiles
        }  # fmt: skip
        return json_response(listed)

    async def health(request: Request) -> Response:
        service = _service(request)
        told = {"status": "ok", "version": __version__, "solved": await service.health()}
        if service.cluster is not None:
            told["cluster"] = service.cluster.to_json()
        return json_response(told)

    async def metrics(request: Request) -> Response:
        service = _service(request)
        text = service.metrics.text(service.gauges())
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")

    async def document(request: Request) -> Response:
        return text_response(described)

    async def index(request: Request) -> Response:
        return page.index()

    async def docs(request: Request) -> Response:
        return page.docs()

    async def assets(request: Request) -> Response:
        return page.asset(request.path_params["name"])

    return [
        *map(_route, (solvers, health, metrics)),
        Route("/openapi.json", document),
        Route("/docs", docs),
        Route("/", index),
        Route("/assets/{name:path}", assets),
    ]
