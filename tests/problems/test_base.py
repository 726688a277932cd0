import numpy as np
import pytest
from hypothesis import given

import instances
from geopar.errors import InputError
from strategies import problems_with_plans


def test_equal_by_value(any_problem):
    assert any_problem == any_problem.replace()
    assert any_problem != any_problem.replace(name="another")
    assert any_problem != "a problem"
    with pytest.raises(TypeError):
        hash(any_problem)


def test_copies_are_validated(any_problem):
    with pytest.raises(InputError, match="not-finite"):
        any_problem.replace(capacity=[np.nan] * any_problem.num_vehicles)


def test_told_in_a_line():
    assert repr(instances.square()) == "<HCVRP 'square': 4 customers, 2 vehicles>"
    assert repr(instances.one_order()) == "<OMDCPDP: 1 orders, 1 vehicles>"


def test_customers_lighten_the_load(square):
    problem = square.replace(demand=[1, 2, 3, 4], capacity=[9, 9])
    assert problem.on_board(np.array([3, 0, 2])).tolist() == [4.0, 3.0, 0.0]
    assert problem.load_of([np.array([3, 0]), np.array([2])]) == 8.0
    assert problem.load_of([]) == 0.0


def test_pickups_add_and_deliveries_free(corridor):
    tour = np.array([0, 1, 3, 4])
    assert corridor.on_board(tour).tolist() == [1.0, 2.0, 1.0, 0.0]
    assert corridor.load_of([tour]) == 2.0
    assert corridor.load_of([]) == 0.0


@given(problems_with_plans())
def test_nothing_is_left_on_board(case):
    problem, plan = case
    for trips in plan.to_indices(problem):
        for trip in trips:
            assert problem.on_board(trip)[-1] == 0.0
