"""Traces: written, read again for their problem, and refused for any other."""

import json
from pathlib import Path
from typing import Any

import pytest

from geopar.errors import InputError
from geopar.problems import HCVRP, OMDCPDP
from geopar.trace import HOME, Trace, read_trace, task_names, trips_of


def move(vehicle: str, to: str, **more: Any) -> dict[str, Any]:
    return {"vehicle": vehicle, "to": to, "probability": 0.5, **more}


def step(*moves: dict[str, Any]) -> dict[str, Any]:
    return {"moves": list(moves), "stays": [], "waits": [], "conflicts": []}


def trace(*steps: dict[str, Any], kind: str = "hcvrp") -> Trace:
    return Trace(kind, "square", steps)


WHOLE = trace(
    step(move("red", "east"), move("blue", "south")),
    step(move("red", "north", behind=HOME), move("blue", HOME)),
    step(move("red", HOME), move("blue", "west")),
    step(move("blue", HOME)),
)


def codes_of(path: Path, problem: HCVRP | OMDCPDP) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as caught:
        read_trace(path, problem)
    return [(fault.code, str(fault.value)) for fault in caught.value.faults]


def test_there_and_back(square: HCVRP, tmp_path: Path):
    path = tmp_path / "trace.json"
    WHOLE.write(path)
    assert read_trace(path, square) == WHOLE
    assert json.loads(path.read_text())["problem"] == "hcvrp"


def test_ids_are_written_as_they_are(square: HCVRP, tmp_path: Path):
    own = square.replace(customer_ids=["Å", "北", "c", "d"])
    path = tmp_path / "trace.json"
    trace(step(move("red", "北"))).write(path)
    assert "北" in path.read_text(encoding="utf-8")
    assert read_trace(path, own).steps[0]["moves"][0]["to"] == "北"


def test_trips_are_told_apart_by_the_ways_home():
    trips = [[one["to"] for one in trip] for trip in trips_of(WHOLE.steps)]
    assert trips == [["east", "north"], ["south"], ["west"]]
    assert trips_of([]) == []
    assert trips_of([step(move("red", HOME), move("red", HOME))]) == []


def test_orders_are_named_by_both_ends(corridor: OMDCPDP, tmp_path: Path):
    names = task_names(corridor)
    assert names[:1] + names[3:4] == ["pickup of a", "delivery of a"]
    path = tmp_path / "trace.json"
    trace(step(move("left", names[0])), kind="omdcpdp").write(path)
    assert read_trace(path, corridor).kind == "omdcpdp"


@pytest.mark.parametrize(
    "text",
    [
        "[]", "{}", "not json", '{"problem": "hcvrp"}', "[" * 100_000,
        '{"problem": "hcvrp", "name": "", "steps": 3}',
        '{"problem": "hcvrp", "name": "", "steps": [{}]}',
        '{"problem": "hcvrp", "name": "", "steps": [{"moves": [{"vehicle": "red"}]}]}',
        '{"problem": "hcvrp", "name": "", "steps": [{"moves": [{"vehicle": [], "to": "east"}]}]}',
    ],
    ids=lambda text: text[-24:],
)  # fmt: skip
def test_what_is_no_trace(square: HCVRP, tmp_path: Path, text: str):
    path = tmp_path / "trace.json"
    path.write_text(text)
    assert [code for code, _ in codes_of(path, square)] == ["not-a-trace"]


def test_a_trace_of_another_problem(square: HCVRP, corridor: OMDCPDP, tmp_path: Path):
    path = tmp_path / "trace.json"
    WHOLE.write(path)
    assert codes_of(path, corridor) == [("wrong-problem", "'hcvrp'")]
    fewer = square.select(["east", "north"], ["red"])
    assert codes_of(path, fewer) == [
        ("unknown-vehicle", "'blue'"), ("unknown-task", "'south'"), ("unknown-task", "'west'"),
    ]  # fmt: skip


def test_nothing_comes_behind_what_is_not_in_the_open_trip(square: HCVRP, tmp_path: Path):
    path = tmp_path / "trace.json"
    # East is in the trip before.
    trace(
        step(move("red", "east")),
        step(move("red", HOME)),
        step(move("red", "north", behind="east")),
    ).write(path)
    assert codes_of(path, square) == [("not-a-trace", "'east'")]
    trace(step(move("red", "east")), step(move("red", "north", behind="east"))).write(path)
    assert len(read_trace(path, square).steps) == 2
    trace(step(move("red", "east", behind="moon"))).write(path)
    assert codes_of(path, square) == [("unknown-task", "'moon'")]
