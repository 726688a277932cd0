import numpy as np
import pytest

import geopar
from geopar.checking import check
from geopar.parts import omdcpdp
from geopar.parts.piece import Effort, Flat, joined
from geopar.plan import Plan, flatten, unflatten
from geopar.stop import MaxIterations

# More vehicles than orders: some are idle.
PROBLEMS = [geopar.generate("omdcpdp/60/6", seed=3), geopar.generate("omdcpdp/8/6", seed=3)]


def first_plan(problem: geopar.OMDCPDP) -> Flat:
    return Flat(*flatten(geopar.solve(problem, MaxIterations(0)).plan.to_indices(problem)))


def checked(problem: geopar.OMDCPDP, plan: Flat) -> float:
    report = check(problem, Plan.from_indices(problem, unflatten(*plan, problem.num_vehicles)))
    assert report.feasible
    return report.objective


@pytest.mark.parametrize("problem", PROBLEMS)
def test_the_cost_is_the_sum_of_arrivals(problem: geopar.OMDCPDP) -> None:
    plan = first_plan(problem)
    assert omdcpdp.cost(problem, plan) == pytest.approx(checked(problem, plan))


@pytest.mark.parametrize("problem", PROBLEMS)
def test_parts_improved_apart_make_a_plan_that_is_no_worse(problem: geopar.OMDCPDP) -> None:
    plan = first_plan(problem)
    part = omdcpdp.split(problem, plan, 2, 0.3)
    efforts = [Effort(n, 500, 0.0, 1.0, 2000.0) for n in range(2)]
    made = omdcpdp.pieces(problem, plan, part, efforts)
    assert sorted(np.concatenate([place.vehicles for _, place in made])) == list(range(6))
    better = joined([place.outside(omdcpdp.improve(piece)) for piece, place in made])
    assert checked(problem, better) <= checked(problem, plan) + 1e-9
