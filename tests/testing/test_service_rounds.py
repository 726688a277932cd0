import asyncio
import json
from contextlib import suppress

import pytest

import instances
from geopar.files import plan_to_json
from geopar.plan import Plan
from geopar.testing.asked import Asked
from geopar.testing.served import Look
from geopar.testing.service_rounds import FILES, MEGABYTES, ServiceRounds, _grown

SQUARE = instances.square()
PLAN = Plan.from_indices(SQUARE, [[[0, 1]], [[2, 3]]])


def job(status="finished", objective=None, plan=PLAN, code=None) -> dict:
    from geopar.checking import check

    objective = check(SQUARE, PLAN).objective if objective is None else objective
    result = None if plan is None else {"plan": plan_to_json(plan), "objective": objective}
    error = code and {"code": code}
    return {"id": "a", "status": status, "result": result, "error": error}


@pytest.fixture
def rounds() -> ServiceRounds:
    return ServiceRounds()


def test_a_job_that_ended_well_is_counted(rounds):
    assert rounds._wrong("a", job(), SQUARE, set()) == []
    assert rounds._wrong("b", job("interrupted", code="interrupted"), SQUARE, {"interrupted"}) == []
    assert rounds.done == {"jobs finished": 1, "jobs interrupted": 1}


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (job(objective=1.0), "1.0 is"),
        (job(plan=Plan.from_indices(SQUARE, [[[0, 1]], [[2]]])), "not everybody once"),
        (job(plan=None), "no result"),
        (job("failed", plan=None, code="internal"), "is failed"),
    ],
)
def test_what_is_wrong_with_a_job_is_told(rounds, bad, words):
    (found,) = rounds._wrong("a", bad, SQUARE, {"worker-lost"})
    assert words in found


def test_a_job_that_ended_may_not_change(rounds):
    rounds._wrong("a", job(), SQUARE, set())
    assert rounds._wrong("a", job(), SQUARE, set()) == []
    (found,) = rounds._wrong("a", job("failed"), SQUARE, set())
    assert "changed" in found


@pytest.mark.parametrize("ends", [True, False])
@pytest.mark.parametrize(
    ("answer", "words"),
    [(b"HTTP/1.1 422 x\r\n\r\n", ""), (b"", ""), (b"HTTP/1.1 500 x\r\n\r\n", "500")],
)
def test_a_hostile_request_may_be_refused_but_not_break_anything(rounds, answer, words, ends):
    async def talk() -> str:
        ended = asyncio.Event()

        async def serve(reader, writer) -> None:
            assert await (reader.read() if ends else reader.readuntil(b"\r\n\r\n"))
            writer.write(answer)
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
            ended.set()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        rounds._served.port = server.sockets[0].getsockname()[1]
        wrong = await rounds._hostile(b"GET / HTTP/1.1\r\n\r\n", ends)
        await ended.wait()
        server.close()
        return wrong

    found = asyncio.run(talk())
    assert words in found
    assert bool(found) == bool(words)


def test_growth_is_told():
    before = Look(100.0, 30, 10)
    assert _grown(before, Look(100.0 + MEGABYTES, 30 + FILES, 10)) == []
    grown = _grown(before, Look(101.0 + MEGABYTES, 31 + FILES, 100))
    assert [text.split()[0] for text in grown] == ["megabytes", "files", "threads"]


def test_without_a_round_there_is_nothing_to_end(rounds):
    assert rounds.close() == []


@pytest.mark.parametrize(
    ("acknowledged", "status", "answer", "wrong", "remembered"),
    [
        ("a", 202, {"id": "a"}, 0, []),
        ("a", 202, {"id": "b"}, 1, []),  # made twice
        (None, 202, {"id": "b"}, 0, ["b"]),  # whether or not it was made before
        ("a", 422, {"error": {}}, 1, []),
        ("a", 429, {"error": {}}, 0, []),
    ],
)
def test_jobs_are_asked_for_again_by_their_keys(
    rounds, acknowledged, status, answer, wrong, remembered
):
    sent = []

    class Answering:
        async def call(self, method, path, body, headers):
            sent.append((method, path, body, headers))
            return status, json.dumps(answer).encode()

    rounds._asked.append(Asked("key", b"{}", SQUARE, acknowledged))
    found: list[str] = []
    asyncio.run(rounds._ask_again(Answering(), found))
    assert sent == [("POST", "/jobs", b"{}", {"Idempotency-Key": "key"})]
    assert len(found) == wrong
    assert [id for id, _ in rounds._jobs] == remembered
    assert not rounds._asked
