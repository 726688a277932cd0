"""Working days in npz batches."""

import io

import numpy as np
import pytest
from hypothesis import given

import instances
from geopar.errors import InputError
from geopar.files.problem_npz import batch_from_npz, batch_to_npz
from geopar.problems.day import Day
from random_days import problems_with_days


def back(problems):
    return list(batch_from_npz(batch_to_npz(problems), "file", ""))


@given(problems_with_days())
def test_days_survive_the_way_out_and_in(problem):
    named = problem.replace(name="a")
    assert back([named, named]) == [named, named]


def with_matrix(places=5, **parts):
    return instances.square().replace(
        day=Day(matrices={"car": np.zeros((places, places))}, **parts)
    )


def test_a_batch_has_one_set_of_matrices():
    with pytest.raises(InputError, match="not-expressible"):
        batch_to_npz([with_matrix(), instances.square()])
    one, other = with_matrix(), with_matrix(loading=1.0)
    assert back([one, other]) == [one, other]


def test_a_matrix_that_does_not_fit_is_told():
    archive = dict(np.load(io.BytesIO(batch_to_npz([with_matrix()]))))
    archive["durations_car"] = np.zeros((1, 3, 3))
    buffer = io.BytesIO()
    np.savez(buffer, **archive)
    with pytest.raises(InputError, match=r"matrices.car.durations = 3"):
        list(batch_from_npz(buffer.getvalue(), "file", ""))


@pytest.mark.parametrize("day", [b'{"colour": 1}', b'{"windows": 3}', b'{"loading": "x"}'])
def test_a_day_of_something_else_is_told(day):
    archive = dict(np.load(io.BytesIO(batch_to_npz([with_matrix()]))))
    archive["geopar"] = np.frombuffer(b'[{"day": ' + day + b"}]", dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez(buffer, **archive)
    with pytest.raises(InputError, match="not what a day is made of"):
        list(batch_from_npz(buffer.getvalue(), "file", ""))


def test_names_of_loads_and_of_the_depot_survive():
    problem = with_matrix().replace(load_names=("kg",), depot_details={"name": "Warehouse 3"})
    assert back([problem])[0] == problem
