import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from geopar.checking import check
from geopar.checks.visits import check_served_once, gather
from geopar.plan import Plan, Route
from geopar.violations import Violation
from strategies import problems, problems_with_plans


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


@given(problems(), st.data())
def test_a_plan_by_numbers_is_judged_as_one_by_name(problem, data):
    # Any trips at all: what is wrong with them is told in the same words.
    task = st.integers(0, problem.num_tasks - 1)
    trips = st.lists(st.lists(task, min_size=1, max_size=6), max_size=3)
    routes = [data.draw(trips) for _ in range(problem.num_vehicles)]
    plan = Plan.from_indices(problem, routes)
    assert plan.numbers(problem) is not None
    by_number, by_name = check(problem, plan), check(problem, Plan(plan.kind, plan.routes))
    assert by_number.violations == by_name.violations
    assert by_number.objective == by_name.objective
    np.testing.assert_array_equal(by_number.completion, by_name.completion)
