"""Working days in JSON: round trips to the bit, times of every kind, and what is wrong."""

import copy
import json
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given

import instances
from geopar.errors import InputError
from geopar.files import parse_json, problem_from_json, problem_to_json, schema
from geopar.files.problem_json import problem_text
from geopar.problems.day import Day, windows_of
from geopar.problems.validation import LARGEST_NUMBER
from random_days import problems_with_days

VALID = jsonschema.Draft202012Validator(schema("problem"))


@given(problems_with_days())
def test_days_survive_the_way_out_and_in(problem):
    value = problem_to_json(problem)
    assert VALID.is_valid(json.loads(json.dumps(value)))
    assert problem_from_json(value) == problem
    assert problem_from_json(parse_json(problem_text(problem).encode())) == problem


DELIVERIES = {
    "problem": "hcvrp",
    "time_unit": "minutes",
    "minimise": "duration",
    "depot": {"x": 0, "y": 0, "opens": "06:00", "closes": "22:00", "loading": 15},
    "customers": [
        {
            "id": "baker", "x": 1, "y": 0, "demand": [2, 0.5], "service": 5,
            "windows": [["08:00", "10:00"], ["14:00", None]], "needs": ["fridge"],
            "details": {"phone": "01 23", "name": "Baker"},
        },
        {"id": "school", "x": 0, "y": 1, "released": "07:30", "priority": 9, "vehicles": ["bike"]},
        {"id": "inn", "x": 1, "y": 1, "demand": [1, 1]},
    ],
    "vehicles": [
        {
            "id": "van", "capacity": [10, 4], "available": ["07:00", "15:30"], "longest": 480,
            "skills": ["fridge"], "start": {"x": 5, "y": 5}, "end": None, "on_board": ["baker"],
        },
        {"id": "bike", "speed": 0.5, "most_trips": 2, "locked": [["school"]], "available": None},
    ],
    "matrices": {"car": {"durations": [[0, 1, 2, 3, 9]] * 5}},
}  # fmt: skip
COURIERS = {
    "problem": "omdcpdp",
    "orders": [
        {
            "id": "a", "size": 2, "priority": 3, "released": 8.5, "vehicles": ["ann"],
            "pickup": {"x": 0, "y": 0, "service": 0.1, "windows": [[8, 9]]},
            "delivery": {"x": 1, "y": 0, "details": {"note": "ring twice"}},
        },
        {"id": "b", "pickup": {"x": 0, "y": 1}, "delivery": {"x": 1, "y": 1, "service": 0.2}},
    ],
    "vehicles": [
        {"id": "ann", "x": 0, "y": 2, "speed": 2, "locked": [{"order": "a", "action": "pickup"}]},
        {"id": "bob", "x": 1, "y": 2, "capacity": 3},
    ],
}  # fmt: skip


def test_a_day_of_deliveries():
    problem = problem_from_json(DELIVERIES)
    assert VALID.is_valid(DELIVERIES)
    day = problem.day
    assert (day.opens, day.closes, day.loading) == (360, 1320, 15)
    assert (day.clock, day.time_unit, problem.goal) == ("HH:MM", "minutes", "duration")
    assert windows_of(day.windows, 0) == [(480, 600), (840, np.inf)]
    assert windows_of(day.windows, 1) == []
    assert day.available.tolist() == [[420, 930], [0, np.inf]]
    assert day.released.tolist() == [-LARGEST_NUMBER, 450, -LARGEST_NUMBER]
    assert day.allowed.tolist() == [[True, False], [False, True], [True, True]]
    assert problem.demand.tolist() == [2, 0, 1]
    assert day.extra_demand.tolist() == [[0.5], [0], [1]]
    assert problem.capacity.tolist() == [10, LARGEST_NUMBER]
    assert day.extra_capacity.tolist() == [[4], [LARGEST_NUMBER]]
    assert problem.speed.tolist() == [1, 0.5]
    assert day.most_trips.tolist() == [np.inf, 2]
    assert (problem.homes.tolist(), problem.ends.tolist()) == ([4, 3], [-1, 3])
    assert day.on_board == ((0,), ())
    assert day.locked == ((), ((1,),))
    assert problem.details == {"phone": ("01 23", "", ""), "name": ("Baker", "", "")}
    assert problem.travel.duration(1, 3, 0) == 2
    written = problem_to_json(problem)
    assert written["customers"][0]["windows"] == [["08:00", "10:00"], ["14:00", None]]


def test_an_evening_of_couriers():
    problem = problem_from_json(COURIERS)
    assert VALID.is_valid(COURIERS)
    day = problem.day
    assert day.size.tolist() == [2, 1]
    assert day.service.tolist() == [0.1, 0, 0, 0.2]
    assert day.released.tolist() == [8.5, -LARGEST_NUMBER, -LARGEST_NUMBER, -LARGEST_NUMBER]
    assert day.locked == (((0,),), ())
    assert day.speed.tolist() == [2, 1]
    assert problem.capacity.tolist() == [LARGEST_NUMBER, 3]
    assert problem.details == {"note": ("", "", "ring twice", "")}


def test_a_plain_problem_has_no_day():
    assert problem_from_json(problem_to_json(instances.square())).day is None


def test_without_a_depot_the_matrix_has_no_row_for_it():
    value = {
        "problem": "hcvrp",
        "customers": [{"x": 1, "y": 0}, {"x": 2, "y": 0}],
        "vehicles": [{"start": {"x": 7, "y": 7}}],
        "matrices": {"car": {"durations": [[0, 1, 2], [3, 0, 4], [5, 6, 0]]}},
    }
    problem = problem_from_json(value)
    assert not problem.day.has_depot
    assert problem.ends.tolist() == [-1]
    assert problem.travel.duration(0, problem.homes, np.array([0])) == 5
    assert problem_to_json(problem)["matrices"] == value["matrices"]


def test_dates_count_from_the_first():
    value = changed(DELIVERIES, lambda v: v["depot"].update(opens="2026-11-17T06:00"))
    value["customers"][0]["windows"] = [["2026-11-18T01:00", None]]
    day = problem_from_json(value).day
    assert (day.opens, day.clock) == (360, "2026-11-17T00:00:00")
    assert windows_of(day.windows, 0) == [(1500, np.inf)]


def changed(value, change):
    value = copy.deepcopy(value)
    change(value)
    return value


def at(*path, to):
    def change(value):
        for key in path[:-1]:
            value = value[key]
        value[path[-1]] = to

    return change


@pytest.mark.parametrize(
    ("base", "change", "code", "field"),
    [
        (DELIVERIES, at("time_unit", to="days"), "unknown-value", "time_unit"),
        (DELIVERIES, at("minimise", to=3), "unknown-value", "minimise"),
        (DELIVERIES, at("matrices", to=[]), "wrong-type", "matrices"),
        (DELIVERIES, at("matrices", "car", to={}), "missing-field", "matrices.car.durations"),
        (
            DELIVERIES, at("matrices", "car", "durations", to=[[0, None], [1, 0]]), "bad-travel",
            "matrices.car.durations[0][1]",
        ),
        (
            DELIVERIES, at("matrices", "car", "durations", to=[[0, 1], [1, 0]]), "wrong-length",
            "matrices.car.durations",
        ),
        (DELIVERIES, at("matrices", "bus", to={"durations": [[0]]}), "wrong-length", None),
        (DELIVERIES, at("depot", "opens", to="23:00"), "ends-before-it-begins", "depot"),
        (DELIVERIES, at("depot", "opens", to="six"), "not-a-time", "depot.opens"),
        (DELIVERIES, at("depot", "loading", to=-1), "out-of-range", "loading"),
        (DELIVERIES, at("depot", to=None), "missing-field", "depot"),
        (DELIVERIES, at("customers", 0, "service", to=-1), "out-of-range", "customers[0].service"),
        (
            DELIVERIES, at("customers", 0, "windows", 0, to=["10:00", "08:00"]),
            "ends-before-it-begins", "customers[0].windows[0]",
        ),
        (DELIVERIES, at("customers", 0, "windows", to=7), "wrong-type", "customers[0].windows"),
        (
            DELIVERIES, at("customers", 0, "windows", to=["08:00", "10:00"]), "wrong-type",
            "customers[0].windows[0]",
        ),
        (
            DELIVERIES, at("customers", 0, "windows", 0, to=[True, 1]), "not-a-time",
            "customers[0].windows[0][0]",
        ),
        (
            DELIVERIES, at("customers", 0, "windows", 0, to=["2026-11-17T08:00Z", "2026-11-17"]),
            "mixed-dates", "times",
        ),
        (
            DELIVERIES, at("customers", 0, "windows", 0, to=[1e13, None]), "out-of-range",
            "customers[0].windows[0][0]",
        ),
        (
            DELIVERIES, at("customers", 1, "vehicles", to=["bike", "bus"]), "unknown-id",
            "customers[1].vehicles[1]",
        ),
        (DELIVERIES, at("customers", 0, "needs", to="fridge"), "wrong-type", "customers[0].needs"),
        (
            DELIVERIES, at("customers", 1, "demand", to=3), "wrong-length", "customers[1].demand"
        ),
        (DELIVERIES, at("customers", 1, "priority", to=0), "out-of-range", "customers[1].priority"),
        (DELIVERIES, at("customers", 1, "details", to=3), "wrong-type", "customers[1].details"),
        (
            DELIVERIES, at("vehicles", 0, "available", to=["15:30", "07:00"]),
            "ends-before-it-begins", "vehicles[0].available",
        ),
        (
            DELIVERIES, at("vehicles", 0, "on_board", to=["baker", "inn", "bar"]), "unknown-id",
            "vehicles[0].on_board[2]",
        ),
        (
            DELIVERIES, at("vehicles", 0, "on_board", to=["school"]), "contradicting-locks",
            "vehicle van on_board",
        ),
        (DELIVERIES, at("vehicles", 0, "profile", to="ship"), "unknown-value", None),
        (DELIVERIES, at("vehicles", 1, "locked", to=[["x"]]), "unknown-id", None),
        (DELIVERIES, at("vehicles", 1, "start", to=[1, 2]), "wrong-type", "vehicles[1].start"),
        (DELIVERIES, at("vehicles", 1, "skils", to=[]), "unknown-field", "vehicles[1].skils"),
        (COURIERS, at("orders", 0, "size", to=-1), "out-of-range", "orders[0].size"),
        (
            COURIERS, at("orders", 1, "delivery", "service", to=-1), "out-of-range",
            "orders[1].delivery.service",
        ),
        (
            COURIERS, at("vehicles", 0, "locked", 0, "order", to="c"), "unknown-id",
            "vehicles[0].locked[0].order",
        ),
        (COURIERS, at("vehicles", 0, "speed", to=0), "out-of-range", "vehicles[0].speed"),
    ],
)  # fmt: skip
def test_one_fault_at_its_place(base, change, code, field):
    with pytest.raises(InputError) as error:
        problem_from_json(changed(base, change))
    found = {(fault.code, fault.field) for fault in error.value.faults}
    assert (code, field) in found if field else code in {one for one, _ in found}


def test_everything_is_told_at_once():
    value = changed(DELIVERIES, at("depot", "opens", to="six"))
    value["customers"][0] |= {"service": "x", "windows": [[9, 8]], "vehicles": ["bus"]}
    value["vehicles"][0] |= {"longest": -1, "profile": "ship"}
    value["matrices"]["car"]["durations"] = [[0, -1], [1, 0]]
    with pytest.raises(InputError) as error:
        problem_from_json(value)
    assert {fault.code for fault in error.value.faults} >= {
        "not-a-time", "not-a-number", "ends-before-it-begins", "unknown-id", "bad-travel",
    }  # fmt: skip


def test_capacities_without_a_matrix_need_a_speed():
    value = changed(DELIVERIES, lambda v: v.pop("matrices"))
    with pytest.raises(InputError, match="speed: is missing"):
        problem_from_json(value)
    assert not VALID.is_valid(value)


def test_an_empty_part_is_kept():
    problem = instances.square().replace(day=Day(longest=[np.inf] * 2, windows=[[]] * 4))
    assert problem_from_json(problem_to_json(problem)) == problem


def test_orders_may_have_several_kinds_of_sizes():
    value: Any = copy.deepcopy(COURIERS)
    value["orders"][0]["size"] = [2, 0.5]
    value["orders"][1]["size"] = None
    for vehicle in value["vehicles"]:
        vehicle["capacity"] = [3, 4.5]
    problem = problem_from_json(value)
    assert VALID.is_valid(value)
    assert problem.day.size.tolist() == [2, 1]
    assert problem.day.extra_demand.tolist() == [[0.5], [0.0]]
    assert problem.day.extra_capacity.tolist() == [[4.5]] * len(value["vehicles"])
    assert problem_from_json(problem_to_json(problem)) == problem


def test_single_numbers_are_told_beside_all_else_that_is_wrong():
    value: Any = copy.deepcopy(DELIVERIES)
    value["time_unit"] = "days"
    value["customers"][0]["service"] = -5
    with pytest.raises(InputError) as error:
        problem_from_json(value)
    assert {"unknown-value", "out-of-range"} <= {fault.code for fault in error.value.faults}


NAMED = {
    "problem": "hcvrp",
    "loads": ["parcels"],
    "depot": {"x": 0, "y": 0, "details": {"name": "Warehouse 3"}},
    "customers": [{"x": 1, "y": 0, "demand": 2}],
    "vehicles": [{"capacity": 3, "speed": 1}],
}


def test_loads_have_names_and_the_depot_has_details():
    problem = problem_from_json(NAMED)
    assert problem.load_names == ("parcels",)
    assert problem.depot_details == {"name": "Warehouse 3"}
    assert problem.day is None
    assert problem_from_json(problem_to_json(problem)) == problem


@pytest.mark.parametrize(
    ("change", "code", "field"),
    [
        ({"loads": ["parcels", "kg"]}, "wrong-length", "loads"),
        ({"loads": [" "]}, "empty-id", "loads[0]"),
        ({"loads": "parcels"}, "wrong-type", "loads"),
        ({"depot": {"x": 0, "y": 0, "details": "W3"}}, "wrong-type", "depot.details"),
    ],
)
def test_names_that_will_not_do(change, code, field):
    with pytest.raises(InputError) as caught:
        problem_from_json(NAMED | change)
    assert [(fault.code, fault.field) for fault in caught.value.faults] == [(code, field)]
