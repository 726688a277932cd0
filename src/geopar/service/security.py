"""Middleware around every request: Host, Origin and token checks, and safe response headers.

Plain ASGI: Starlette's base middleware would hide from the application that a client disconnected.
"""

from __future__ import annotations

import hmac
import ipaddress
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from geopar.service.responses import JSON, UNAUTHORISED, RefusedError, error_response
from geopar.sheets.html import STYLE_DIGEST

OPEN_PATHS = ("/", "/docs", "/health", "/favicon.ico")
OPEN_FOLDER = "/assets/"

OnAnswer = Callable[[str, str, int, float], None]


def content_policy(tiles: str | None) -> str:
    """The Content-Security-Policy: all from this origin; images also from the tile server."""
    host = ""
    if tiles:
        parts = urlsplit(tiles.replace("{s}", "*"))
        host = f" {parts.scheme}://{parts.netloc}"
    return (
        # A driver sheet that the page opens as a blob is under the page's policy.
        f"default-src 'none'; script-src 'self'; style-src 'self' {STYLE_DIGEST}; "
        "connect-src 'self'; "
        f"img-src 'self' data: blob:{host}; font-src 'self'; worker-src 'self' blob:; "
        "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


class Guard:
    """Middleware around the whole service.

    Parameters
    ----------
    app
        The application.
    token
        The bearer token that clients must send, if any.
    tiles
        Address of the tile server, if any.
    local_only
        Whether the Host header must name this machine: another name means DNS rebinding, a web
        page whose own name resolves to this address.
    on_answer
        Called with method, route, status and seconds of every response.
    """

    def __init__(
        self,
        app: ASGIApp,
        token: str | None,
        tiles: str | None,
        local_only: bool,
        on_answer: OnAnswer,
    ) -> None:
        self.app, self.token, self.on_answer = app, token, on_answer
        self.local_only = local_only
        self.headers = {
            "Content-Security-Policy": content_policy(tiles),
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = time.perf_counter()

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
                route = getattr(scope.get("route"), "path", "other")
                seconds = time.perf_counter() - began
                self.on_answer(scope["method"], route, message["status"], seconds)
            await send(message)

        refused = self._refuse(scope)
        if refused is not None:
            await error_response(refused)(scope, receive, send_safely)
            return
        await self.app(scope, receive, send_safely)

    def _refuse(self, scope: Scope) -> RefusedError | None:
        headers = Headers(scope=scope)
        if self.local_only and not is_local(headers.get("host", "localhost")):
            return RefusedError(
                403, "wrong-host",
                "This service listens on this machine only, under localhost or its address.",
            )  # fmt: skip
        if scope["method"] == "POST" and is_foreign(headers):
            return RefusedError(
                403, "foreign-origin", "Web pages of other origins may not post to this service."
            )
        path: str = scope["path"]
        if self.token is None or path in OPEN_PATHS or path.startswith(OPEN_FOLDER):
            return None
        if hmac.compare_digest(_shown(scope, headers).encode(), self.token.encode()):
            return None
        return RefusedError(
            UNAUTHORISED, "no-token",
            "This service wants a token. Send the header `Authorization: Bearer TOKEN`.",
            headers={"WWW-Authenticate": "Bearer"},
        )  # fmt: skip


def _shown(scope: Scope, headers: Headers) -> str:
    """The token that a client shows: in the header, or in the query where no header can be set."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return token.strip()
    if scope["path"].endswith("/events"):
        query: dict[str, list[Any]] = parse_qs(scope["query_string"].decode("latin-1"))
        return str(query.get("token", [""])[0])
    return ""


def is_foreign(headers: Headers) -> bool:
    """Whether another site's page posts, with a body that browsers send without a preflight.

    Browsers ask before they send JSON to another origin, and are refused; forms they just send.
    """
    if headers.get("content-type", "").partition(";")[0].strip().lower() == JSON:
        return False
    site = headers.get("sec-fetch-site")
    if site is not None:  # set by the browser: pages cannot change it, nor can proxies hide it
        return site not in ("same-origin", "none")
    origin = headers.get("origin")
    try:
        return origin is not None and urlsplit(origin).netloc != headers.get("host", "")
    except ValueError:
        return True


@lru_cache(maxsize=256)
def is_local(host: str) -> bool:
    """Whether a Host header names this machine: localhost, or any address in numbers."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
        if name == "localhost" or name.endswith(".localhost"):
            return True
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
