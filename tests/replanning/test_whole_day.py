"""A day as one: what was driven, and what is driven from then on."""

import itertools
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings

from days import days_under_way
from geopar.checking import check
from geopar.files.plan_schedule import HEADER
from geopar.plan import Plan
from geopar.problems import HCVRP, OMDCPDP
from geopar.problems.day import Day
from geopar.problems.tasks import Stop
from geopar.replanning.rest import rest_of_day
from geopar.replanning.whole_day import whole_day_cells, whole_day_rows

few = settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow])


def stops(rows, vehicle):
    return [
        (row["trip"], row["position"], row["stop"] or row["action"])
        for row in rows
        if row["vehicle"] == vehicle
    ]


@pytest.fixture
def plan(square: HCVRP) -> Plan:
    return Plan.from_indices(square, [[[0, 1]], [[3], [2]]])


def test_trips_and_positions_go_on_from_those_that_are_over(square: HCVRP, plan: Plan):
    rest = rest_of_day(square, plan, 1.2)
    rows = whole_day_rows(rest, rest.start)
    # What is on board stays on its trip, though the rest has it as a first one.
    assert stops(rows, "red") == [(1, 1, "east"), (1, 2, "north"), (1, 3, "end")]
    assert stops(rows, "blue") == [
        (1, 1, "south"), (1, 2, "end"), (2, 0, "load"), (2, 1, "west"), (2, 2, "end"),
    ]  # fmt: skip
    assert [row["arrival"] for row in rows if row["stop"] == "west"] == [3.0]


def test_a_stop_that_changes_hands_is_driven_by_its_new_vehicle(square: HCVRP, plan: Plan):
    rest = rest_of_day(square, plan, 1.2)
    assert rest.problem is not None
    new = Plan.from_indices(rest.problem, [[[0], [1]], []])
    rows = whole_day_rows(rest, new)
    assert stops(rows, "red") == [
        (1, 1, "east"), (1, 2, "north"), (1, 3, "end"), (2, 1, "west"), (2, 2, "end"),
    ]  # fmt: skip
    # Blue was on its way home from a trip that is over.
    assert stops(rows, "blue") == [(1, 1, "south"), (1, 2, "end")]


def test_before_the_day_begins_it_is_the_plan_for_the_rest_alone(square: HCVRP, plan: Plan):
    day = square.replace(day=Day(available=[(5, 50), (5, 50)]))
    rest = rest_of_day(day, plan, 1.0)
    rows = whole_day_rows(rest, rest.start)
    assert stops(rows, "red")[:2] == [(1, 0, "start"), (1, 1, "east")]
    assert Counter(row["action"] for row in rows) == {"start": 2, "serve": 4, "end": 3}


def test_cells_have_headers_first_and_clock_times(square: HCVRP, plan: Plan):
    day = square.replace(
        day=Day(time_unit="hours", clock="HH:MM", available=[(8, 20), (8, 20)]),
        details={"phone": ["1", "2", "3", "4"]},
    )
    rest = rest_of_day(day, plan, "09:12")
    head, *cells = whole_day_cells(rest, rest.start)
    assert tuple(head) == (*HEADER, "phone")
    arrival, phone = head.index("arrival"), head.index("phone")
    served = {row[3]: (row[arrival], row[phone]) for row in cells if row[4] == "serve"}
    assert served["east"] == ("09:00", "1")
    assert served["north"] == ("10:24:51", "2")


def test_couriers_go_on_counting_positions(corridor: OMDCPDP):
    plan = Plan.from_indices(corridor, [[[0, 3, 1, 4]], [[2, 5]]])
    day = Day(service=[0.25] * 6, available=[(0, 99), (0, 99)])
    for problem, first in ((corridor, []), (corridor.replace(day=day), [(1, 0, "", "start")])):
        for now in (0.5, 1.1, 2.6, 3.6):
            rest = rest_of_day(problem, plan, now)
            rows = [
                (row["trip"], row["position"], row["stop"], row["action"])
                for row in whole_day_rows(rest, rest.start)
                if row["vehicle"] == "left"
            ]
            # One trip, and nobody loads in the middle of it.
            assert rows == [
                *first, (1, 1, "a", "pickup"), (1, 2, "a", "delivery"),
                (1, 3, "b", "pickup"), (1, 4, "b", "delivery"),
            ]  # fmt: skip


@few
@given(days_under_way())
def test_every_stop_of_the_day_stands_there_once(case):
    problem, plan, now = case
    rest = rest_of_day(problem, plan, now)
    if rest.problem is None:
        return
    rows = whole_day_rows(rest, rest.start)
    found = Counter((row["vehicle"], row["stop"], row["action"]) for row in rows if row["stop"])
    done = {
        (vehicle, *_key(problem.task_ids[task]))
        for vehicle, one in zip(problem.vehicle_ids, rest.vehicles, strict=True)
        for task in one.done
    }
    to_do = {(r.vehicle, *_key(task)) for r in rest.start.routes for task in r.tasks}
    assert set(found) == done | to_do
    assert set(found.values()) <= {1}
    assert check(rest.problem, rest.start).feasible


@few
@given(days_under_way())
def test_the_rows_of_a_vehicle_are_in_order(case):
    problem, plan, now = case
    rest = rest_of_day(problem, plan, now)
    if rest.problem is None:
        return
    rows = whole_day_rows(rest, rest.start)
    for vehicle in problem.vehicle_ids:
        own = [row for row in rows if row["vehicle"] == vehicle]
        trips = [row["trip"] for row in own]
        assert trips == sorted(trips)
        served = [row for row in own if row["action"] not in ("start", "load")]
        arrivals = [row["arrival"] for row in served]
        assert all(b >= a - 1e-6 for a, b in itertools.pairwise(arrivals))


def _key(task):
    return (task.order, task.action) if isinstance(task, Stop) else (task, "serve")
