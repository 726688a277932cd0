"""Routes and what is said of them; no worker is started."""

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from geopar.service.app import make_app
from geopar.service.metrics import Metrics
from geopar.service.openapi import openapi
from geopar.service.service import Settings


def ask(method: str, path: str) -> tuple[httpx.Response, Metrics]:
    app, metrics = make_app(Settings()), Metrics()
    app.state.service = SimpleNamespace(metrics=metrics)

    async def call() -> httpx.Response:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.request(method, path)

    return asyncio.run(call()), metrics


def test_the_document_is_served_as_it_is_made() -> None:
    answer, _ = ask("GET", "/openapi.json")
    assert answer.json() == json.loads(json.dumps(openapi(Settings())))


def test_a_token_is_part_of_the_document() -> None:
    document = openapi(Settings(token="secret"))
    assert document["security"] == [{"token": []}]
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"


def test_every_operation_has_its_route() -> None:
    known: Any = make_app(Settings()).routes
    routes = {(route.path, method) for route in known
              for method in route.methods}  # fmt: skip
    for path, methods in openapi(Settings())["paths"].items():
        for method in methods:
            assert (path, method.upper()) in routes


@pytest.mark.parametrize(
    ("method", "path", "status", "code", "route"),
    [
        ("GET", "/nowhere", 404, "no-such-path", "other"),
        ("PUT", "/solve", 405, "wrong-method", "/solve"),
        ("POST", "/solve", 415, "wrong-content-type", "/solve"),
    ],
)
def test_refusals_have_one_form_and_are_counted_by_route(
    method: str, path: str, status: int, code: str, route: str
) -> None:
    answer, metrics = ask(method, path)
    assert answer.status_code == status
    assert answer.json()["error"]["code"] == code
    assert list(metrics.requests) == [(method, route, status)]


def test_no_stream_is_opened_for_its_head_alone() -> None:
    assert ask("HEAD", "/jobs/1/events")[0].status_code == 405
