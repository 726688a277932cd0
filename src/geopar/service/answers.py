"""Answers: JSON with safe defaults, and errors in the one form that all of them have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from starlette.responses import Response

from geopar.errors import Fault, GeoparError, InputError, MissingExtraError
from geopar.service.orders import WorkError
from geopar.service.texts import to_text

BAD_REQUEST, UNAUTHORISED, NOT_FOUND, TIMEOUT = 400, 401, 404, 408
TOO_LARGE, UNSUPPORTED, UNPROCESSABLE, TOO_MANY = 413, 415, 422, 429
INTERNAL, UNAVAILABLE = 500, 503

# Faults of the text itself, before anything in it was looked at.
TEXT_FAULTS = {"bad-json", "duplicate-field", "empty-file", "not-text", "too-deep"}

JSON = "application/json"

# Of what can go wrong in a worker; all else is our fault.
_STATUS = {"missing-extra": UNPROCESSABLE, "out-of-memory": UNAVAILABLE}


class RefusedError(GeoparError):
    """A request that is not done, with the status that says why."""

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
        """The body of the answer."""
        faults = [fault.texts() for fault in self.faults]
        return {"error": {"code": self.code, "message": str(self), "faults": faults}}


def refusal(error: BaseException) -> RefusedError:
    """What to tell a client of an error."""
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


def answer(text: str, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """An answer of JSON text."""
    return Response(text, status, dict(headers or {}), JSON)


def answer_json(
    value: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """An answer of anything that JSON can say."""
    return answer(to_text(value), status, headers)


def answer_error(error: BaseException) -> Response:
    """The answer to a request that failed."""
    refused = refusal(error)
    return answer_json(refused.to_json(), refused.status, refused.headers)
