"""Who and what is left of a day, sorted out."""

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from days import days_under_way
from geopar.plan import Plan
from geopar.problems import HCVRP, OMDCPDP, Problem
from geopar.problems.day import Day
from geopar.replanning.left import LONG_AGO, Left, shift_end
from geopar.replanning.mending import known_once
from geopar.replanning.whereabouts import whereabouts

few = settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])


def left_of(
    problem: Problem, plan: Plan, now: float, gone: Any = (), cancelled: Any = (), back: Any = None
) -> Left:
    routes = known_once(problem, plan)
    standing = whereabouts(problem, routes, now)
    return Left.of(problem, routes, standing, now, set(gone), back, set(cancelled))


@few
@given(days_under_way(), st.integers(0, 2**32 - 1))
def test_everybody_and_everything_is_somewhere_once(case, seed):
    problem, plan, now = case
    rng = np.random.default_rng(seed)
    gone = [name for name in problem.vehicle_ids if rng.random() < 0.3]
    cancelled = [name for name in problem.request_ids if rng.random() < 0.2]
    left = left_of(problem, plan, now, gone, cancelled)
    vehicles = [*left.fleet, *left.gone, *left.off_duty]
    assert sorted(vehicles) == [*range(problem.num_vehicles)]
    assert {problem.vehicle_ids[v] for v in left.gone} == set(gone)
    count = len(problem.request_ids)
    over = {task % count for task in left.done if task >= problem.num_tasks - count}
    dropped = {problem.request_ids.index(name) for name in cancelled}
    assert set(left.requests) == set(range(count)) - over - dropped
    assert list(left.requests) == sorted(left.requests)
    # Nothing is on board of two, nor of whoever is not there.
    carried = [task for some in left.aboard.values() for task in some]
    assert len(set(carried)) == len(carried)
    assert set(left.aboard) == set(left.fleet)
    assert set(carried).isdisjoint(dropped)
    assert left.whose == {task: v for v, some in left.aboard.items() for task in some}


def line(**day: Any) -> HCVRP:
    """Stops at 10, 20 and -10 of a line; speed one."""
    return HCVRP(
        (0, 0), [(10, 0), (20, 0), (-10, 0)], [1, 1, 1], [3, 3], [1, 1],
        customer_ids=["a", "b", "z"], vehicle_ids=["red", "blue"], day=Day(**day),
    )  # fmt: skip


@pytest.fixture
def plan() -> Plan:
    """Red is at a at 10 and at b at 20; blue at z at 10."""
    return Plan.from_indices(line(), [[[0, 1]], [[2]]])


@pytest.mark.parametrize(
    ("now", "back", "expected"),
    [
        # Between a and b, whichever is farther from the depot.
        (12.0, None, {0: 12.0 + 20.0}),
        (12.0, 50.0, {0: 50.0}),
        # On the way to a: at the depot for certain, and a is ten away.
        (3.0, None, {0: 3.0 + 10.0}),
        # On its way home with nothing on board.
        (21.0, None, {}),
    ],
)
def test_when_the_goods_of_a_broken_vehicle_can_be_had(plan, now, back, expected):
    left = left_of(line(), plan, now, ["red"], back=back)
    assert left.goods_back == expected
    for task, at in left.late.items():
        assert at == expected[0]
        assert task in (0, 1)


def test_goods_are_taken_to_be_as_far_away_as_they_may_be():
    there_and_back = Plan.from_indices(line(), [[[1, 0]], [[2]]])
    # On the way from b to a, which is nearer to the depot.
    assert left_of(line(), there_and_back, 25.0, ["red"]).goods_back == {0: 25.0 + 20.0}


def test_goods_of_couriers_are_had_at_once():
    problem = OMDCPDP([(1, 0)], [(9, 0)], [(0, 0), (5, 0)], [1, 1])
    plan = Plan.from_indices(problem, [[[0, 1]], []])
    left = left_of(problem, plan, 4.0, ["v1"])
    assert left.goods_back == {0: 4.0}
    assert left.late == {0: 4.0}


def test_what_is_being_loaded_by_a_broken_vehicle_never_left(plan):
    problem = line(loading=5.0)
    left = left_of(problem, plan, 3.0, ["red"])
    assert left.standing[0].doing == "loading"
    assert (left.goods_back, left.late) == ({}, {})


def test_whose_shift_is_over_is_off_duty_unless_it_carries_something(plan):
    short = line(available=[(0, 99), (0, 5)])
    assert left_of(short, plan, 4.0).off_duty == ()
    assert left_of(short, plan, 12.0).off_duty == (1,)
    gone = left_of(short, plan, 12.0, ["blue"])
    assert (gone.off_duty, gone.gone) == ((), (1,))


@pytest.mark.parametrize(
    ("day", "begun", "not_begun"),
    [
        ({}, np.inf, np.inf),
        ({"available": [(0, 50), (0, 50)]}, 50, 50),
        ({"longest": [30, 30]}, 30, np.inf),
        ({"available": [(0, 20), (0, 20)], "longest": [30, 30]}, 20, 20),
    ],
)
def test_until_when_they_work(day, begun, not_begun):
    problem = line(**day)
    idle = Plan.from_indices(problem, [[[0, 1], [2]], []])
    red, blue = whereabouts(problem, known_once(problem, idle), 5.0)
    assert (shift_end(problem, 0, red), shift_end(problem, 1, blue)) == (begun, not_begun)


def test_time_on_duty_runs_from_its_beginning(plan):
    left = left_of(line(longest=[45, 60]), plan, 12.0)
    parts = left.by_vehicle()
    # Both have begun at 0: what is left of it is a shift.
    assert parts["available"].tolist() == [[20, 45], [20, 60]]
    assert parts["longest"].tolist() == [np.inf, np.inf]
    assert left_of(line(), plan, 12.0).by_vehicle()["longest"] is None


def test_who_has_it_on_board_may_serve_it(plan):
    day = {"allowed": [[0, 1], [0, 1], [1, 0]]}
    left = left_of(line(**day), plan, 12.0)
    rows = {task: row for row, task in enumerate(left.requests)}
    assert left.allowed(rows).tolist() == [[True, True]]
    assert left_of(line(), plan, 12.0).allowed(rows) is None


def test_released_by_the_day_or_when_it_comes_back(plan):
    assert left_of(line(), plan, 3.0).released([0, 1, 2]) is None
    late = left_of(line(), plan, 3.0, ["red"])
    assert late.released([0, 1, 2]).tolist() == [13.0, 13.0, LONG_AGO]
    both = left_of(line(released=[0, 0, 40]), plan, 3.0, ["red"])
    assert both.released([1, 2]).tolist() == [13.0, 40.0]


def test_there_is_no_way_between_places_that_are_the_same(plan):
    table = np.arange(16.0).reshape(4, 4) + 1.0
    left = left_of(line(matrices={"car": table}), plan, 0.0)
    part = left.matrices([3, 0, 0])
    assert part is not None
    # Row 0 is the depot, row 1 is a; a stands there twice.
    assert part["car"].durations.tolist() == [[0, 2, 2], [5, 0, 0], [5, 0, 0]]
    assert left_of(line(), plan, 0.0).matrices([0]) is None


def test_the_plan_goes_on_with_what_is_on_board_first(plan):
    more = HCVRP(
        (0, 0), [(10, 0), (20, 0), (-10, 0)], [1, 1, 1], [3, 3], [1, 1],
        customer_ids=["a", "b", "z"], vehicle_ids=["red", "blue"],
    )  # fmt: skip
    both = Plan.from_indices(more, [[[0, 1], [2]], []])
    left = left_of(more, both, 12.0)
    rest = more.select([1, 2], [0, 1])
    assert [route.trips for route in left.start(rest).routes] == [(("b",), ("z",)), ()]
    fewer = more.select([2], [0, 1])
    other = left_of(more, both, 25.0, cancelled=["b"])
    assert [route.trips for route in other.start(fewer).routes] == [(("z",),), ()]
