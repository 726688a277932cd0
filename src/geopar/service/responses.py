"""Responses: JSON, and errors in their one form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from starlette.responses import Response

from geopar.errors import Fault, GeoparError, InputError, MissingExtraError
from geopar.service.documents import to_text
from geopar.service.messages import WorkError
from geopar.service.store import UnreachableStoreError

BAD_REQUEST, UNAUTHORISED, NOT_FOUND, TIMEOUT, CONFLICT = 400, 401, 404, 408, 409
TOO_LARGE, UNSUPPORTED, UNPROCESSABLE, TOO_MANY = 413, 415, 422, 429
INTERNAL, UNAVAILABLE = 500, 503

# Seconds after which a client may ask again when the database of jobs is away.
STORE_PAUSE = 2

# Faults of the JSON text itself.
TEXT_FAULTS = {"bad-json", "duplicate-field", "empty-file", "not-text", "too-deep"}

JSON = "application/json"

# Status of errors in a worker, by code; all others are internal errors.
_STATUS = {"missing-extra": UNPROCESSABLE, "out-of-memory": UNAVAILABLE}


class RefusedError(GeoparError):
    """A request that is refused: HTTP status, code and message."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        faults: Iterable[Fault] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.faults = status, code, tuple(faults)
        self.headers = dict(headers or {})

    def to_json(self) -> dict[str, Any]:
        """The body of the response."""
        faults = [fault.texts() for fault in self.faults]
        return {"error": {"code": self.code, "message": str(self), "faults": faults}}


def refusal(error: BaseException) -> RefusedError:
    """The refusal that a client gets for an error."""
    if isinstance(error, RefusedError):
        return error
    if isinstance(error, InputError):
        codes = {fault.code for fault in error.faults}
        status = UNPROCESSABLE
        if codes and codes <= TEXT_FAULTS:
            status = BAD_REQUEST
        elif codes == {"too-large"}:
            status = TOO_LARGE
        code = codes.pop() if len(codes) == 1 else "bad-input"
        return RefusedError(status, code, str(error), error.faults)
    if isinstance(error, WorkError):
        return RefusedError(_STATUS.get(error.code, INTERNAL), error.code, str(error))
    if isinstance(error, UnreachableStoreError):
        return RefusedError(
            UNAVAILABLE, "store-away",
            f"The database of jobs does not answer ({error}). Try again in a while; runs go on, "
            "and are written down when it is back.",
            headers={"Retry-After": str(STORE_PAUSE)},
        )  # fmt: skip
    if isinstance(error, MissingExtraError):
        return RefusedError(UNPROCESSABLE, "missing-extra", str(error))
    if isinstance(error, MemoryError):
        return RefusedError(UNAVAILABLE, "out-of-memory", "There is not enough memory for this.")
    if isinstance(error, GeoparError):
        return RefusedError(INTERNAL, "internal", str(error))
    return RefusedError(
        INTERNAL, "internal",
        "Something broke in the service, not in your request. Its log says what; please report it.",
    )  # fmt: skip


def text_response(
    text: str, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """A response of JSON text."""
    return Response(text, status, dict(headers or {}), JSON)


def json_response(
    value: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """A response of any value that JSON can hold."""
    return text_response(to_text(value), status, headers)


def error_response(error: BaseException) -> Response:
    """The response to a request that failed."""
    refused = refusal(error)
    return json_response(refused.to_json(), refused.status, refused.headers)
