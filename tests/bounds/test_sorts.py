import numpy as np
import pytest
from hypothesis import given

from geopar.bounds.sorts import MOST_STEPS, STEPS, fleet_of
from geopar.problems import HCVRP
from geopar.problems.day import Day
from strategies import hcvrps

CORNERS = [(1, 0), (0, 1), (-1, 0)]


def three(**changes) -> HCVRP:
    given = {"demand": [2, 4, 6], "capacity": [6, 8, 6], "speed": [1, 2, 3]} | changes
    return HCVRP((0, 0), CORNERS, **given)


def test_whole_loads_are_counted_by_what_divides_them_all():
    fleet = fleet_of(three())
    assert fleet.load.tolist() == [1, 2, 3]
    assert sorted(sort.capacity for sort in fleet.sorts) == [3, 4]


def test_vehicles_of_one_capacity_count_by_their_speed():
    small, large = sorted(fleet_of(three()).sorts, key=lambda sort: sort.capacity)
    assert small.strength == pytest.approx(4.0)  # the first at speed one, the other at three
    assert small.table[3, 0] == pytest.approx(1.0)
    assert large.strength == pytest.approx(1.0)
    assert large.table[3, 0] == pytest.approx(0.5)


def test_where_stops_take_time_vehicles_of_one_sort_are_as_fast():
    day = Day(service=np.array([1.0, 2.0, 3.0]), loading=0.5)
    fleet = fleet_of(three(day=day))
    assert len(fleet.sorts) == 3
    slow = next(s for s in fleet.sorts if s.capacity == 3 and s.table[0, 3] == pytest.approx(1.0))
    assert slow.strength == 1.0
    assert slow.table[3, 1] == pytest.approx(0.5 + 1.0 + 2.0)
    assert slow.table[1, 3] == pytest.approx(1.0)


def test_who_weighs_next_to_nothing_is_left_out_and_may_be_a_way_through():
    table = np.array([[0, 1, 9, 9], [1, 0, 1, 9], [9, 1, 0, 9], [9, 9, 9, 0.0]])
    day = Day(matrices={"car": table})
    fleet = fleet_of(three(demand=[0, 4, 6], day=day))
    assert fleet.customers.tolist() == [1, 2]
    assert fleet.sorts[0].table[2, 0] == pytest.approx(2.0)  # the depot is the table's first row


@given(problem=hcvrps())
def test_steps_are_never_more_than_the_load_and_never_less_than_the_room(problem):
    fleet = fleet_of(problem)
    largest = max(sort.capacity for sort in fleet.sorts)
    assert largest <= max(STEPS, MOST_STEPS)
    step = problem.capacity.max() / largest
    assert (fleet.load * step <= problem.demand[fleet.customers] * (1 + 1e-6)).all()


def test_places_in_one_place_are_no_way_apart():
    fleet = fleet_of(HCVRP((0, 0), [(0, 0), (6, 2)], demand=[1, 0], capacity=[1], speed=[1]))
    assert fleet.sorts[0].table.tolist() == [[0, 0], [0, 0]]
