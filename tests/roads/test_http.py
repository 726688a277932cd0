"""Answers of a server: asked for again when it is busy, refused when they are nonsense."""

import io
import json
import urllib.error
from email.message import Message
from http.client import BadStatusLine
from typing import Any

import pytest

from geopar.errors import InputError
from geopar.roads import http


class Answers:
    """Instead of the network: what comes back, in turn, and what was asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.turns: list[Any] = []
        self.asked: list[tuple[str, str, Any]] = []
        self.pauses: list[float] = []
        monkeypatch.setattr(http.urllib.request, "urlopen", self._open)
        monkeypatch.setattr(http.time, "sleep", self.pauses.append)

    def _open(self, request: Any, timeout: float) -> Any:
        assert timeout == 3.0
        sent = None if request.data is None else json.loads(request.data)
        self.asked.append((request.get_method(), request.full_url, sent))
        turn = self.turns.pop(0)
        if isinstance(turn, BaseException):
            raise turn
        return io.BytesIO(turn)


def status(code: int, text: str = "") -> urllib.error.HTTPError:
    return urllib.error.HTTPError(
        "http://roads/x", code, "refused", Message(), io.BytesIO(text.encode())
    )


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Answers:
    return Answers(monkeypatch)


def ask(body: Any = None) -> dict[str, Any]:
    return http.ask("roads", "http://roads/x", body, 3.0)


def fault_of(body: Any = None) -> tuple[str, str]:
    with pytest.raises(InputError) as caught:
        ask(body)
    (fault,) = caught.value.faults
    assert fault.field == "roads"
    return fault.code, fault.message


def test_a_question_without_a_body_is_a_get(answers: Answers):
    answers.turns = [b'{"code": "Ok"}']
    assert ask() == {"code": "Ok"}
    assert answers.asked == [("GET", "http://roads/x", None)]
    assert answers.pauses == []


def test_a_body_is_posted_as_json(answers: Answers):
    answers.turns = [b"{}"]
    assert ask({"costing": "auto"}) == {}
    assert answers.asked == [("POST", "http://roads/x", {"costing": "auto"})]


@pytest.mark.parametrize(
    "trouble",
    [
        lambda: status(429),
        lambda: status(503),
        lambda: ConnectionResetError("reset"),
        lambda: BadStatusLine(""),
    ],
    ids=["too many", "busy", "reset", "no status"],
)
def test_who_is_busy_is_asked_again_after_ever_longer_pauses(answers: Answers, trouble):
    answers.turns = [trouble(), trouble(), b'{"code": "Ok"}']
    assert ask() == {"code": "Ok"}
    assert answers.pauses == [0.5, 1.0]


def test_at_last_it_is_given_up_with_the_reason(answers: Answers):
    refused = urllib.error.URLError(ConnectionRefusedError("refused"))
    answers.turns = [status(503), status(503), status(503), refused]
    code, message = fault_of()
    assert code == "no-road-engine"
    assert message == "does not answer: 'refused' (4 attempts)."
    assert answers.pauses == [0.5, 1.0, 2.0]


@pytest.mark.parametrize("code", [400, 404, 501])
def test_what_is_refused_for_good_is_asked_once(answers: Answers, code):
    answers.turns = [status(code, "no such street")]
    assert fault_of() == ("bad-answer", "refuses: 'no such street'")
    assert len(answers.asked) == 1


def test_a_refusal_in_json_is_an_answer(answers: Answers):
    answers.turns = [status(400, '{"code": "TooBig"}')]
    assert ask() == {"code": "TooBig"}


@pytest.mark.parametrize("nonsense", [b"", b"<html>", b"[1]", b"3", b"null", b'"Ok"', b"\xff"])
def test_what_is_no_object_is_no_answer(answers: Answers, nonsense):
    answers.turns = [nonsense]
    assert fault_of()[0] == "bad-answer"


@pytest.mark.parametrize("address", ["localhost:5000/x", "file:///etc/passwd", "ftp://x", ""])
def test_other_addresses_are_not_opened(answers: Answers, address):
    with pytest.raises(InputError, match="bad-address"):
        http.ask("roads", address, None, 3.0)
    assert answers.asked == []
