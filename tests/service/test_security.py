import asyncio
from typing import Any

import httpx
import pytest
from starlette.responses import PlainTextResponse

from geopar.service.security import Guard, content_policy, is_local
from geopar.sheets.html import STYLE_DIGEST


def ask(
    path: str, headers: dict | None = None, method: str = "GET", **options: object
) -> tuple[httpx.Response, list]:
    told: list = []
    settings: dict[str, Any] = {"token": None, "tiles": None, "local_only": False} | options
    guard = Guard(PlainTextResponse("in"), on_answer=lambda *a: told.append(a), **settings)

    async def call() -> httpx.Response:
        transport = httpx.ASGITransport(app=guard)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.request(method, path, headers=headers)

    return asyncio.run(call()), told


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/solvers", {}, 401),
        ("/solvers", {"Authorization": "Bearer wrong"}, 401),
        ("/solvers", {"Authorization": "Basic secret"}, 401),
        ("/solvers", {"Authorization": "Bearer secret"}, 200),
        ("/solvers?token=secret", {}, 401),
        ("/jobs/1/events?token=secret", {}, 200),
        ("/jobs/1/events?token=wrong", {}, 401),
        ("/", {}, 200),
        ("/assets/a.js", {}, 200),
        ("/health", {}, 200),
    ],
)
def test_the_token(path: str, headers: dict, status: int) -> None:
    answer, _ = ask(path, headers, token="secret")
    assert answer.status_code == status
    if status == 401:
        assert answer.headers["www-authenticate"] == "Bearer"
        assert "secret" not in answer.text


def test_safe_headers_on_every_answer_and_each_is_counted() -> None:
    for token in (None, "secret"):
        answer, told = ask("/solvers", token=token)
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["cache-control"] == "no-store"
        assert [(method, status) for method, _, status, _ in told] == [("GET", answer.status_code)]


def test_names_of_other_machines() -> None:
    assert ask("/", {"Host": "evil.example"}, local_only=True)[0].status_code == 403
    assert ask("/", {"Host": "localhost:8000"}, local_only=True)[0].status_code == 200
    assert ask("/", {"Host": "evil.example"})[0].status_code == 200
    assert is_local("127.0.0.1:80")
    assert is_local("[::1]:80")
    assert not is_local("[::1")
    assert not is_local("")


def test_only_the_tile_server_is_let_in() -> None:
    policy = content_policy("https://{s}.tiles.example/{z}/{x}/{y}.png")
    assert "img-src 'self' data: blob: https://*.tiles.example;" in policy
    assert "http" not in content_policy(None)
    assert STYLE_DIGEST in content_policy(None)  # of sheets that the page opens by itself


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "http://localhost:81"}, 403),
        ({"Origin": "http://[broken"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "https://behind.a.proxy"}, 200),
        ({"Origin": "http://localhost"}, 200),
        ({}, 200),
    ],
)
def test_forms_of_other_origins_are_refused(headers: dict, status: int) -> None:
    form = {"Content-Type": "multipart/form-data; boundary=x"}
    answer, _ = ask("/read", headers | form, "POST")
    assert answer.status_code == status
    if status == 403:
        assert answer.json()["error"]["code"] == "foreign-origin"


def test_browsers_ask_before_they_send_json() -> None:
    headers = {"Origin": "https://evil.example", "Content-Type": "application/json; charset=utf-8"}
    assert ask("/solve", headers, "POST")[0].status_code == 200
    assert ask("/", {"Origin": "https://evil.example"})[0].status_code == 200
