"""VROOM's JSON: what it says becomes a problem, what has no place here is named."""

import copy
import json
from typing import Any

import numpy as np
import pytest

from geopar.errors import InputError
from geopar.files import read_problem
from geopar.files.problem_vroom import is_vroom, problem_from_vroom
from geopar.problems.day import windows_of

TABLE = [[10 * i + j for j in range(4)] for i in range(4)]
JOBS: dict[str, Any] = {
    "vehicles": [
        {"id": 1, "start": [2.3, 48.8], "start_index": 0, "end": [2.3, 48.8], "end_index": 0,
         "capacity": [4], "skills": [1, 14], "time_window": [28800, 43200], "speed_factor": 1.5},
        {"id": 2, "start": [2.3, 48.8], "start_index": 0, "end": [2.3, 48.8], "end_index": 0},
    ],
    "jobs": [
        {"id": 7, "description": "baker", "location": [2.4, 48.9], "location_index": 2,
         "service": 300, "setup": 60, "delivery": [1], "skills": [1], "priority": 9,
         "time_windows": [[32400, 36000]]},
        {"id": 8, "location": [2.5, 48.7], "location_index": 3},
    ],
    "matrices": {"car": {"durations": TABLE}},
}  # fmt: skip
SHIPMENTS: dict[str, Any] = {
    "vehicles": [{"id": "a", "start": [2.3, 48.8], "capacity": [2]}],
    "shipments": [
        {"amount": [1], "pickup": {"id": 1, "location": [2.4, 48.9], "service": 30},
         "delivery": {"id": 2, "location": [2.5, 48.7], "time_windows": [[0, 99]]}},
    ],
}  # fmt: skip


def test_jobs_with_one_depot():
    problem = problem_from_vroom(JOBS, "day")
    day = problem.day
    assert (problem.kind, problem.name, day.time_unit) == ("hcvrp", "day", "seconds")
    assert problem.customer_ids == ("7", "8")
    assert problem.depot.tolist() == [2.3, 48.8]
    assert day.service.tolist() == [360, 0]
    assert windows_of(day.windows, 0) == [(32400, 36000)]
    assert day.priority.tolist() == [10, 1]
    assert day.allowed.tolist() == [[True, False], [True, True]]
    assert day.most_trips.tolist() == [1, 1]
    assert problem.capacity.tolist() == [4, 1e12]
    assert problem.demand.tolist() == [1, 0]
    assert problem.details == {"description": ("baker", "")}
    assert day.matrices["car"].durations.tolist() == [[0, 2, 3], [20, 22, 23], [30, 32, 33]]
    assert problem.travel.duration(0, 2, 0) == 2 / 1.5


def test_vehicles_with_places_of_their_own():
    value = copy.deepcopy(JOBS)
    value["vehicles"][1] = {"id": 2, "start_index": 1, "start": [2.0, 48.0]}
    problem = problem_from_vroom(value)
    assert not problem.day.has_depot
    assert problem.ends.tolist() == [4, -1]
    assert problem.travel.duration(1, problem.homes[1:], np.array([1])) == 13


def test_shipments():
    problem = problem_from_vroom(SHIPMENTS, speed=36.0)
    assert problem.kind == "omdcpdp"
    assert problem.order_ids == ("1",)
    assert problem.day.service.tolist() == [30, 0]
    assert problem.day.size.tolist() == [1]
    assert problem.speeds[0] == pytest.approx(0.01)  # kilometres a second


def test_without_coordinates_places_are_drawn_from_the_matrix():
    value = copy.deepcopy(JOBS)
    for one in value["vehicles"] + value["jobs"]:
        for name in ("start", "end", "location"):
            one.pop(name, None)
    assert problem_from_vroom(value).coordinates == "plane"


def test_all_that_cannot_be_said_is_named_at_once():
    value = copy.deepcopy(JOBS)
    value["vehicles"][0] |= {"breaks": [], "max_tasks": 4}
    value["jobs"][0]["setup_per_type"] = {}
    value["shipments"] = [{"amount": [1]}]
    with pytest.raises(InputError) as error:
        problem_from_vroom(value)
    fields = {fault.field for fault in error.value.faults if fault.code == "unsupported"}
    assert fields == {
        "vehicles[0].breaks", "vehicles[0].max_tasks", "jobs[0].setup_per_type", "shipments",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("base", "change", "field"),
    [
        (JOBS, lambda v: v["jobs"][0].update(location_index=9), "jobs[0].location_index"),
        (JOBS, lambda v: v["jobs"][0].update(service=-1), "jobs[0].service"),
        (JOBS, lambda v: v["jobs"][1].update(pickup=[1]), "jobs"),
        (JOBS, lambda v: v["vehicles"][0].pop("start") and v["vehicles"][0].pop("start_index"),
         "vehicles[0]"),
        (JOBS, lambda v: v.pop("matrices"), "matrices"),
        (JOBS, lambda v: v["matrices"]["car"].update(durations=[[0, "x"], [1, 0]]), "matrices"),
        (JOBS, lambda v: v.pop("vehicles"), "vehicles"),
        (SHIPMENTS, lambda v: v["vehicles"][0].update(end=[2.3, 48.8]), "vehicles[0].end"),
        (SHIPMENTS, lambda v: v["shipments"][0].update(amount=[1, 2]), "shipments[0].amount"),
    ],
)  # fmt: skip
def test_faults_have_the_names_of_the_file(base, change, field):
    value = copy.deepcopy(base)
    change(value)
    with pytest.raises(InputError) as error:
        problem_from_vroom(value, speed=30 if base is SHIPMENTS else None)
    assert any(fault.field.startswith(field) for fault in error.value.faults)


def test_a_file_is_known_by_its_content(tmp_path):
    (tmp_path / "input.json").write_text(json.dumps(JOBS))
    assert read_problem(tmp_path / "input.json", minimise="duration").goal == "duration"
    assert not is_vroom({"problem": "hcvrp"})
    (tmp_path / "shipments.json").write_text(json.dumps(SHIPMENTS))
    assert read_problem(tmp_path / "shipments.json", speed=20).num_tasks == 2
