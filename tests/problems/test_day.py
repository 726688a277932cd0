"""A working day: its parts, what is wrong with them, and parts of it."""

from typing import Any

import numpy as np
import pytest

import instances
from geopar.errors import InputError
from geopar.problems.day import Day, windows_of


def codes(error):
    return [fault.code for fault in error.value.faults]


def attached(**parts):
    return instances.square().replace(day=Day(**parts))


def test_a_plain_day_asks_for_nothing():
    assert Day().parts == ()
    assert not Day().waits
    assert not Day().may_leave_out
    assert Day() == Day()
    assert Day(loading=1.0) != Day()


def test_parts_are_named():
    assert Day(loading=0.5, service=[1.0]).parts == ("service", "loading")


def test_windows_are_joined_and_in_order():
    day = Day(windows=[[(5, 6), (1, 2), (2, 3)], []])
    assert windows_of(day.windows, 0) == [(1, 3), (5, 6)]
    assert windows_of(day.windows, 1) == []


def test_who_has_no_first_moment_is_there_from_0_on():
    day = Day(available=[[-np.inf, 5], [7, np.inf]])
    assert day.available.tolist() == [[0, 5], [7, np.inf]]
    assert (
        instances.square().replace(day=day.replace(available=[[-np.inf, 9]] * 2)).first_start == 0
    )


def test_a_shift_that_never_begins_is_refused():
    with pytest.raises(InputError) as error:
        attached(available=[[np.inf, np.inf]] * instances.square().num_vehicles)
    assert set(codes(error)) == {"ends-before-it-begins"}


def test_half_a_trip_is_refused():
    with pytest.raises(InputError, match=r"vehicle blue most_trips = 1.5"):
        attached(most_trips=[np.inf, 1.5])


def test_everything_wrong_with_a_day_is_told_at_once():
    wrong: Any = {"time_unit": "days", "minimise": "cost"}
    with pytest.raises(InputError) as error:
        Day(loading=-1, opens=3, closes=2, windows=[[(2, 1)]], **wrong)
    assert set(codes(error)) == {"out-of-range", "ends-before-it-begins", "unknown-value"}
    assert len(error.value.faults) == 5


@pytest.mark.parametrize(
    ("table", "code"),
    [
        ([[0.0, 1.0]], "wrong-shape"),
        ([[0.0, -1.0], [1.0, 0.0]], "bad-travel"),
        ([[0.0, np.nan], [1.0, 0.0]], "bad-travel"),
        ([["a"]], "not-a-number"),
    ],
)
def test_bad_matrices(table, code):
    with pytest.raises(InputError) as error:
        Day(matrices={"car": table})
    assert codes(error) == [code]


@pytest.mark.parametrize(
    ("parts", "code"),
    [
        ({"service": [1.0]}, "wrong-length"),
        ({"matrices": {"car": np.zeros((2, 2))}}, "wrong-length"),
        ({"allowed": [[True]]}, "wrong-shape"),
        ({"has_depot": False}, "missing-field"),
    ],
)
def test_a_day_must_fit_its_problem(parts, code):
    with pytest.raises(InputError) as error:
        attached(**parts)
    assert codes(error)[0] == code


def test_locks_that_contradict_each_other():
    square = instances.square()
    vehicles = square.num_vehicles
    assert vehicles >= 2
    twice = [[[0]], [[0]]] + [[]] * (vehicles - 2)
    with pytest.raises(InputError, match="contradicting-locks"):
        attached(locked=twice)
    allowed = np.ones((square.num_tasks, vehicles), dtype=bool)
    allowed[0, 0] = False
    with pytest.raises(InputError, match="may not be served"):
        attached(allowed=allowed, on_board=[[0]] + [[]] * (vehicles - 1))


@pytest.mark.parametrize(
    "parts",
    [
        {"locked": [[[0, 0]], []]},
        {"locked": [[[0]], [[0]]]},
        {"locked": [[[0]], []], "on_board": [[1], []]},
        {"locked": [[[0]], []], "on_board": [[], [0]]},
    ],
)
def test_nothing_is_promised_twice(parts):
    with pytest.raises(InputError, match="contradicting-locks"):
        instances.HCVRP([0, 0], [[1, 0], [2, 0]], [1, 1], [2, 2], [1, 1]).replace(day=Day(**parts))


def test_own_starts_and_ends_are_places_behind_the_depot():
    square = instances.square()
    fleet, n = square.num_vehicles, square.num_tasks
    start, end = np.full((fleet, 2), np.nan), np.full((fleet, 2), np.nan)
    start[0], end[0], end[1] = (7, 8), (9, 9), (np.inf, np.inf)
    problem = square.replace(day=Day(start=start, end=end))
    assert problem.homes[:2].tolist() == [n + 1, n]
    assert problem.ends[:2].tolist() == [n + 2, -1]
    assert problem.places[n + 1 :].tolist() == [[7, 8], [9, 9]]
    assert problem.matrix_rows.tolist() == [*range(1, n + 1), 0, n + 1, n + 2]


def test_selecting_takes_the_day_along():
    square = instances.square()
    n, fleet = square.num_tasks, square.num_vehicles
    table = np.arange((n + 1.0) ** 2).reshape(n + 1, n + 1)
    day = Day(
        service=np.arange(n), matrices={"car": table}, locked=[[[n - 1, 0]]] + [[]] * (fleet - 1)
    )
    part = square.replace(day=day).select([n - 1, 1], [0])
    assert part.day.service.tolist() == [n - 1, 1]
    assert part.day.locked == (((0,),),)
    assert part.day.matrices["car"].durations[1, 0] == table[n, 0]
    whole = square.replace(day=day)
    assert part.travel.duration(0, np.array([0]), np.array([1])) == whole.travel.duration(
        0, np.array([n - 1]), np.array([1])
    )
