from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geopar.errors import InputError
from geopar.problems import HCVRP, validation
from strategies import hcvrps

GOOD: dict[str, Any] = {
    "depot": (0, 0),
    "customers": [(1, 0), (0, 1)],
    "demand": [1, 2],
    "capacity": [3],
    "speed": [1],
}


def faults_of(**changes) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as caught:
        HCVRP(**(GOOD | changes))
    return [(fault.code, fault.field) for fault in caught.value.faults]


def test_plain_lists_will_do():
    problem = HCVRP(**GOOD)
    assert (problem.num_tasks, problem.num_vehicles) == (2, 1)
    assert problem.customers.dtype == problem.demand.dtype == np.float64
    assert problem.customer_ids == problem.task_ids == ("c1", "c2")
    assert problem.vehicle_ids == ("v1",)
    assert repr(problem) == "<HCVRP: 2 customers, 1 vehicles>"
    assert repr(problem.replace(name="mine")) == "<HCVRP 'mine': 2 customers, 1 vehicles>"


def test_nothing_can_be_changed(any_problem):
    with pytest.raises(AttributeError):
        any_problem.capacity = np.ones(3)
    for name in ("capacity", "customers", "customers_xy", "depot", "depot_xy", "demand", "speed",
                 "pickups", "deliveries", "starts", "tasks_xy", "starts_xy"):  # fmt: skip
        array = getattr(any_problem, name, None)
        if array is not None:
            assert not array.flags.writeable, name
            assert array.flags.c_contiguous, name


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"depot": (np.nan, 0)}, [("not-finite", "depot x")]),
        ({"depot": (1, 2, 3)}, [("wrong-shape", "depot")]),
        ({"customers": [(1, 0), (0, np.inf)]}, [("not-finite", "customer c2 y")]),
        ({"customers": [(1, 0), (0, 1e13)]}, [("out-of-range", "customer c2 y")]),
        ({"demand": [1, -2]}, [("out-of-range", "customer c2 demand")]),
        ({"demand": [1, np.nan]}, [("not-finite", "customer c2 demand")]),
        ({"demand": [1]}, [("wrong-length", "demand")]),
        ({"demand": [1, 4]}, [("demand-over-capacity", "customer c2 demand")]),
        ({"capacity": [0]}, [("out-of-range", "vehicle v1 capacity")] + [
            ("demand-over-capacity", f"customer c{i} demand") for i in (1, 2)]),
        ({"capacity": [np.nan]}, [("not-finite", "vehicle v1 capacity")]),
        ({"capacity": [np.inf]}, [("not-finite", "vehicle v1 capacity")]),
        ({"capacity": [], "speed": []}, [("empty", "vehicles")]),
        ({"speed": [0]}, [("out-of-range", "vehicle v1 speed")]),
        ({"speed": [-1]}, [("out-of-range", "vehicle v1 speed")]),
        ({"speed": [1, 1]}, [("wrong-length", "speed")]),
        ({"customers": [], "demand": []}, [("empty", "customers")]),
        ({"customer_ids": ["a", "a"]}, [("duplicate-id", "customer ids")]),
        ({"customer_ids": ["a"]}, [("wrong-length", "customer ids")]),
        ({"vehicle_ids": 3}, [("not-a-list", "vehicle ids")]),
        ({"coordinates": "polar"}, [("unknown-value", "coordinates")]),
        ({"coordinates": "lonlat", "depot": (181, -91)},
         [("out-of-range", "depot lon"), ("out-of-range", "depot lat")]),
        ({"demand": "much", "speed": [[1]]},
         [("not-a-number", "demand"), ("wrong-shape", "speed")]),
    ],
)  # fmt: skip
def test_faults_are_named(changes, found):
    assert faults_of(**changes) == found


def test_all_faults_at_once():
    assert faults_of(
        customers=[(1, np.nan), (0, 1)], demand=[-1, 9], speed=[0], customer_ids=["x", "x"]
    ) == [
        ("duplicate-id", "customer ids"),
        ("not-finite", "customer x y"),
        ("out-of-range", "customer x demand"),
        ("out-of-range", "vehicle v1 speed"),
        ("demand-over-capacity", "customer x demand"),
    ]


def test_too_few_ids_do_not_hide_other_faults():
    assert faults_of(customer_ids=["a"], demand=[1, 9]) == [
        ("wrong-length", "customer ids"),
        ("demand-over-capacity", "customer 1 demand"),
    ]


def test_limits_of_size(monkeypatch):
    monkeypatch.setattr(validation, "MOST_TASKS", 1)
    monkeypatch.setattr(validation, "MOST_VEHICLES", 0)
    assert faults_of() == [("too-many", "customers"), ("too-many", "vehicles")]


def test_demand_may_fit_one_vehicle_only():
    problem = HCVRP(**(GOOD | {"capacity": [1e-12, 2], "speed": [1, 1]}))
    assert problem.capacity.max() == problem.demand.max()


def test_lonlat_is_measured_from_the_depot(town):
    assert town.depot_xy.tolist() == [0.0, 0.0]
    assert np.abs(town.customers_xy).max() < 20
    # North of the depot on the same meridian.
    assert town.customers_xy[2].tolist() == pytest.approx([0.0, 5.56], abs=0.01)


def test_equality_is_by_value(square):
    assert square == square.replace()
    assert square != square.replace(speed=[1, 2])
    assert square != square.replace(name="other")
    assert square != "square"
    with pytest.raises(TypeError):
        hash(square)


def test_a_changed_copy_is_validated(square):
    assert square.replace(speed=[2, 2]).speed.tolist() == [2.0, 2.0]
    with pytest.raises(InputError, match="vehicle red speed"):
        square.replace(speed=[0, 1])
    with pytest.raises(TypeError):
        square.replace(colour="red")


@given(hcvrps(), st.data())
def test_a_selection_keeps_what_belongs_together(problem, data):
    customers = data.draw(
        st.lists(st.integers(0, problem.num_tasks - 1), min_size=1, unique=True), label="customers"
    )
    vehicles = np.flatnonzero(problem.capacity >= problem.demand[customers].max())
    part = problem.select(customers, vehicles)
    for row, i in enumerate(customers):
        assert part.customer_ids[row] == problem.customer_ids[i]
        assert part.customers[row].tolist() == problem.customers[i].tolist()
        assert part.demand[row] == problem.demand[i]
    for row, v in enumerate(vehicles):
        assert part.vehicle_ids[row] == problem.vehicle_ids[v]
        assert (part.capacity[row], part.speed[row]) == (problem.capacity[v], problem.speed[v])
