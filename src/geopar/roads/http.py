"""One JSON answer from a server: asked for again when it is busy, refused when it is nonsense."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from typing import Any

from geopar.errors import refuse, short

ATTEMPTS = 4
FIRST_PAUSE = 0.5
MOST_BYTES = 200_000_000
# Busy, or something in between is; what else a server refuses, it will refuse again.
_AGAIN = {429, 500, 502, 503, 504}


def ask(name: str, url: str, body: dict[str, Any] | None, seconds: float) -> dict[str, Any]:
    """The answer of a server as an object.

    Parameters
    ----------
    name
        What faults call the server.
    body
        Sent as JSON; without one the request is a GET.
    seconds
        How long to wait each time.

    Raises
    ------
    geopar.errors.InputError
        When nobody answers in time, or not with a JSON object.
    """
    if not url.startswith(("http://", "https://")):
        refuse("bad-address", name, url, "is no address.", "Maybe http://localhost:5000.")
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    pause, said = FIRST_PAUSE, ""
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(pause)
            pause *= 2
        try:
            with urllib.request.urlopen(request, timeout=seconds) as answer:
                return _object(name, answer.read(MOST_BYTES))
        except urllib.error.HTTPError as error:
            with error:
                text = error.read(2000).decode(errors="replace")
            if error.code not in _AGAIN:
                return _refused(name, error.code, text)
            said = f"status {error.code}"
        except (OSError, http.client.HTTPException) as error:
            said = str(getattr(error, "reason", error)) or type(error).__name__
    return refuse(
        "no-road-engine", name, ..., f"does not answer: {short(said)} ({ATTEMPTS} attempts).",
        "Check the address, and that it runs; a large table may need a smaller --max-table.",
    )  # fmt: skip


def _object(name: str, data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        what = "answers with something else than a JSON object."
        refuse("bad-answer", name, data[:40], what, "Is it the address of a road engine?")
    return value


def _refused(name: str, status: int, text: str) -> dict[str, Any]:
    """What engines say of a request that they refuse is JSON as well."""
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if isinstance(value, dict):
        return value
    hint = "Is it the address of a road engine?"
    return refuse("bad-answer", name, status, f"refuses: {short(text)}", hint)
