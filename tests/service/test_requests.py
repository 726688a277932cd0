"""Bodies of requests, before they are parsed."""

import numpy as np
import pytest

import instances
from geopar.errors import InputError
from geopar.files import problem_to_json
from geopar.files.problem_json import problem_text
from geopar.problems.day import Day
from geopar.problems.random import generate
from geopar.service.limits import Limits
from geopar.service.messages import RunOptions
from geopar.service.requests import check_values, solve_request_reader
from geopar.service.responses import RefusedError

FEW = Limits(tasks=1000, vehicles=100)


def test_a_matrix_of_many_places_is_not_too_much():
    day = Day(matrices={"car": np.ones((801, 801))})
    check_values(problem_text(generate("hcvrp/800/9").replace(day=day)).encode(), FEW)


@pytest.mark.parametrize("part", [b"[],", b"{},", b'{"a":[[1]]},'])
def test_many_lists_or_objects_are(part):
    with pytest.raises(RefusedError, match="more than any problem needs"):
        check_values(b"[" + 20_000 * part + b"0]", FEW)


def test_no_end_of_numbers_is():
    with pytest.raises(RefusedError, match="more than any problem needs"):
        check_values(b"[" + 2_100_000 * b"1," + b"0]", FEW)


def test_options_of_a_run() -> None:
    body = {"problem": problem_to_json(instances.square())}
    read = solve_request_reader(Limits(time_limit=100.0))
    assert read(body).options == RunOptions()
    asked = {"iterations": 500.0, "target": 3, "no_improvement": 0.5, "threads": 1}
    found = read(body | asked)
    assert found.options == RunOptions(500, 3.0, 0.5, 1)
    assert found.time_limit == 100.0  # no clock ends it before its iterations are done
    assert read(body | asked | {"time_limit": 2}).time_limit == 2.0


def test_every_fault_of_the_options_is_told() -> None:
    body = {"problem": problem_to_json(instances.square())}
    wrong = {"iterations": -1, "target": "low", "no_improvement": -2, "threads": 0.5}
    with pytest.raises(InputError) as caught:
        solve_request_reader(Limits())(body | wrong)
    assert {fault.field for fault in caught.value.faults} == set(wrong)


def test_faults_of_solver_and_problem_are_told_together() -> None:
    body = {"problem": {"problem": "omdcpdp"}, "solver": "vroom"}
    with pytest.raises(InputError) as caught:
        solve_request_reader(Limits())(body)
    codes = [fault.code for fault in caught.value.faults]
    assert "unknown-solver" in codes
    assert "missing-field" in codes
    assert "more" not in str(caught.value)
