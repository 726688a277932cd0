import pytest
from hypothesis import given

from geopar.checking import check
from geopar.plan import Plan, Route
from geopar.schedule import schedule
from strategies import problems_with_plans


@given(problems_with_plans())
def test_days_end_when_the_checker_says(case):
    problem, plan = case
    days = schedule(problem, plan.to_indices(problem))
    assert [day.finish for day in days] == pytest.approx(check(problem, plan).completion.tolist())


@given(problems_with_plans())
def test_every_task_is_visited_in_time_and_within_room(case):
    problem, plan = case
    days = schedule(problem, plan.to_indices(problem))
    visits = [visit for day in days for visit in day.visits]
    tasks = sorted(visit.task for visit in visits if visit.task is not None)
    assert tasks == list(range(problem.num_tasks))
    for day, room in zip(days, problem.capacity, strict=True):
        arrivals = [visit.arrival for visit in day.visits]
        assert arrivals == sorted(arrivals)
        assert all(visit.load <= room * (1 + 1e-9) for visit in day.visits)
        assert 0 <= day.load_factor <= 1 + 1e-9


def test_trips_end_at_the_depot(two_speeds):
    plan = Plan("hcvrp", (Route("fast", (("far",), ("near",))),))
    day, idle = schedule(two_speeds, plan.to_indices(two_speeds))
    assert [[visit[:3] for visit in trip] for trip in day.trips] == [
        [(0, 1.0, 0.0), (None, 2.0, 0.0)],
        [(1, 2.5, 0.0), (None, 3.0, 0.0)],
    ]
    assert (day.distance, day.load_factor) == (6.0, 1.0)
    assert (idle.trips, idle.finish, idle.distance, idle.load_factor) == ([], 0.0, 0.0, 0.0)


def test_open_routes_end_at_their_last_stop(one_order):
    (day,) = schedule(one_order, Plan.from_indices(one_order, [[[0, 1]]]).to_indices(one_order))
    assert [visit[:3] for visit in day.visits] == [(0, 5.0, 1.0), (1, 9.0, 0.0)]
