"""Plans of yesterday for the problem of today."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from days import days_with_plans
from geopar.checking import check
from geopar.plan import Plan, Route
from geopar.problems import HCVRP
from geopar.problems.day import Day
from geopar.replanning.mending import repaired
from strategies import problems_with_plans, random_plan


@given(problems_with_plans(), st.integers(0, 2**32 - 1))
def test_a_plan_with_new_stops_and_a_vehicle_gone_is_mended(case, seed):
    problem, plan = case
    rng = np.random.default_rng(seed)
    # Yesterday there were fewer requests, and one vehicle more.
    gone = set(rng.choice(problem.request_ids, len(problem.request_ids) // 2, replace=False))

    def stays(task):
        return (task if isinstance(task, str) else task.order) not in gone

    routes = tuple(
        Route(route.vehicle if v else "gone", tuple(tuple(filter(stays, t)) for t in route.trips))
        for v, route in enumerate(plan.routes)
    )
    mended = repaired(problem, Plan(plan.kind, routes))
    assert check(problem, mended).feasible


@given(days_with_plans())
def test_a_plan_that_breaks_the_rules_of_a_day_is_mended(case):
    problem, plan = case
    if problem.day.may_leave_out:
        mended = repaired(problem, plan)
        assert check(problem, mended).feasible


@given(problems_with_plans())
def test_a_feasible_plan_stays_as_it_is(case):
    problem, plan = case
    assert repaired(problem, plan).routes == plan.routes


def test_what_is_served_twice_is_served_first_only(square: HCVRP):
    twice = Plan("hcvrp", (Route("red", (("east",),)), Route("blue", (("east", "west"),))))
    mended = repaired(square, twice)
    assert "east" in mended.routes[0].tasks
    assert "east" not in mended.routes[1].tasks


def test_locks_that_cannot_be_kept_are_left_out(square: HCVRP):
    late = square.replace(day=Day(windows=[[(0.0, 0.5)], [], [], []], locked=[[[0]], []]))
    mended = repaired(late, random_plan(square, np.random.default_rng(0)))
    report = check(late, mended)
    assert report.feasible
    assert "east" in [one.request for one in report.left_out]
