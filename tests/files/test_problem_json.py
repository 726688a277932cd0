import copy
import json
from typing import Any

import numpy as np
import pytest

from geopar.errors import InputError
from geopar.files import problem_from_json, problem_to_json
from geopar.files.problem_json import object_text
from geopar.problems import HCVRP, OMDCPDP

HCVRP_JSON: dict[str, Any] = {
    "problem": "hcvrp",
    "name": "tiny",
    "depot": {"x": 0.5, "y": 0.5},
    "customers": [
        {"id": "a", "x": 0, "y": 1, "demand": 3},
        {"id": "b", "x": 0.25, "y": 1e-3, "demand": 2.5},
    ],
    "vehicles": [{"id": 7, "capacity": 4, "speed": 0.5}, {"id": "8", "capacity": 5, "speed": 1}],
}
OMDCPDP_JSON = {
    "problem": "omdcpdp",
    "orders": [
        {"id": "o", "pickup": {"lat": 52.5, "lon": 13.4}, "delivery": {"lat": 52.4, "lon": 13.5}},
        {"id": "p", "pickup": {"lat": 52.6, "lon": 13.3}, "delivery": {"lat": 52.3, "lon": 13.6}},
    ],
    "vehicles": [{"id": "v", "lat": 52, "lon": 13, "capacity": 3}],
}


def changed(base, path, value):
    """A copy of ``base`` with the value at ``path`` replaced, or removed with ``...``."""
    result = copy.deepcopy(base)
    *parents, last = path
    target = result
    for key in parents:
        target = target[key]
    if value is ...:
        del target[last]
    else:
        target[last] = value
    return result


def faults(value):
    with pytest.raises(InputError) as error:
        problem_from_json(value)
    return [(fault.code, fault.field) for fault in error.value.faults]


def test_hcvrp_is_read():
    problem = problem_from_json(HCVRP_JSON)
    assert problem == HCVRP(
        (0.5, 0.5), [(0, 1), (0.25, 1e-3)], [3, 2.5], [4, 5], [0.5, 1], ["a", "b"], ["7", "8"],
        name="tiny",
    )  # fmt: skip


def test_omdcpdp_with_latitudes_is_read_as_longitude_latitude():
    problem = problem_from_json(OMDCPDP_JSON)
    assert problem == OMDCPDP(
        [(13.4, 52.5), (13.3, 52.6)], [(13.5, 52.4), (13.6, 52.3)], [(13, 52)], [3],
        ["o", "p"], ["v"], "lonlat",
    )  # fmt: skip


def test_hcvrp_with_latitudes():
    value = changed(HCVRP_JSON, ["depot"], {"lat": 1, "lon": 2})
    for customer in value["customers"]:
        customer["lat"], customer["lon"] = customer.pop("x"), customer.pop("y")
    problem = problem_from_json(value)
    assert problem.coordinates == "lonlat"
    np.testing.assert_array_equal(problem.depot, (2, 1))
    np.testing.assert_array_equal(problem.customers[0], (1, 0))


def test_ids_may_be_left_out():
    value = copy.deepcopy(HCVRP_JSON)
    for row in value["customers"] + value["vehicles"]:
        del row["id"]
    problem = problem_from_json(value)
    assert problem.customer_ids == ("c1", "c2")
    assert problem.vehicle_ids == ("v1", "v2")


@pytest.mark.parametrize("value", [HCVRP_JSON, OMDCPDP_JSON])
def test_written_as_it_was_read(value):
    problem = problem_from_json(value)
    assert json.loads(object_text(problem_to_json(problem))) == problem_to_json(problem)
    assert problem_from_json(problem_to_json(problem)) == problem


def test_whole_numbers_have_no_dot_and_negative_zero_survives():
    problem = problem_from_json(changed(HCVRP_JSON, ["depot", "x"], -0.0))
    text = object_text(problem_to_json(problem))
    assert '"capacity": 4,' in text
    assert np.signbit(problem_from_json(json.loads(text)).depot[0])


HUGE = 10**4000
CASES = [
    ("missing speed", ["vehicles", 1, "speed"], ..., [("missing-field", "vehicles[1].speed")]),
    ("text", ["customers", 1, "demand"], "3", [("not-a-number", "customers[1].demand")]),
    ("truth", ["customers", 1, "demand"], True, [("not-a-number", "customers[1].demand")]),
    ("nothing", ["customers", 0, "x"], None, [("not-a-number", "customers[0].x")]),
    ("a list", ["customers", 0, "x"], [1], [("not-a-number", "customers[0].x")]),
    ("huge", ["customers", 0, "x"], HUGE, [("out-of-range", "customers[0].x")]),
    ("nan", ["customers", 1, "y"], float("nan"), [("not-finite", "customers[1].y")]),
    ("infinite", ["depot", "x"], float("inf"), [("not-finite", "depot.x")]),
    ("negative", ["customers", 1, "demand"], -1, [("out-of-range", "customers[1].demand")]),
    ("zero speed", ["vehicles", 1, "speed"], 0, [("out-of-range", "vehicles[1].speed")]),
    ("same id", ["customers", 1, "id"], "a", [("duplicate-id", "customers[1].id")]),
    ("8 is '8'", ["vehicles", 0, "id"], 8, [("duplicate-id", "vehicles[1].id")]),
    ("empty id", ["vehicles", 0, "id"], "", [("empty-id", "vehicles[0].id")]),
    ("broken id", ["customers", 0, "id"], 1.5, [("wrong-type", "customers[0].id")]),
    ("huge id", ["customers", 0, "id"], 10**5000, [("wrong-type", "customers[0].id")]),
    ("half character", ["customers", 0, "id"], "\ud800", [("bad-text", "customers[0].id")]),
    ("one without id", ["customers", 1, "id"], ..., [("missing-field", "customers[1].id")]),
    ("heavy", ["customers", 0, "demand"], 6, [("demand-over-capacity", "customers[0].demand")]),
    ("unknown field", ["customers", 0, "colour"], 1, [("unknown-field", "customers[0].colour")]),
    ("unknown at the top", ["extra"], 1, [("unknown-field", "extra")]),
    ("no vehicles", ["vehicles"], [], [("empty", "vehicles")]),
    ("vehicles missing", ["vehicles"], ..., [("missing-field", "vehicles")]),
    ("vehicles no list", ["vehicles"], {}, [("wrong-type", "vehicles")]),
    ("no customers", ["customers"], [], [("empty", "customers")]),
    ("customer no object", ["customers", 0], 5, [("wrong-type", "customers[0]")]),
    ("depot missing", ["depot"], ..., [("missing-field", "depot")]),
    ("depot no object", ["depot"], [0, 1], [("wrong-type", "depot")]),
    ("problem missing", ["problem"], ..., [("missing-field", "problem")]),
    ("problem unknown", ["problem"], "hcvpr", [("unknown-problem", "problem")]),
    ("problem a list", ["problem"], [], [("unknown-problem", "problem")]),
    ("name a number", ["name"], 1, [("wrong-type", "name")]),
    ("name broken", ["name"], "\udfff", [("bad-text", "name")]),
    ("mixed", ["depot"], {"lat": 1, "lon": 1}, [("mixed-coordinates", "depot")]),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "expected"), [case[1:] for case in CASES],
                         ids=[case[0] for case in CASES])  # fmt: skip
def test_one_fault_at_its_place(path, value, expected):
    assert faults(changed(HCVRP_JSON, path, value)) == expected


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (["orders", 1, "pickup", "lat"], 91, ("out-of-range", "orders[1].pickup.lat")),
        (["orders", 1, "delivery", "lon"], "x", ("not-a-number", "orders[1].delivery.lon")),
        (["orders", 0, "delivery"], ..., ("missing-field", "orders[0].delivery")),
        (["orders", 0, "pickup"], 3, ("wrong-type", "orders[0].pickup")),
        (["orders", 0, "pickup", "lat"], ..., ("missing-field", "orders[0].pickup.lat")),
        (["vehicles", 0, "capacity"], 1.5, ("not-whole", "vehicles[0].capacity")),
        (["vehicles", 0, "capacity"], 0, ("out-of-range", "vehicles[0].capacity")),
        (["vehicles", 0, "lon"], float("-inf"), ("not-finite", "vehicles[0].lon")),
        (["vehicles", 0, "x"], 1, ("mixed-coordinates", "orders[0].pickup")),
        (["orders"], [], ("empty", "orders")),
    ],
)
def test_one_fault_of_omdcpdp(path, value, expected):
    assert faults(changed(OMDCPDP_JSON, path, value)) == [expected]


def test_both_coordinates_of_one_place():
    value = changed(HCVRP_JSON, ["customers", 1, "x"], float("nan"))
    value["customers"][1]["y"] = 1e13
    found = faults(value)
    assert [field for _, field in found] == ["customers[1].x", "customers[1].y"]


def test_reader_and_constructor_speak_together():
    value = changed(HCVRP_JSON, ["customers", 0, "demand"], "3")  # the reader
    value["customers"][1]["demand"] = -1  # the constructor
    value["vehicles"][0]["speed"] = 0
    value["vehicles"][1]["id"] = "7"
    value["vehicles"][1]["capasity"] = value["vehicles"][1].pop("capacity")
    assert sorted(faults(value)) == [
        ("duplicate-id", "vehicles[1].id"),
        ("not-a-number", "customers[0].demand"),
        ("out-of-range", "customers[1].demand"),
        ("out-of-range", "vehicles[0].speed"),
        ("unknown-field", "vehicles[1].capasity"),
    ]


def test_empty_list_does_not_hide_other_faults():
    value = changed(HCVRP_JSON, ["customers"], [])
    value["vehicles"][0]["speed"] = -1
    assert sorted(faults(value)) == [("empty", "customers"), ("out-of-range", "vehicles[0].speed")]


def test_an_unreadable_capacity_accuses_no_demand():
    value = changed(HCVRP_JSON, ["vehicles", 1, "capacity"], "5")
    value["customers"][0]["demand"] = 5
    assert faults(value) == [("not-a-number", "vehicles[1].capacity")]


def test_the_nearest_known_name_is_suggested():
    value = changed(HCVRP_JSON, ["customers", 0, "Demnd"], 3)
    del value["customers"][0]["demand"]
    with pytest.raises(InputError, match=r"Demnd.*Maybe demand\."):
        problem_from_json(value)


def test_many_faults_are_counted_and_not_all_shown():
    value = changed(HCVRP_JSON, ["customers"], [{"x": 0, "y": 0, "demand": -1}] * 100)
    with pytest.raises(InputError, match=r"… and 95 more") as error:
        problem_from_json(value)
    assert len(error.value.faults) == 5


@pytest.mark.parametrize("value", [None, [], "text", 3, True, [HCVRP_JSON]])
def test_not_an_object(value):
    assert faults(value) == [("wrong-type", "problem file")]


def test_empty_object_names_all_that_is_missing():
    fields = [field for _, field in faults({})]
    assert fields == ["problem", "customers", "vehicles", "depot"]


def test_too_many_customers_are_refused_at_once():
    value = changed(HCVRP_JSON, ["customers"], [None] * 1_000_001)
    with pytest.raises(InputError, match=r"too-many.*1,000,000"):
        problem_from_json(value)
