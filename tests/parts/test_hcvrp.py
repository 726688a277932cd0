from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import geopar
from geopar.checking import check
from geopar.parts import hcvrp
from geopar.plan import Plan, flatten, unflatten
from geopar.problems import HCVRP
from geopar.stop import MaxIterations

PROBLEM: Any = geopar.generate("hcvrp/60/8", seed=3)
PLAN = flatten(geopar.solve(PROBLEM, MaxIterations(0)).plan.to_indices(PROBLEM))


def test_the_cost_is_the_makespan() -> None:
    plan = Plan.from_indices(PROBLEM, unflatten(*PLAN, PROBLEM.num_vehicles))
    assert hcvrp.cost(PROBLEM, PLAN) == pytest.approx(check(PROBLEM, plan).objective)


def test_sectors_lie_around_the_depot_and_have_the_same_work() -> None:
    work = hcvrp.work(PROBLEM)
    sector = hcvrp.sectors(PROBLEM, 4, work)
    each = np.bincount(sector, work, 4)
    assert each == pytest.approx(np.full(4, work.sum() / 4), abs=work.max())
    away = PROBLEM.customers_xy - PROBLEM.depot_xy
    around = sector[np.argsort(np.arctan2(away[:, 1], away[:, 0]))]
    assert (np.diff(around) >= 0).all()


def test_all_sorts_of_vehicles_are_dealt_out_evenly() -> None:
    sector = hcvrp.dealt(PROBLEM, 3)
    assert sorted(np.bincount(sector)) == [2, 3, 3]
    # Each has one of the three largest.
    largest = np.lexsort((-PROBLEM.speed, -PROBLEM.capacity))[:3]
    assert sorted(sector[largest]) == [0, 1, 2]


def test_each_sector_can_carry_the_largest_demand() -> None:
    problem = HCVRP((0, 0), [(1, 0), (0, 1)], [5.0, 1.0], [1.0, 5.0, 6.0, 2.0], [1.0] * 4)
    count = hcvrp.most_sectors(problem)
    assert count == 2
    sector = hcvrp.dealt(problem, count)
    assert all(problem.capacity[sector == number].max() >= 5.0 for number in range(count))


def test_work_is_corrected_by_the_time_that_each_sector_needs() -> None:
    work, group = hcvrp.work(PROBLEM), hcvrp.dealt(PROBLEM, 2)
    sector = hcvrp.sectors(PROBLEM, 2, work)
    corrected = hcvrp.corrected(PROBLEM, PLAN, sector, group, work)
    driven = np.bincount(PLAN[2], hcvrp.lengths(PROBLEM, PLAN), PROBLEM.num_vehicles)
    for number in (0, 1):
        speed = PROBLEM.speed[group == number].sum()
        inside = sector == number
        assert corrected[inside].sum() == pytest.approx(driven[group == number].sum() / speed)
        assert np.ptp(corrected[inside] / work[inside]) < 1e-9


@given(st.integers(1, 8), st.integers(0, 1000))
def test_every_vehicle_is_in_a_group(count: int, seed: int) -> None:
    idle = flatten([trips if v else [] for v, trips in enumerate(unflatten(*PLAN, 8))])
    for plan in (PLAN, idle):
        group = hcvrp.groups(PROBLEM, plan, count, np.random.default_rng(seed))
        assert len(group) == PROBLEM.num_vehicles
        assert ((group >= 0) & (group < count)).all()
