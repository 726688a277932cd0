"""Whatever is sent, the answer is 4xx and has the form that errors have."""

import json
import random
from http.client import HTTPConnection

import httpx
import pytest

import instances
from geopar.files import problem_to_json

SQUARE = problem_to_json(instances.square())
PATHS = ("/solve", "/jobs", "/validate", "/check", "/trace", "/generate", "/bound")
JSON = {"Content-Type": "application/json"}


def error_of(answer: httpx.Response) -> dict:
    assert 400 <= answer.status_code < 500
    error = answer.json()["error"]
    assert {"code", "message", "faults"} <= error.keys()
    assert "Traceback" not in answer.text
    return error


def damaged(rng: random.Random) -> bytes:
    """A good body made bad for sure: the text, or a value in it."""
    body = json.loads(json.dumps({"problem": SQUARE, "solver": "refine", "time_limit": 0}))
    bad = rng.choice([None, True, "x", -1, 1e999, float("nan"), [], {}, [[]], "\ud800", 10**400])
    kind = rng.randrange(5)
    if kind == 0:
        text = json.dumps(body)
        return text[: rng.randrange(1, len(text))].encode()
    if kind == 1:
        data = bytearray(json.dumps(body).encode())
        data[rng.randrange(len(data))] = 0xFF
        return bytes(data)
    if kind == 2:
        body[rng.choice(["sover", "Problem", "seed "])] = bad
    elif kind == 3:
        body["problem"] = bad
    else:
        customer = rng.choice(body["problem"]["customers"])
        # A demand of null is one that is left out.
        customer[rng.choice(["x", "y", "demand"])] = rng.choice([False, True, "x", 1e999, [], {}])
    return json.dumps(body).encode()


def test_a_thousand_malformed_bodies(served) -> None:
    rng, statuses = random.Random(6), set()
    # One plain connection: nothing else is as quick.
    connection = HTTPConnection(served.url.removeprefix("http://"))
    for number in range(1000):
        connection.request("POST", PATHS[number % len(PATHS)], damaged(rng), JSON)
        answer = connection.getresponse()
        error = json.loads(answer.read())["error"]
        assert error["message"]
        statuses.add(answer.status)
    connection.close()
    assert statuses == {400, 422}


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"solver": "magic"}, "unknown-solver"),
        ({"solver": 7}, "wrong-type"),
        ({"time_limit": -1}, "bad-limit"),
        ({"time_limit": float("nan")}, "bad-limit"),
        ({"time_limit": "2"}, "not-a-number"),
        ({"time_limit": 31}, "over-limit"),
        ({"time_limit": 10**400}, "bad-limit"),
        ({"seed": -1}, "bad-seed"),
        ({"seed": 0.5}, "bad-seed"),
        ({"seed": 2**63}, "bad-seed"),
        ({"speed": 1}, "unknown-field"),
    ],
)
def test_bad_fields(client: httpx.Client, fields: dict, code: str) -> None:
    body = json.dumps({"problem": SQUARE, **fields})
    answer = client.post("/solve", content=body, headers=JSON)
    assert answer.status_code == 422
    error = error_of(answer)
    assert [fault["code"] for fault in error["faults"]] == [code]
    assert error["faults"][0]["message"]


def test_all_faults_are_told_at_once(client: httpx.Client) -> None:
    problem = {**SQUARE, "depot": {"x": 0}}
    answer = client.post("/solve", json={"problem": problem, "seed": -1, "time_limit": -1})
    codes = {fault["code"] for fault in error_of(answer)["faults"]}
    assert codes == {"bad-seed", "bad-limit", "missing-field"}


@pytest.mark.parametrize(
    ("setting", "name", "limit"), [("hcvrp/201/2", "201", "200"), ("hcvrp/5/21", "21", "20")]
)
def test_problems_over_the_limit(client: httpx.Client, setting: str, name: str, limit: str) -> None:
    import geopar

    answer = client.post("/generate", json={"setting": setting})
    assert answer.status_code == 422
    assert limit in error_of(answer)["message"]
    problem = problem_to_json(geopar.generate(setting, 0))
    answer = client.post("/solve", json={"problem": problem})
    assert answer.status_code == 422
    (fault,) = error_of(answer)["faults"]
    assert fault["code"] == "over-limit"
    assert limit in fault["message"]
    assert name in fault["message"]


@pytest.mark.parametrize("size", [60_001, 1_000_000])
def test_bodies_over_the_limit(client: httpx.Client, size: int) -> None:
    answer = client.post("/solve", content=b" " * size, headers=JSON)
    assert answer.status_code == 413
    message = error_of(answer)["message"]
    assert f"{size:,}" in message
    assert "60,000" in message


def test_a_body_of_unknown_length_over_the_limit(client: httpx.Client) -> None:
    parts = (b" " * 1000 for _ in range(100))
    answer = client.post("/solve", content=parts, headers=JSON)
    assert answer.status_code == 413


def test_far_too_many_values_are_not_even_parsed(client: httpx.Client) -> None:
    answer = client.post("/solve", content=b"[" * 20_000, headers=JSON)
    assert answer.status_code == 413
    assert error_of(answer)["code"] == "too-many-values"


def test_wrong_types_of_content(client: httpx.Client) -> None:
    body = json.dumps({"problem": SQUARE})
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        answer = client.post("/solve", content=body, headers={"Content-Type": kind})
        assert answer.status_code == 415
        error_of(answer)
    assert client.post("/read", content=b"x", headers=JSON).status_code == 415
    broken = {"Content-Type": "multipart/form-data"}
    assert client.post("/read", content=b"x", headers=broken).status_code == 400
    broken = {"Content-Type": "multipart/form-data; boundary=b"}
    assert client.post("/read", content=b"x", headers=broken).status_code in (400, 422)
    assert client.post("/read", files={"other": ("a.json", b"{}")}).status_code == 422


def test_no_file_of_the_server_can_be_had(client: httpx.Client) -> None:
    for name in ("..%2f..%2fapp.py", "%2e%2e/app.py", "/etc/passwd", "..%5capp.py", "%00"):
        answer = client.get(f"/assets/{name}")
        assert answer.status_code == 404
        error_of(answer)
    answer = client.post("/read", files={"files": ("../../../etc/passwd", b"nothing known")})
    assert answer.status_code == 422
    assert "etc" not in answer.text


def test_unknown_paths_and_methods(client: httpx.Client) -> None:
    assert error_of(client.get("/nowhere"))["code"] == "no-such-path"
    assert error_of(client.put("/solve"))["code"] == "wrong-method"
    assert error_of(client.get("/jobs?limit=0"))["code"] == "out-of-range"
