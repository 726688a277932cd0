import json

import jsonschema
import pytest

from geopar.files import plan_to_json, problem_to_json, schema
from geopar.plan import Plan, Route
from geopar.problems import HCVRP, OMDCPDP, Problem
from geopar.problems.tasks import Stop

PROBLEMS: list[Problem] = [
    HCVRP((0, 0), [(0.5, 1)], [3], [4], [0.5], name="tiny"),
    HCVRP((0, 0), [(0.5, 1)], [3], [4], [0.5], coordinates="lonlat"),
    OMDCPDP([(0, 0)], [(1, 1)], [(2, 2)], [3]),
    OMDCPDP([(0, 0)], [(1, 1)], [(2, 2)], [3], coordinates="lonlat"),
]
PLANS = [
    Plan("hcvrp", (Route("v1", (("c1",),)), Route("v2", ())), 3.5),
    Plan("omdcpdp", (Route("v1", ((Stop("o1", "pickup"), Stop("o1", "delivery")),)),)),
]


def is_valid(value, name):
    return jsonschema.Draft202012Validator(schema(name)).is_valid(json.loads(json.dumps(value)))


@pytest.mark.parametrize("name", ["problem", "plan"])
def test_the_schemas_are_schemas(name):
    jsonschema.Draft202012Validator.check_schema(schema(name))


@pytest.mark.parametrize("problem", PROBLEMS)
def test_problems_as_written_are_valid(problem):
    assert is_valid(problem_to_json(problem), "problem")


@pytest.mark.parametrize("plan", PLANS)
def test_plans_as_written_are_valid(plan):
    assert is_valid(plan_to_json(plan), "plan")


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize(
    "spoil",
    [
        lambda value: value.update(problem="tsp"),
        lambda value: value.update(extra=1),
        lambda value: value.update(vehicles=[]),
        lambda value: value.pop("vehicles"),
        lambda value: value["vehicles"][0].update(capacity="4"),
        lambda value: value["vehicles"][0].update(capacity=0),
        lambda value: value["vehicles"][0].update(colour="red"),
        lambda value: value["vehicles"].append({**value["vehicles"][0], "id": ""}),
    ],
)
def test_bad_problems_are_not(problem, spoil):
    value = problem_to_json(problem)
    spoil(value)
    assert not is_valid(value, "problem")


def test_mixed_coordinates_are_not():
    value = problem_to_json(PROBLEMS[0])
    value["depot"] = {"lat": 0, "lon": 0}
    assert not is_valid(value, "problem")


def test_bad_plans_are_not():
    assert not is_valid({"problem": "hcvrp", "routes": [{"vehicle": "v", "stops": []}]}, "plan")
    assert not is_valid({"problem": "hcvrp"}, "plan")
