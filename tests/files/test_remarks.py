"""What is allowed and yet worth a word."""

import numpy as np
import pytest

import instances
from geopar.files.remarks import remarks
from geopar.problems.day import Day
from geopar.problems.validation import LARGEST_NUMBER
from geopar.roads import open_engine, road_times


def told(problem=None, **parts):
    return remarks((problem or instances.square()).replace(day=Day(**parts)))


def test_nothing_is_said_of_what_is_usual():
    assert remarks(instances.square()) == []
    assert told(matrices={"car": np.ones((5, 5))}, windows=[[(0, 9)]] * 4) == []


def test_a_name_like_a_known_one_is_pointed_out():
    named = instances.square().replace(details={"wieght": ["3"] * 4, "note": ["ring"] * 4})
    assert remarks(named) == [
        "wieght is known to nobody here, so it does not count in planning. Maybe weight.",
        "Kept for drivers, no part of planning: wieght, note.",
    ]


def test_limits_of_loads_that_no_stop_has():
    (remark,) = told(extra_demand=[[0]] * 4, extra_capacity=[[5], [7]])
    assert remark.startswith("Vehicles have limits of dimension 2 of load, but no stop has any")
    day = Day(extra_demand=[[0]] * 4, extra_capacity=[[5], [7]])
    named = instances.square().replace(load_names=("Parcels", "Max weight"), day=day)
    (remark,) = remarks(named)
    assert "limits of Max weight" in remark
    assert told(extra_demand=[[1], [0], [0], [0]], extra_capacity=[[5], [7]]) == []


def test_going_round_is_shorter():
    table = np.ones((5, 5))
    table[1, 4] = 7
    (remark,) = told(matrices={"car": table})
    assert "from row 1 by" in remark
    assert "to 4 (2 instead of 7)" in remark


def test_what_rounding_does_is_not_worth_a_word():
    table = np.full((5, 5), 10.0)
    table[1, 4] = 20.1
    assert told(matrices={"car": table}) == []


def test_speeds_beside_great_circles_are_no_odd_factors():
    town = instances.town()
    fast = road_times(
        town.replace(speed=np.full(town.num_vehicles, 30.0)), open_engine(great_circle=True)
    )
    assert remarks(fast) == []


def test_nobody_may():
    allowed = np.ones((4, 2), dtype=bool)
    allowed[2] = False
    assert told(allowed=allowed) == [
        "Customer west may be served by no vehicle and will be left out."
    ]


@pytest.mark.parametrize(
    ("parts", "reached"),
    [
        ({}, True),
        ({"available": [(7.5, 20), (7.5, 20)]}, False),
        ({"opens": 7.5}, False),
        ({"opens": 6.5, "loading": 1}, False),
        ({"released": [7.5, 0, 0, 0]}, False),
        ({"available": [(7.5, 20), (6, 20)]}, True),
        ({"available": [(7.5, 20), (6, 20)], "allowed": [[True, False]] * 4}, False),
    ],
)
def test_windows_that_nobody_can_reach(parts, reached):
    remark = "Customer east is reached in time by nobody and will be left out."
    assert told(windows=[[(0, 1), (7, 8)], [], [], []], **parts) == ([] if reached else [remark])


def test_orders_have_two_ends():
    windows = [[], [], [], [(0, 1)], [(0, 1)], []]
    (remark,) = told(instances.corridor(), windows=windows, available=[(0, 9)] * 2)
    assert remark == "Order a, b is reached in time by nobody and will be left out."


def test_who_has_no_capacity_where_others_have_one():
    square = instances.square().replace(capacity=[2, LARGEST_NUMBER])
    assert remarks(square) == [
        "No capacity of load is given for blue, as others have one: taken as no limit."
    ]
    day = Day(extra_demand=[[1]] * 4, extra_capacity=[[LARGEST_NUMBER], [7]])
    named = instances.square().replace(load_names=("Parcels", "kg"), day=day)
    assert remarks(named) == [
        "No capacity of kg is given for red, as others have one: taken as no limit."
    ]


def test_loads_that_nobody_has_a_capacity_for():
    no_limit = [LARGEST_NUMBER] * 2
    (remark,) = remarks(instances.square().replace(capacity=no_limit))
    assert remark.startswith("No vehicle has a capacity of load, and there is some to carry")
    empty = instances.square().replace(capacity=no_limit, demand=[0] * 4)
    assert remarks(empty) == []
    weighed = Day(extra_demand=[[1]] * 4, extra_capacity=[[LARGEST_NUMBER]] * 2)
    named = instances.square().replace(load_names=("Parcels", "kg"), day=weighed)
    (remark,) = remarks(named)
    assert remark.startswith("No vehicle has a capacity of kg")
    orders = instances.corridor().replace(capacity=no_limit)
    assert remarks(orders) == []
    sized = Day(size=[2] * len(orders.request_ids))
    assert len(remarks(orders.replace(day=sized))) == 1
