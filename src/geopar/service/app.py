"""The routes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from geopar.__about__ import __version__
from geopar.check import check
from geopar.errors import Faults, GeoparError
from geopar.problems import Problem
from geopar.service import page
from geopar.service.answers import (
    BAD_REQUEST,
    UNAVAILABLE,
    UNSUPPORTED,
    RefusedError,
    answer,
    answer_error,
    answer_json,
    refusal,
)
from geopar.service.batching import BrokenPassError
from geopar.service.bodies import (
    plan_reader,
    problem_reader,
    read_body,
    read_json,
    setting_reader,
    trace_reader,
    wish_reader,
)
from geopar.service.documents import problem_text, report_document, summary
from geopar.service.events import COMMENT, Event
from geopar.service.openapi import describe, openapi
from geopar.service.orders import LostWorkerError
from geopar.service.security import Guard
from geopar.service.service import Service, Settings
from geopar.service.streaming import EventStream
from geopar.service.texts import join_text, to_text
from geopar.service.uploads import problem_from_files, uploaded

MOST_LISTED = 500
EVENT_STREAM = "text/event-stream"

_log = logging.getLogger(__name__)


def make_app(settings: Settings) -> FastAPI:
    """The service as an ASGI application; ``app.state.service`` is what stands behind it."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        service = Service(settings)
        app.state.service = service
        await service.start()
        try:
            yield
        finally:
            await service.close()

    # Its own pages of documentation load scripts from elsewhere, so they stay off.
    app = FastAPI(title="GeoPAR", version=__version__, docs_url=None, redoc_url=None,
                  lifespan=lifespan)  # fmt: skip
    app.openapi = lambda: openapi(app, settings)  # type: ignore[method-assign]
    app.add_middleware(
        Guard, token=settings.token, tiles=settings.tiles, local_only=settings.local_only,
        on_answer=lambda *answer: app.state.service.metrics.request(*answer),
    )  # fmt: skip
    app.add_exception_handler(GeoparError, _tell)
    app.add_exception_handler(HTTPException, _tell_http)
    app.add_exception_handler(Exception, _tell_broken)
    for add in (_add_solving, _add_jobs, _add_files, _add_about):
        add(app, settings)
    return app


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


async def _tell(request: Request, error: Exception) -> Response:
    refused = refusal(error)
    if refused.status >= 500 and refused.code not in ("closing", "starting"):
        _log.error("%s %s: %s", request.method, request.url.path, error)
    return answer_error(refused)


async def _tell_http(request: Request, error: Exception) -> Response:
    """What the framework refuses by itself: unknown paths and methods."""
    assert isinstance(error, HTTPException)
    message = f"{request.method} {request.url.path[:80]}: {error.detail}. See /openapi.json."
    code = {404: "no-such-path", 405: "wrong-method"}.get(error.status_code, "bad-request")
    return answer_error(RefusedError(error.status_code, code, message, headers=error.headers))


async def _tell_broken(request: Request, error: Exception) -> Response:
    _log.error("%s %s", request.method, request.url.path, exc_info=error)
    return answer_error(error)


async def _unless_gone(request: Request, work: Awaitable[str]) -> str:
    """Wait for the work, but not for a client that went away or a service that ends."""
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
    raise RefusedError(UNAVAILABLE, "closing", "The service ends, or nobody waits for this.")


async def _until_gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _in_thread_if_large(problem: Problem, work: Callable[[], str]) -> str:
    return work() if problem.num_tasks <= 300 else await asyncio.to_thread(work)


def _add_solving(app: FastAPI, settings: Settings) -> None:
    limits = settings.limits
    read_wish, read_traced = wish_reader(limits), trace_reader(limits)
    read_problem, read_plan = problem_reader(limits), plan_reader(limits)

    @app.post("/solve", **describe("solve"))
    async def solve(request: Request) -> Response:
        wish = await read_json(request, limits, read_wish)
        text = await _unless_gone(request, _service(request).solve(wish))
        return answer(f'{{"result":{text}}}')

    @app.post("/trace", **describe("trace"))
    async def trace(request: Request) -> Response:
        problem, seed = await read_json(request, limits, read_traced)
        return answer(await _unless_gone(request, _service(request).trace(problem, seed)))

    @app.post("/validate", **describe("validate"))
    async def validate(request: Request) -> Response:
        problem = await read_json(request, limits, read_problem)
        return answer_json({"valid": True, "summary": summary(problem)})

    @app.post("/check", **describe("check"))
    async def check_plan(request: Request) -> Response:
        problem, plan = await read_json(request, limits, read_plan)

        def judge() -> str:
            return to_text(report_document(problem, check(problem, plan)))

        return answer(await _in_thread_if_large(problem, judge))


def _add_jobs(app: FastAPI, settings: Settings) -> None:
    read_wish = wish_reader(settings.limits)

    @app.post("/jobs", **describe("create_job"))
    async def create_job(request: Request) -> Response:
        wish = await read_json(request, settings.limits, read_wish)
        service = _service(request)
        job = await service.create_job(wish)
        place = {
            "id": job.row.id,
            "status": job.row.status,
            "position": service.line.position(job.run),
        }
        return answer_json(place, 202, {"Location": f"/jobs/{job.row.id}"})

    @app.get("/jobs", **describe("list_jobs"))
    async def list_jobs(request: Request) -> Response:
        most = _whole(request, "limit", 50, 1, MOST_LISTED)
        return answer(await _service(request).jobs.listed(most))

    @app.get("/jobs/{id}", **describe("get_job"))
    async def get_job(request: Request) -> Response:
        return answer(await _service(request).jobs.document(request.path_params["id"]))

    @app.delete("/jobs/{id}", **describe("stop_job"))
    async def stop_job(request: Request) -> Response:
        return answer(await _service(request).jobs.stop(request.path_params["id"]))

    @app.get("/jobs/{id}/problem", **describe("get_job_problem"))
    async def get_job_problem(request: Request) -> Response:
        return answer(await _service(request).jobs.problem(request.path_params["id"]))

    @app.get("/jobs/{id}/events", **describe("get_job_events"))
    async def get_job_events(request: Request) -> Response:
        service, id = _service(request), request.path_params["id"]
        after = _last_seen(request)
        job = service.jobs.live(id)
        if job is None or job.log.closed:
            return await _ended_stream(service, id, after)
        service.limits.check_room(
            "event streams", service.metrics.streams, service.limits.streams, "--streams"
        )
        return EventStream(job.log.follow(after), service.metrics)


async def _ended_stream(service: Service, id: str, after: int) -> Response:
    """The end of a job that ended before: once, then nothing, so that browsers stop asking."""
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
        faults = Faults()
        faults.add("bad-index", "Last-Event-ID", text, "must be a whole number.", "Maybe 0.")
        faults.raise_now()
    return int(text)


def _whole(request: Request, name: str, default: int, least: int, most: int) -> int:
    text = request.query_params.get(name, str(default))
    is_number = text.isascii() and text.isdecimal() and len(text) <= 9
    if not (is_number and least <= int(text) <= most):
        faults = Faults()
        faults.add("out-of-range", name, text, f"must be a whole number from {least} to {most}.")
        faults.raise_now()
    return int(text)


def _add_files(app: FastAPI, settings: Settings) -> None:
    limits = settings.limits
    draw = setting_reader(limits)

    @app.post("/generate", **describe("generate"))
    async def generate(request: Request) -> Response:
        problem = await read_json(request, limits, lambda value: value)
        # Drawing takes long for few bytes, so it is always left to a thread.
        return await _problem_answer(await asyncio.to_thread(draw, problem))

    @app.post("/read", **describe("read"))
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
            told = getattr(error, "message", "") or "its parts cannot be told apart"
            raise RefusedError(
                BAD_REQUEST, "bad-form", f"The form cannot be read: {told}."
            ) from error
        async with _closing(form):
            files = await uploaded(form)
        try:
            problem = await asyncio.to_thread(problem_from_files, files, options, limits)
        except OSError as error:
            raise RefusedError(
                UNAVAILABLE, "no-room", f"The files cannot be kept while they are read: {error}."
            ) from error
        return await _problem_answer(problem)


@asynccontextmanager
async def _closing(form: Any) -> AsyncIterator[None]:
    try:
        yield
    finally:
        await form.close()


async def _problem_answer(problem: Problem) -> Response:
    text = await _in_thread_if_large(problem, lambda: problem_text(problem))
    return answer(join_text({"summary": summary(problem)}, {"problem": text}))


def _add_about(app: FastAPI, settings: Settings) -> None:
    @app.get("/solvers", **describe("solvers"))
    async def solvers(request: Request) -> Response:
        told = await _service(request).solver_list()
        told |= {
            "limits": settings.limits.to_json(), "version": __version__, "tiles": settings.tiles
        }  # fmt: skip
        return answer_json(told)

    @app.get("/health", **describe("health"))
    async def health(request: Request) -> Response:
        solved = await _service(request).health()
        return answer_json({"status": "ok", "version": __version__, "solved": solved})

    @app.get("/metrics", **describe("metrics"))
    async def metrics(request: Request) -> Response:
        service = _service(request)
        text = service.metrics.text(service.gauges())
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")

    @app.get("/", include_in_schema=False)
    async def index() -> Response:
        return page.index()

    @app.get("/assets/{name:path}", include_in_schema=False)
    async def assets(request: Request) -> Response:
        return page.asset(request.path_params["name"])
