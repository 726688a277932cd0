import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import instances
from geopar.compiled.jit import compiled
from geopar.problems import HCVRP
from geopar.search.hcvrp.data import (
    CAPACITY,
    DEMAND,
    FROM_DEPOT,
    SPEED,
    distance,
    in_own_units,
    prepare,
)
from strategies import hcvrps


@compiled(allocates=True)
def distance_in(data, i, j):
    return distance(data, i, j)


@given(hcvrps(), st.data())
def test_a_drive_takes_the_users_time_after_the_units_are_put_back(problem, draw):
    data = prepare(problem)
    places = [*problem.customers_xy, problem.depot_xy]
    one, two = (draw.draw(st.integers(0, problem.num_tasks)) for _ in range(2))
    v = draw.draw(st.integers(0, problem.num_vehicles - 1))
    time = distance_in(data, one, two) / data.vehicle[v, SPEED] * data.unit
    assert time == pytest.approx(math.dist(places[one], places[two]) / problem.speed[v], abs=1e-9)
    assert data.place[one, FROM_DEPOT] == pytest.approx(distance_in(data, one, len(data.near)))


def test_the_mean_customer_is_one_away_and_the_mean_vehicle_drives_one():
    data = prepare(instances.town())
    assert data.place[:-1, FROM_DEPOT].mean() == pytest.approx(1.0)
    assert data.vehicle[:, SPEED].mean() == pytest.approx(1.0)
    assert data.place[-1].tolist() == [0.0] * 4


def test_where_all_is_at_the_depot_lengths_stay_as_they_are():
    data = prepare(HCVRP((1, 1), [(1, 1)] * 3, [1] * 3, [2], [4]))
    assert data.unit == pytest.approx(1 / 4)
    assert np.isfinite(data.place).all()


def test_nobody_carries_more_than_there_is():
    problem = instances.square().replace(capacity=[1e12, 2])
    total, two = prepare(problem).vehicle[:, CAPACITY]
    assert total == pytest.approx(problem.demand.sum())
    assert two > 2.0  # exact fits survive rounding
    assert two == pytest.approx(2.0)
    # Without any demand there is nothing to bound by.
    idle = prepare(instances.square().replace(demand=[0] * 4))
    assert idle.vehicle[:, CAPACITY] == pytest.approx([2.0, 2.0])


def test_many_instances_at_once_are_as_each_alone():
    problems = [instances.square(), instances.square().replace(depot=(5, 3), speed=[1, 7])]
    together = in_own_units(
        np.stack([np.concatenate([p.customers_xy, p.depot_xy[None]]) for p in problems]),
        np.stack([np.append(p.demand, 0.0) for p in problems]),
        np.stack([p.capacity for p in problems]),
        np.stack([p.speed for p in problems]),
    )
    for i, problem in enumerate(problems):
        alone = prepare(problem)
        np.testing.assert_array_equal(together[0][i], alone.place)
        np.testing.assert_array_equal(together[1][i], alone.vehicle)
        assert together[2][i] == alone.unit
        np.testing.assert_array_equal(alone.place[:-1, DEMAND], problem.demand)
