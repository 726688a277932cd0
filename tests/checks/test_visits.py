import numpy as np
from hypothesis import given

from geopar.checks.visits import check_served_once, gather
from geopar.plan import Plan, Route
from geopar.violations import Violation
from strategies import problems_with_plans


@given(problems_with_plans())
def test_a_good_plan_visits_every_task_once(case):
    problem, plan = case
    found: list[Violation] = []
    visits = gather(problem, plan, found)
    check_served_once(problem, visits, found)
    assert found == []
    assert sorted(visits.task.tolist()) == list(range(problem.num_tasks))
    assert (np.diff(visits.trip) >= 0).all()


def test_strangers_are_numbered_after_the_fleet(square):
    found: list[Violation] = []
    plan = Plan("hcvrp", (Route("red", (("east", "moon"),)), Route("green", (("west",),))))
    visits = gather(square, plan, found)
    assert sorted(violation.code for violation in found) == ["unknown-task", "unknown-vehicle"]
    assert visits.names == ["red", "blue", "green"]
    assert visits.vehicle.tolist() == [0, 2]
    assert visits.capacity(square).tolist() == [2.0, 2.0, np.inf]
