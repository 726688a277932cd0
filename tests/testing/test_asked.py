"""Jobs that are asked for, and what is wrong with what comes of them."""

import asyncio
import json
from typing import Any

import numpy as np
import pytest

import instances
from geopar.checking import check
from geopar.files import plan_to_json, problem_from_json
from geopar.plan import Plan
from geopar.testing.asked import Asked, until_well, wrong_result

SQUARE = instances.square()
PLAN = Plan.from_indices(SQUARE, [[[0, 1]], [[2, 3]]])


class Answering:
    """Instead of a client: answers in turn, and what was asked."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.asked = [*answers], list[Any]()

    async def call(self, *request: Any) -> tuple[int, bytes]:
        self.asked.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        status, body = answer
        return status, json.dumps(body).encode()


def test_a_request_has_a_key_of_its_own():
    rng = np.random.default_rng(1)
    one, other = (Asked.drawn(rng, SQUARE, 0.5) for _ in range(2))
    assert one.key != other.key
    assert one.id is None
    document = json.loads(one.body)
    assert problem_from_json(document["problem"]) == SQUARE
    assert document["time_limit"] == 0.5


@pytest.mark.parametrize(
    ("status", "body", "id"), [(202, {"id": "a"}, "a"), (429, {"error": {}}, None), (500, 3, None)]
)
def test_posting(status, body, id):
    client: Any = Answering((status, body))
    asked = Asked("key", b"{}", SQUARE)
    assert asyncio.run(asked.post(client)) == (status, json.dumps(body).encode(), id)
    assert client.asked == [("POST", "/jobs", b"{}", {"Idempotency-Key": "key"})]
    # Whether it counts as acknowledged is for whoever asks.
    assert asked.id is None


@pytest.mark.parametrize(
    ("routes", "cost", "words"),
    [
        ([[[0, 1]], [[2, 3]]], 1.0, None),
        ([[[0, 1]], [[2, 3]]], 1.0 + 1e-6, " is "),
        ([[[0, 1]], [[2]]], 1.0, "not everybody once"),
        ([[[0, 1, 2]], [[3]]], 1.0, "too much"),
    ],
)
def test_results_are_checked_anew(routes, cost, words):
    plan = Plan.from_indices(SQUARE, routes)
    result = {"plan": plan_to_json(plan), "objective": cost * check(SQUARE, PLAN).objective}
    found = wrong_result({"id": "a", "result": result}, SQUARE)
    assert len(found) == (words is not None)
    assert all(text.startswith("job a: ") and str(words) in text for text in found)


def test_waiting_until_a_server_is_well():
    client: Any = Answering(ConnectionRefusedError(), (503, {}), (200, {}))
    asyncio.run(until_well(client, 60.0))
    assert client.asked == [("GET", "/health")] * 3


def test_not_for_ever():
    client: Any = Answering((503, {"why": "compiling"}))
    with pytest.raises(RuntimeError, match=r"503.*compiling"):
        asyncio.run(until_well(client, -1.0))
