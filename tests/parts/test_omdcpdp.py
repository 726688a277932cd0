import numpy as np
import pytest

import geopar
from geopar.checking import check
from geopar.parts import omdcpdp
from geopar.plan import Plan, flatten, unflatten
from geopar.search.teams import FlatPlan, trips_of
from geopar.stop import MaxIterations

# More vehicles than orders: some are idle.
PROBLEMS = [geopar.generate("omdcpdp/60/6", seed=3), geopar.generate("omdcpdp/8/6", seed=3)]


def first_plan(problem: geopar.OMDCPDP) -> FlatPlan:
    return flatten(geopar.solve(problem, MaxIterations(0)).plan.to_indices(problem))


@pytest.mark.parametrize("problem", PROBLEMS)
def test_the_cost_is_the_sum_of_arrivals(problem: geopar.OMDCPDP) -> None:
    plan = first_plan(problem)
    report = check(problem, Plan.from_indices(problem, unflatten(*plan, problem.num_vehicles)))
    assert omdcpdp.cost(problem, plan) == pytest.approx(report.objective)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_part_has_all_of_its_orders(problem: geopar.OMDCPDP) -> None:
    plan = first_plan(problem)
    group = omdcpdp.groups(problem, plan, 2, np.random.default_rng(0))
    assert set(group) == {0, 1}
    orders = 0
    for number in (0, 1):
        vehicles = np.flatnonzero(group == number)
        tasks = np.sort(trips_of(plan, vehicles, problem.num_vehicles)[0])
        arrays = omdcpdp.arrays(problem, tasks, vehicles)
        assert len(arrays["pickups"]) == len(arrays["deliveries"]) == len(tasks) // 2
        assert len(arrays["starts"]) == len(vehicles)
        orders += len(arrays["pickups"])
    assert 2 * orders == problem.num_tasks
