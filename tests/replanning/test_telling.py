"""The rest of a day in words and in JSON."""

import json

import pytest

from geopar.files import plan_from_json, problem_from_json
from geopar.plan import Plan
from geopar.problems import HCVRP, OMDCPDP
from geopar.problems.day import Day
from geopar.replanning.changes import Change
from geopar.replanning.rest import rest_of_day
from geopar.replanning.telling import (
    MOST_NAMED,
    about_json,
    change_line,
    changes_to_json,
    place_name,
    rest_to_json,
    standing,
    summary_lines,
)


@pytest.fixture
def plan(square: HCVRP) -> Plan:
    """Red serves east and north, blue south and then west."""
    return Plan.from_indices(square, [[[0, 1]], [[3], [2]]])


@pytest.mark.parametrize(
    ("now", "line"),
    [
        (0.5, "At 0.5 nothing is done yet; 4 are to be served."),
        (1.2, "At 1.2 2 customers are served, and 2 are left."),
        (2.5, "At 2.5 3 customers are served, and 1 is left."),
        (9, "At 9 everything is done: nothing is left to plan."),
    ],
)
def test_how_far_the_day_is(square: HCVRP, plan: Plan, now, line):
    assert summary_lines(rest_of_day(square, plan, now)) == [line]


def test_one_customer_is_one(one_customer: HCVRP):
    plan = Plan.from_indices(one_customer, [[[0]]])
    assert summary_lines(rest_of_day(one_customer, plan, 0.1)) == [
        "At 0.1 nothing is done yet; 1 is to be served."
    ]


def test_orders_are_served_when_they_are_delivered(corridor: OMDCPDP):
    plan = Plan.from_indices(corridor, [[[0, 3, 1, 4]], [[2, 5]]])
    # Anna has fetched a, and right has fetched c.
    assert summary_lines(rest_of_day(corridor, plan, 1.5)) == [
        "At 1.5 0 orders are served, and 3 are left."
    ]
    assert "1 order is served" in summary_lines(
        rest_of_day(corridor.select(["a", "b"], ["left"]), Plan.from_indices(
            corridor.select(["a", "b"], ["left"]), [[[0, 2, 1, 3]]]), 2.5)
    )[0]  # fmt: skip


def test_what_is_in_no_route_counts_as_new(square: HCVRP):
    plan = Plan.from_indices(square, [[[0]], [[3]]])
    lines = summary_lines(rest_of_day(square, plan, 0.5, cancelled=["west"]))
    assert lines[1].startswith("In no route of the plan: north. It counts as new;")
    assert lines[2] == "Cancelled: west."
    both = summary_lines(rest_of_day(square, plan, 0.5))
    assert both[1].startswith("In no route of the plan: north, west. They count as new;")


def test_long_lists_are_cut(handful: HCVRP):
    nothing = Plan.from_indices(handful, [[], [], []])
    more = handful.replace(
        customers=[*handful.customers.tolist(), (0.5, 0.5)],
        demand=[*handful.demand.tolist(), 1.0],
        customer_ids=[*handful.customer_ids, "last"],
    )
    assert len(handful.customer_ids) == MOST_NAMED
    assert " more" not in summary_lines(rest_of_day(handful, nothing, 0.0))[1]
    assert "c12 and 1 more." in summary_lines(rest_of_day(more, nothing, 0.0))[1]


@pytest.mark.parametrize(
    ("now", "red"),
    [
        (7.5, "at the depot, not begun, from 08:00"),
        (8.1, "loads at the depot until 08:30"),
        (8.6, "on the way to east, there at 09:30"),
        (9.6, "at east until 10:00"),
        (11.8, "waits at north"),
        (20.0, "done, at the depot"),
    ],
)
def test_where_a_vehicle_is_in_words(square: HCVRP, now, red):
    day = Day(
        time_unit="hours", clock="HH:MM", available=[(8, 20), (9, 20)], loading=0.5,
        service=[0.5] * 4, windows=[[(9.5, 9.5)], [(12, 14)], [], []],
    )  # fmt: skip
    problem = square.replace(day=day)
    plan = Plan.from_indices(problem, [[[0, 1]], [[3], [2]]])
    assert standing(rest_of_day(problem, plan, now))[0]["said"] == red


def test_whoever_serves_its_last_stop_goes_home_next(square: HCVRP):
    problem = square.replace(day=Day(service=[2.0] * 4))
    plan = Plan.from_indices(problem, [[[0], [1]], [[3], [2]]])
    said = standing(rest_of_day(problem, plan, 2.0))[0]["said"]
    assert said == "at east, then back at the depot at 4"


def test_out_of_service_and_off_duty(square: HCVRP, plan: Plan):
    gone = standing(rest_of_day(square, plan, 2.5, out_of_service=["red"]))[0]
    assert (gone["doing"], gone["free"], gone["goods_back"]) == ("out of service", None, None)
    assert gone["said"] == "out of service, last at north"
    short = square.replace(day=Day(available=[(0, 99), (0, 2.5)]))
    over = Plan.from_indices(short, [[[0, 1, 2]], [[3]]])
    blue = standing(rest_of_day(short, over, 2.7))[1]
    assert (blue["doing"], blue["said"]) == ("off duty", "at the depot; its time is over")


def test_names_of_places(square: HCVRP, corridor: OMDCPDP):
    own = square.replace(day=Day(start=[(5, 5), (0, 0)], end=[(0, 0), (7, 7)]))
    assert [place_name(own, 0, place) for place in (0, 4, 5)] == ["east", "the depot", "its start"]
    assert place_name(own, 1, int(own.ends[1])) == "its end"
    assert place_name(corridor, 1, 0) == "pickup of a"
    assert place_name(corridor, 1, 7) == "its start"


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (((), (), False, 3.0, 3.0), "as before; done at 3"),
        (((), (), False, 3.0, None), "as before; done at 3"),
        (((), (), True, 3.0, 4.0), "the same, in another order; done at 3 instead of 4"),
        (
            ((("a", "red"), ("b", "red"), ("c", None)), (), False, 3.0, None),
            "gets a, b from red; gets c (new, or left out before); done at 3",
        ),
        (
            ((), (("a", "red"), ("b", None)), True, None, 4.0),
            "gives a to red; leaves out b; the rest in another order; nothing to do any more",
        ),
    ],
)
def test_changes_in_a_line(square: HCVRP, change, line):
    assert change_line(square, Change("blue", *change)) == line
    assert Change("blue", *change).is_none == line.startswith("as before")


def test_everything_as_json(square: HCVRP, plan: Plan):
    rest = rest_of_day(square, plan, 1.2, cancelled=["west"])
    document = json.loads(json.dumps(rest_to_json(rest)))
    assert problem_from_json(document["problem"]) == rest.problem
    assert plan_from_json(document["start"]).routes == rest.start.routes
    assert document["done"] == ["east", "south"]
    assert document["cancelled"] == ["west"]
    red = document["vehicles"][0]
    assert (red["at"], red["place"], red["on_board"]) == ("north", [0.0, 1.0], ["north"])
    assert document["said"] == summary_lines(rest)
    done = rest_to_json(rest_of_day(square, plan, 9))
    assert (done["problem"], done["start"]) == (None, None)
    assert done["said"] == about_json(rest_of_day(square, plan, 9))["said"]


def test_changes_as_json(square: HCVRP, plan: Plan):
    rest = rest_of_day(square, plan, 1.2)
    assert rest.problem is not None
    red, blue = changes_to_json(rest, Plan.from_indices(rest.problem, [[[0], [1]], []]))
    assert red["gained"] == [{"request": "west", "from": "blue"}]
    assert blue["lost"] == [{"request": "west", "to": "red"}]
    assert (blue["finish"], blue["finish_before"]) == (None, 4.0)
    assert blue["said"] == "gives west to red; nothing to do any more"


def test_tasks_of_orders_as_json(corridor: OMDCPDP):
    plan = Plan.from_indices(corridor, [[[0, 3, 1, 4]], [[2, 5]]])
    rest = rest_of_day(corridor, plan, 1.5)
    assert about_json(rest)["done"] == [
        {"order": "a", "action": "pickup"}, {"order": "c", "action": "pickup"},
    ]  # fmt: skip
