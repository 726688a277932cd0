"""The rest of a day that is under way."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from days import days_under_way
from geopar.checking import check
from geopar.errors import InputError
from geopar.files import parse_json, problem_from_json
from geopar.files.problem_json import problem_text
from geopar.plan import Plan
from geopar.problems import HCVRP, OMDCPDP
from geopar.problems.day import Day
from geopar.replanning.mending import repaired
from geopar.replanning.rest import rest_of_day
from geopar.schedule import schedule
from geopar.testing.replayed_days import CLOSE, faults_of
from geopar.testing.second_checker import second_opinion
from strategies import random_plan

few = settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])


@few
@given(days_under_way())
def test_where_nothing_happens_the_plan_goes_on_as_it_was(case):
    problem, plan, now = case
    rest = rest_of_day(problem, plan, now)
    if rest.problem is None:
        return
    assert check(rest.problem, rest.start).feasible
    before = dict(zip(problem.vehicle_ids, schedule(problem, plan.to_indices(problem)),
                      strict=True))  # fmt: skip
    tables = schedule(rest.problem, rest.start.to_indices(rest.problem))
    for name, table in zip(rest.problem.vehicle_ids, tables, strict=True):
        if table.trips:
            assert table.finish == pytest.approx(before[name].finish, rel=1e-9, abs=1e-9)
            assert table.begin >= now - CLOSE
    assert faults_of(rest, rest.start) == []


@few
@given(days_under_way(), st.integers(0, 2**32))
def test_the_day_replayed_breaks_no_rule_whatever_happens(case, seed):
    """Vehicles break down, stops are cancelled, and what is left is planned anew, anyhow."""
    problem, plan, now = case
    rng = np.random.default_rng(seed)
    gone = [name for name in problem.vehicle_ids[1:] if rng.random() < 0.4]
    cancelled = [name for name in problem.request_ids if rng.random() < 0.1]
    try:
        rest = rest_of_day(problem, plan, now, out_of_service=gone, cancelled=cancelled)
    except InputError as error:
        if [fault.code for fault in error.faults] != ["nobody-left"]:
            raise
        return
    if rest.problem is None:
        return
    assert set(rest.problem.request_ids).isdisjoint(cancelled)
    for start in (rest.start, random_plan(rest.problem.replace(day=None), rng)):
        new = repaired(rest.problem, start)
        codes, _ = second_opinion(rest.problem, new)
        assert not codes
        assert faults_of(rest, new) == []
    again = problem_from_json(parse_json(problem_text(rest.problem).encode()))
    assert again == rest.problem


@pytest.fixture
def line() -> HCVRP:
    """Stops on both sides of the depot, ten minutes apart, five minutes each; ten to load."""
    return HCVRP(
        depot=(0, 0), customers=[(10, 0), (20, 0), (30, 0), (-10, 0)], demand=[1, 1, 1, 1],
        capacity=[3, 3], speed=[1, 1], customer_ids=["a", "b", "c", "z"],
        vehicle_ids=["red", "blue"], name="line",
        day=Day(time_unit="minutes", clock="HH:MM", service=[5, 5, 5, 5], loading=10,
                available=[(480, 900), (480, 900)], longest=[300, 300], most_trips=[2, 2]),
    )  # fmt: skip


@pytest.fixture
def driven(line: HCVRP) -> Plan:
    """Loads at 8:00, a at 8:20, b at 8:35, c at 8:50; back at 9:25, loads, z at 9:45."""
    return Plan.from_indices(line, [[[0, 1, 2], [3]], []])


@pytest.mark.parametrize(
    ("now", "doing", "place", "free", "done", "aboard", "trips"),
    [
        (479, "not begun", 4, 480, 0, (), 0),
        ("08:05", "loading", 4, 490, 0, (0, 1, 2), 0),
        ("08:12", "driving", 0, 500, 0, (0, 1, 2), 0),
        ("08:22", "serving", 0, 505, 1, (1, 2), 0),
        ("08:27", "driving", 1, 515, 1, (1, 2), 0),
        # Nothing is on board any more: the trip is over but for the way home.
        ("08:52", "serving", 4, 565, 3, (), 1),
        ("09:00", "driving", 4, 565, 3, (), 1),
        ("09:28", "loading", 4, 575, 3, (3,), 1),
        ("09:40", "driving", 3, 585, 3, (3,), 1),
        ("10:30", "done", 4, 630, 4, (), 2),
    ],
)
def test_a_vehicle_in_the_course_of_its_day(
    line, driven, now, doing, place, free, done, aboard, trips
):
    red = rest_of_day(line, driven, now).vehicles[0]
    assert (red.doing, red.place, red.free) == (doing, place, free)
    assert (len(red.done), red.aboard, red.trips_made) == (done, aboard, trips)


def test_shift_time_on_duty_and_trips_are_what_is_left_of_them(line, driven):
    rest = rest_of_day(line, driven, "08:22").problem
    # On duty since 8:00, for five hours at most; the other has not begun.
    assert rest.day.available.tolist() == [[505, 780], [502, 900]]
    assert rest.day.longest.tolist() == [np.inf, 300]
    assert rest.day.most_trips.tolist() == [2, 2]
    later = rest_of_day(line, driven, "09:00").problem
    assert later.day.most_trips.tolist() == [1, 2]
    assert rest.name == "line, from 08:22"
    assert rest.customer_ids == ("b", "c", "z")
    assert rest.day.on_board == ((0, 1), ())
    assert rest.day.start.tolist()[0] == [10, 0]


def test_goods_of_a_broken_vehicle_go_back_to_the_depot(line, driven):
    rest = rest_of_day(line, driven, "08:27", out_of_service=["red"])
    # Somewhere between a and b, from where it is 20 minutes at most.
    assert rest.goods_back == {"red": 507 + 20}
    assert rest.problem.day.released.tolist()[:2] == [527, 527]
    assert rest.problem.day.released[2] < 0
    assert rest.problem.vehicle_ids == ("blue",)
    said = rest_of_day(line, driven, "08:27", out_of_service=["red"], goods_back="10:00")
    assert said.problem.day.released.tolist()[:2] == [600, 600]
    loading = rest_of_day(line, driven, "08:05", out_of_service=["red"])
    assert loading.goods_back == {}
    assert loading.problem.day.released is None


def test_who_works_no_more_is_left_out_of_the_fleet(line, driven):
    short = line.replace(day=line.day.replace(available=[(480, 900), (480, 500)]))
    rest = rest_of_day(short, driven, "09:00")
    assert rest.off_duty == ("blue",)
    assert rest.problem.vehicle_ids == ("red",)
    with pytest.raises(InputError, match="nobody-left"):
        rest_of_day(short, driven, "09:00", out_of_service=["red"])


def test_new_stops_are_planned_and_cancelled_ones_are_not(line, driven):
    more = HCVRP(
        line.depot, [*line.customers, (-20, 0)], [1] * 5, line.capacity, line.speed,
        [*line.customer_ids, "new"], line.vehicle_ids,
        day=line.day.replace(service=[5] * 5),
    )  # fmt: skip
    rest = rest_of_day(more, driven, "08:27", cancelled=["b"])
    assert rest.problem.customer_ids == ("c", "z", "new")
    # It is on its way to b, which is cancelled, and goes on from there with what it still has.
    assert rest.problem.day.start.tolist()[0] == [20, 0]
    assert rest.problem.day.on_board == ((0,), ())
    assert rest.start.routes[0].trips == (("c",), ("z",))


def test_matrices_have_a_row_for_where_everybody_is(line, driven):
    places = np.vstack([line.depot, line.customers])
    minutes = np.abs(places[:, None, 0] - places[None, :, 0])
    by_road = line.replace(day=line.day.replace(matrices={"car": minutes + np.eye(5)}))
    rest = rest_of_day(by_road, driven, "08:27").problem
    table = rest.day.matrices["car"].durations
    # Depot, b, c, z, and the start of red, which is at b: no way between the two.
    assert table[:, 4].tolist() == [20, 0, 10, 30, 0]
    assert check(rest, rest_of_day(by_road, driven, "08:27").start).feasible


def test_locks_go_on_behind_what_is_on_board(line, driven):
    told = line.replace(day=line.day.replace(locked=[[[0, 1, 2], [3]], []]))
    assert rest_of_day(told, driven, "08:22").problem.day.locked == (((0, 1), (2,)), ())
    assert rest_of_day(told, driven, "09:00").problem.day.locked == (((0,),), ())


@pytest.fixture
def couriers() -> OMDCPDP:
    """One fetches two orders and delivers them, along a line, one minute of service each."""
    return OMDCPDP(
        pickups=[(1, 0), (2, 0)], deliveries=[(5, 0), (6, 0)], starts=[(0, 0), (9, 0)],
        capacity=[2, 2], order_ids=["tea", "cake"], vehicle_ids=["anna", "ben"],
        day=Day(service=[1, 1, 1, 1], windows=[[(0, 2)], [], [], []]),
    )  # fmt: skip


def test_couriers_go_on_with_what_they_have_picked_up(couriers):
    plan = Plan.from_indices(couriers, [[[0, 1, 2, 3]], []])
    rest = rest_of_day(couriers, plan, 3.5)
    anna = rest.vehicles[0]
    assert (anna.doing, anna.place, anna.free) == ("serving", 1, 4)
    assert rest.problem.day.on_board == ((0, 1), ())
    assert rest.problem.starts[0].tolist() == [2, 0]
    half = rest_of_day(couriers, plan, 7.5)
    assert half.problem.order_ids == ("cake",)
    assert half.problem.starts[0].tolist() == [5, 0]


def test_orders_of_a_broken_courier_are_fetched_from_where_it_was_last(couriers):
    plan = Plan.from_indices(couriers, [[[0, 1, 2, 3]], []])
    rest = rest_of_day(couriers, plan, 6, out_of_service=["anna"])
    assert rest.problem.pickups.tolist() == [[2, 0], [2, 0]]
    assert rest.problem.day.windows.offset.tolist() == [0, 0, 0, 0, 0]
    assert rest.problem.day.released.tolist()[:2] == [6, 6]
    assert rest.problem.details["from vehicle"] == ("anna", "anna", "", "")
    new = Plan.from_indices(rest.problem, [[[0, 1, 2, 3]]])
    assert check(rest.problem, new).feasible
    assert faults_of(rest, new) == []


def test_without_a_depot_nobody_loads_again():
    problem = HCVRP(
        (0, 0), [(1, 0), (2, 0)], [1, 1], [2, 2], [1, 1],
        day=Day(has_depot=False, start=[(0, 0), (5, 0)], end=[(np.inf, np.inf)] * 2),
    )  # fmt: skip
    plan = Plan.from_indices(problem, [[[0]], [[1]]])
    rest = rest_of_day(problem, plan, 1.5).problem
    assert rest.customer_ids == ("c2",)
    assert rest.day.most_trips.tolist() == [0, 1]
    assert rest.day.on_board == ((), (0,))


def test_all_that_is_wrong_is_told_at_once(line, driven):
    with pytest.raises(InputError) as caught:
        rest_of_day(
            line, driven, "noon", out_of_service=["rod"], cancelled=["q"], goods_back="late"
        )
    fields = [(fault.code, fault.field) for fault in caught.value.faults]
    assert fields == [
        ("not-a-time", "now"), ("unknown-vehicle", "out_of_service"), ("unknown-id", "cancelled"),
        ("not-a-time", "goods_back"),
    ]  # fmt: skip
    assert "Maybe red." in str(caught.value)


def test_a_plan_of_another_problem_is_refused(line, driven, square, couriers):
    with pytest.raises(InputError) as caught:
        rest_of_day(square, driven, 1.0)
    assert [fault.value for fault in caught.value.faults] == ["'a'", "'b'", "'c'", "'z'"]
    with pytest.raises(InputError, match="wrong-problem"):
        rest_of_day(couriers, driven, 1.0)
    fewer = line.select(["a", "b", "c", "z"], ["blue"])
    with pytest.raises(InputError, match="out of service"):
        rest_of_day(fewer, driven, 480)


def test_before_the_day_nothing_and_after_it_everything_is_done(line, driven):
    early, late = rest_of_day(line, driven, "05:00"), rest_of_day(line, driven, "20:00")
    assert early.done == ()
    assert check(early.problem, early.start).objective == check(line, driven).objective
    assert late.problem is None
    assert len(late.done) == 4
