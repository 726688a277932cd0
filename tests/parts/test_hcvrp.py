from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import geopar
from geopar.checking import check
from geopar.parts import hcvrp
from geopar.parts.piece import Effort, Flat, joined
from geopar.plan import Plan, flatten, unflatten
from geopar.problems import HCVRP
from geopar.stop import MaxIterations

PROBLEM: Any = geopar.generate("hcvrp/60/4", seed=3)
PLAN = Flat(*flatten(geopar.solve(PROBLEM, MaxIterations(0)).plan.to_indices(PROBLEM)))


def checked(problem: HCVRP, plan: Flat) -> float:
    report = check(problem, Plan.from_indices(problem, unflatten(*plan, problem.num_vehicles)))
    assert report.feasible
    return report.objective


def efforts(count: int, iterations: int) -> list[Effort]:
    return [Effort(n, iterations, 0.0, 1.0, 4.0 * iterations) for n in range(count)]


def test_the_cost_is_the_makespan() -> None:
    assert hcvrp.cost(PROBLEM, PLAN) == pytest.approx(checked(PROBLEM, PLAN))


@given(st.integers(1, 5), st.floats(0.0, 3.0), st.integers(0, 99))
def test_shares_of_what_is_left_never_add_up_to_more_than_the_makespan(
    count: int, angle: float, seed: int
) -> None:
    part = hcvrp.split(PROBLEM, PLAN, count, angle)
    begins, inside = hcvrp.set_aside(PROBLEM, PLAN, part, count)
    makespan = hcvrp.cost(PROBLEM, PLAN)
    # Whatever the parts do, as long as each stays within the makespan as it sees it.
    share = np.random.default_rng(seed).uniform(size=inside.shape)
    busy = inside > 0.0
    after = np.where(busy, share * (makespan - begins), 0.0)
    assert (after.sum(axis=1) <= makespan * (1 + 1e-9)).all()
    assert (begins + inside <= makespan * (1 + 1e-9))[busy].all()


@pytest.mark.parametrize("angle", [0.0, 1.0])
def test_parts_improved_apart_make_a_plan_that_is_never_later(angle: float) -> None:
    part = hcvrp.split(PROBLEM, PLAN, 3, angle)
    made = hcvrp.pieces(PROBLEM, PLAN, part, efforts(3, 2000))
    same = joined([place.outside(piece.plan) for piece, place in made])
    assert checked(PROBLEM, same) == pytest.approx(checked(PROBLEM, PLAN))
    better = joined([place.outside(hcvrp.improve(piece)) for piece, place in made])
    assert checked(PROBLEM, better) < checked(PROBLEM, PLAN)


def test_a_part_is_determined_by_its_description() -> None:
    part = hcvrp.split(PROBLEM, PLAN, 2, 0.5)
    (piece, _), *_ = hcvrp.pieces(PROBLEM, PLAN, part, efforts(2, 500))
    first, second = hcvrp.improve(piece), hcvrp.improve(piece)
    assert all(np.array_equal(one, other) for one, other in zip(first, second, strict=True))
