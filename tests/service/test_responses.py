import json

import pytest

from geopar.errors import Faults, InputError, MissingExtraError
from geopar.service.responses import RefusedError, error_response, refusal


def error_with(*codes: str) -> InputError:
    faults = Faults()
    for code in codes:
        faults.add(code, "field", 1, "is wrong.", "Mend it.")
    return InputError(faults.found)


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (error_with("bad-json"), 400, "bad-json"),
        (error_with("too-large"), 413, "too-large"),
        (error_with("bad-seed"), 422, "bad-seed"),
        (error_with("bad-seed", "bad-limit"), 422, "bad-input"),
        (MissingExtraError("solver 'pointer'", "neural"), 422, "missing-extra"),
        (RefusedError(429, "too-busy", "Later."), 429, "too-busy"),
        (MemoryError(), 503, "out-of-memory"),
        (KeyError("secret"), 500, "internal"),
    ],
)
def test_every_error_has_its_status(error: Exception, status: int, code: str) -> None:
    assert (refusal(error).status, refusal(error).code) == (status, code)
    told = json.loads(bytes(error_response(error).body))["error"]
    assert told["code"] == code
    assert "secret" not in told["message"]
