import json

import jsonschema
import pytest

import geopar
import instances
from geopar.checking import check
from geopar.plan import Plan
from geopar.service.documents import join_text, schedule, summary, trace_document
from geopar.service.limits import Limits
from geopar.service.schemas import components
from geopar.trace import Trace


def test_trips_end_at_the_depot_and_unload_on_the_way() -> None:
    problem = instances.square()
    plan = Plan.from_indices(problem, [[[0, 1], [2]], [[3]]])
    red, blue = schedule(problem, plan)
    root = 2**0.5
    assert [stop["task"] for stop in red["stops"]] == ["east", "north", None, "west", None]
    arrivals = [1, 1 + root, 2 + root, 3 + root, 4 + root]
    assert [stop["arrival"] for stop in red["stops"]] == pytest.approx(arrivals)
    assert [stop["load"] for stop in red["stops"]] == [1, 0, 0, 0, 0]
    assert (red["trips"], red["tasks"], red["load_factor"]) == (2, 3, 0.75)
    assert blue["finish"] == blue["distance"] == 2


def test_orders_come_on_board_and_leave() -> None:
    problem = instances.one_order()
    (day,) = schedule(problem, Plan.from_indices(problem, [[[0, 1]]]))
    assert [stop["task"]["action"] for stop in day["stops"]] == ["pickup", "delivery"]
    assert [stop["load"] for stop in day["stops"]] == [1, 0]
    assert day["finish"] == instances.ONE_ORDER_OPTIMUM


def test_vehicles_finish_when_the_checker_says(any_problem) -> None:
    result = geopar.solve(any_problem, 0.0, solver="dispatch")
    days = schedule(any_problem, result.plan)
    assert [day["finish"] for day in days] == pytest.approx(
        check(any_problem, result.plan).completion
    )
    assert [day["vehicle"] for day in days] == list(any_problem.vehicle_ids)
    assert summary(any_problem)["tasks"] == any_problem.num_tasks


def test_a_trace_for_the_page() -> None:
    steps = (
        {
            "moves": [{"vehicle": "red", "to": "east", "probability": 0.9}],
            "stays": ["blue"],
            "waits": [],
            "conflicts": [{"task": "east", "won": "red", "lost": ["blue"]}],
        },
        {
            "moves": [{"vehicle": "red", "to": "home", "probability": 1.0}],
            "stays": [],
            "waits": ["blue"],
            "conflicts": [],
        },
    )
    first, second = trace_document(instances.square(), Trace("hcvrp", "square", steps))
    assert first["actions"] == [
        {"vehicle": "red", "task": "east", "kind": "serve", "probability": 0.9},
        {"vehicle": "blue", "task": None, "kind": "wait", "lost": True},
    ]
    assert first["conflicts"] == [{"task": "east", "won": "red", "lost": ["blue"]}]
    assert [action["kind"] for action in second["actions"]] == ["home", "wait"]


@pytest.mark.parametrize("behind", ["home", "east"])
def test_a_trace_for_the_page_says_behind_what_a_customer_was_put(behind: str) -> None:
    move = {"vehicle": "red", "to": "north", "probability": 0.5, "behind": behind}
    steps = ({"moves": [move], "stays": [], "waits": [], "conflicts": []},)
    document = trace_document(instances.square(), Trace("hcvrp", "square", steps))
    assert document[0]["actions"] == [
        {"vehicle": "red", "task": "north", "kind": "serve", "probability": 0.5, "behind": behind}
    ]
    schema = components(Limits())["TraceAnswer"]["properties"]["steps"]
    jsonschema.validate(document, schema, jsonschema.Draft202012Validator)


def test_half_a_character_travels() -> None:
    text = join_text({"id": "\ud800", "none": None}, {"plan": "[1]"})
    assert json.loads(text.encode()) == {"id": "\ud800", "none": None, "plan": [1]}
