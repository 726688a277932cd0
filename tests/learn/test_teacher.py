import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import instances
from geopar.learn.teacher import teacher_actions
from geopar.problems import HCVRP


def line() -> HCVRP:
    """Customers 1, 2, 3 and 4 to the right of the depot."""
    return HCVRP(
        depot=(0, 0),
        customers=[(1, 0), (2, 0), (3, 0), (4, 0)],
        demand=[1, 1, 1, 1],
        capacity=[2, 2],
        speed=[1, 1],
    )


def test_vehicles_return_between_trips_and_wait_at_home_in_the_end() -> None:
    actions = teacher_actions(line(), [[np.array([0]), np.array([2, 3])], [np.array([1])]])
    assert actions.tolist() == [[3, 2, 4, 0, 4], [1, 4, 4, 4, 4]]


def test_a_vehicle_without_a_trip_waits() -> None:
    actions = teacher_actions(line(), [[np.array([3, 2]), np.array([1, 0])], []])
    assert actions[1].tolist() == [4] * 6


def test_orders_keep_their_sequence() -> None:
    problem = instances.corridor()
    routes = [[np.array([0, 3, 1, 4])], [np.array([2, 5])]]
    assert teacher_actions(problem, routes).tolist() == [[0, 3, 1, 4], [2, 5, 6, 6]]


@given(st.permutations(range(12)), st.integers(1, 11))
def test_every_customer_is_served_once_whatever_the_plan(order: list[int], cut: int) -> None:
    problem = instances.handful()
    routes = [[np.array(order[:cut])], [np.array(order[cut:])], []]
    served = [a for a in teacher_actions(problem, routes).flatten().tolist() if a < 12]
    assert sorted(served) == list(range(12))
