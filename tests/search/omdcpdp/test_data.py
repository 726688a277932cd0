import math

import numpy as np
import pytest
from hypothesis import given

import instances
from geopar.problems import OMDCPDP
from geopar.search.omdcpdp.data import Settings, prepare
from strategies import omdcpdps


@given(omdcpdps())
def test_an_instance_is_told_truly(problem):
    data = prepare(problem)
    orders, vehicles = problem.num_orders, problem.num_vehicles
    xy = [*problem.tasks_xy, *problem.starts_xy]
    for order in range(orders):
        others = sorted(math.dist(xy[order], xy[s]) for s in range(len(xy)) if s != order)
        near = data.near[order].tolist()
        assert sorted(near) == [s for s in range(len(xy)) if s != order]
        assert [math.dist(xy[order], xy[s]) for s in near] == pytest.approx(others, abs=1e-9)
        away = sorted(math.dist(xy[order], start) for start in problem.starts_xy)
        starts = data.near_starts[order].tolist()
        assert len(set(starts)) == len(starts) == min(4, vehicles)
        found = [math.dist(xy[order], xy[s]) for s in starts]
        assert found == pytest.approx(away[: len(starts)], abs=1e-9)
        direct = math.dist(xy[order], xy[orders + order])
        assert data.direct[order] == pytest.approx(direct, abs=1e-9)
        assert data.least[order] == pytest.approx(away[0] + direct, abs=1e-9)


def test_only_so_many_neighbours_are_kept():
    rng = np.random.default_rng(0)
    problem = OMDCPDP(rng.random((80, 2)), rng.random((80, 2)), rng.random((9, 2)), [1] * 9)
    assert prepare(problem).near.shape == (80, 100)
    assert prepare(problem, Settings(neighbours=7)).near.shape == (80, 7)
    assert prepare(problem, Settings(starts=2)).near_starts.shape == (80, 2)


def test_a_place_is_not_its_own_neighbour_even_among_equal_places():
    problem = OMDCPDP(np.zeros((90, 2)), np.zeros((90, 2)), np.zeros((2, 2)), [1, 1])
    near = prepare(problem).near
    assert not (near == np.arange(90)[:, None]).any()
    assert all(len(set(row)) == len(row) for row in near.tolist())


def test_room_for_more_than_all_orders_is_room_for_all():
    assert prepare(instances.corridor().replace(capacity=[1e12, 2])).capacity.tolist() == [3, 2]


def test_the_unit_grows_with_the_lengths_and_with_the_orders_of_a_vehicle():
    problem = instances.corridor()
    larger = problem.replace(
        pickups=problem.pickups * 8, deliveries=problem.deliveries * 8, starts=problem.starts * 8
    )
    assert prepare(larger).unit == pytest.approx(8 * prepare(problem).unit)
    alone = problem.replace(starts=problem.starts[:1], capacity=[2], vehicle_ids=["left"])
    assert prepare(alone).unit > prepare(problem).unit
