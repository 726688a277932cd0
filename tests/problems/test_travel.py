import numpy as np
import pytest
from hypothesis import given

import instances
from geopar.errors import InputError
from geopar.problems.day import Day, Matrix
from geopar.problems.travel import Matrices, StraightLines, legs, require_straight_lines
from strategies import problems


def test_three_four_five():
    travel = StraightLines(np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([1.0, 2.0]))
    assert travel.distance(np.array([0]), np.array([1])).tolist() == [5.0]
    there, back = np.array([0, 1]), np.array([1, 0])
    assert travel.duration(1, there, back).tolist() == [2.5, 2.5]
    assert travel.duration(np.array([0, 1]), there, back).tolist() == [5.0, 2.5]


def test_matrices_look_up_by_profile():
    slow = Matrix(np.array([[0.0, 4.0], [6.0, 0.0]]), np.array([[0.0, 1.0], [2.0, 0.0]]))
    fast = Matrix(slow.durations / 2, slow.distances * 3)
    speed = np.array([1.0, 1.0, 2.0])
    travel = Matrices([slow, fast], np.array([0, 1, 1]), speed, np.array([1, 0]))
    there, back = np.array([0]), np.array([1])
    assert [travel.duration(v, there, back)[0] for v in range(3)] == [6.0, 3.0, 1.5]
    assert travel.duration(np.arange(3), 0 * speed.astype(int), 1).tolist() == [6.0, 3.0, 1.5]
    assert travel.distance(back, there).tolist() == [1.0]
    assert travel.distance(back, there, 1).tolist() == [3.0]


def test_legs_are_between_neighbours(one_order):
    home = one_order.homes[0]
    assert legs(one_order.travel, np.array([home, 0, 1])).tolist() == [5.0, 4.0]


@given(problems())
def test_distances_are_a_metric(problem):
    count = len(problem.places)
    one, other, third = (np.roll(np.arange(count), k) for k in range(3))
    distance = problem.travel.distance
    assert np.array_equal(distance(one, other), distance(other, one))
    assert not distance(one, one).any()
    detour = distance(one, third) + distance(third, other)
    assert (distance(one, other) <= detour * (1 + 1e-12) + 1e-300).all()


def test_tasks_come_first_then_homes(any_problem):
    assert len(any_problem.places) == len(any_problem.places_xy)
    assert any_problem.homes.shape == (any_problem.num_vehicles,)
    assert (any_problem.homes >= any_problem.num_tasks).all()
    assert np.array_equal(any_problem.places_xy[: any_problem.num_tasks], any_problem.tasks_xy)


def test_networks_see_straight_lines_only(monkeypatch, any_problem):
    require_straight_lines(any_problem, "pointer")
    monkeypatch.setattr(StraightLines, "is_straight", False)
    with pytest.raises(InputError, match=r"needs-straight-lines.*'pointer'"):
        require_straight_lines(instances.square(), "pointer")


def test_networks_know_plain_problems_only():
    busy = instances.square().replace(day=Day(loading=1.0))
    with pytest.raises(InputError, match=r"needs-plain-problem.*loading"):
        require_straight_lines(busy, "pointer")


def test_from_a_place_to_itself_it_takes_nothing_whatever_a_table_says():
    square = instances.square()
    places = len(square.places)
    problem = square.replace(day=Day(matrices={"car": np.full((places, places), 7.0)}))
    here, there = np.array([0, 1]), np.array([0, 2])
    assert problem.travel.distance(here, there).tolist() == [0.0, 7.0]
    assert problem.travel.duration(0, here, there).tolist() == [0.0, 7.0]
