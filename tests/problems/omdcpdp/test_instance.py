from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geopar.errors import InputError
from geopar.problems import OMDCPDP
from geopar.problems.tasks import Stop
from strategies import omdcpdps

GOOD: dict[str, Any] = {
    "pickups": [(1, 0), (0, 1)],
    "deliveries": [(2, 0), (0, 2)],
    "starts": [(0, 0)],
    "capacity": [3],
}


def faults_of(**changes) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as caught:
        OMDCPDP(**(GOOD | changes))
    return [(fault.code, fault.field) for fault in caught.value.faults]


def test_plain_lists_will_do():
    problem = OMDCPDP(**GOOD)
    assert (problem.num_orders, problem.num_tasks, problem.num_vehicles) == (2, 4, 1)
    assert problem.order_ids == ("o1", "o2")
    assert repr(problem) == "<OMDCPDP: 2 orders, 1 vehicles>"
    assert repr(problem.replace(name="mine")) == "<OMDCPDP 'mine': 2 orders, 1 vehicles>"


def test_pickups_are_numbered_before_deliveries():
    problem = OMDCPDP(**GOOD)
    assert problem.task_ids == (
        Stop("o1", "pickup"), Stop("o2", "pickup"), Stop("o1", "delivery"), Stop("o2", "delivery"),
    )  # fmt: skip
    assert problem.tasks_xy.tolist() == [[1, 0], [0, 1], [2, 0], [0, 2]]
    assert problem.starts_xy.tolist() == [[0, 0]]


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"pickups": [(1, 0), (np.nan, 1)]}, [("not-finite", "order o2 pickup x")]),
        ({"deliveries": [(1, 0), (np.inf, 1)]}, [("not-finite", "order o2 delivery x")]),
        ({"deliveries": [(1, 0)]}, [("wrong-length", "deliveries")]),
        ({"starts": [(-1e13, 0)]}, [("out-of-range", "vehicle v1 start x")]),
        ({"starts": [], "capacity": []}, [("empty", "vehicles")]),
        ({"pickups": [], "deliveries": []}, [("empty", "orders")]),
        ({"capacity": [0]}, [("out-of-range", "vehicle v1 capacity")]),
        ({"capacity": [1.5]}, [("not-whole", "vehicle v1 capacity")]),
        ({"capacity": [np.nan]}, [("not-finite", "vehicle v1 capacity")]),
        ({"capacity": [1, 1]}, [("wrong-length", "capacity")]),
        ({"order_ids": ["a", "a"]}, [("duplicate-id", "order ids")]),
        ({"vehicle_ids": []}, [("wrong-length", "vehicle ids")]),
        ({"coordinates": "lonlat", "pickups": [(0, 95), (200, 0)]},
         [("out-of-range", "order o2 pickup lon"), ("out-of-range", "order o1 pickup lat")]),
        ({"coordinates": "polar"}, [("unknown-value", "coordinates")]),
    ],
)  # fmt: skip
def test_faults_are_named(changes, found):
    assert faults_of(**changes) == found


def test_all_faults_at_once():
    assert faults_of(pickups=[(np.nan, 0), (0, 1)], starts=[(0, 1e13)], capacity=[0.5]) == [
        ("not-finite", "order o1 pickup x"),
        ("out-of-range", "vehicle v1 start y"),
        ("out-of-range", "vehicle v1 capacity"),
        ("not-whole", "vehicle v1 capacity"),
    ]


def test_too_few_ids_do_not_hide_other_faults():
    assert faults_of(vehicle_ids=[], capacity=[1.5]) == [
        ("wrong-length", "vehicle ids"),
        ("not-whole", "vehicle 0 capacity"),
    ]


def test_an_island_across_the_date_line_is_small(island):
    assert np.abs(island.tasks_xy).max() < 20
    assert np.abs(island.starts_xy).max() < 20
    assert island.starts_xy.mean(axis=0) == pytest.approx([0.0, 0.0], abs=1e-9)


def test_equality_is_by_value(corridor, square):
    assert corridor == corridor.replace()
    assert corridor != corridor.replace(capacity=[3, 3])
    assert corridor != square
    with pytest.raises(TypeError):
        hash(corridor)


@given(omdcpdps(), st.data())
def test_a_selection_keeps_what_belongs_together(problem, data):
    orders = data.draw(st.lists(st.integers(0, problem.num_orders - 1), min_size=1, unique=True))
    part = problem.select(orders, [problem.num_vehicles - 1])
    for row, i in enumerate(orders):
        assert part.order_ids[row] == problem.order_ids[i]
        assert part.pickups[row].tolist() == problem.pickups[i].tolist()
        assert part.deliveries[row].tolist() == problem.deliveries[i].tolist()
    assert part.vehicle_ids == problem.vehicle_ids[-1:]
    assert part.starts[0].tolist() == problem.starts[-1].tolist()
    assert part.capacity[0] == problem.capacity[-1]
