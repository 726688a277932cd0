import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import instances
from geopar.checking import CLAIM_TOLERANCE, VIOLATIONS, as_checked, check
from geopar.plan import Plan, Route
from geopar.problems import HCVRP, Problem
from geopar.problems.day import Day
from geopar.problems.tasks import Stop
from strategies import hcvrps, omdcpdps, problems_with_plans, random_plan


def hcvrp_plan(objective: float | None = None, **routes: list[str]) -> Plan:
    """``red=["east north", "west"]``: vehicle red makes two trips."""
    return Plan(
        "hcvrp",
        tuple(
            Route(v, tuple(tuple(trip.split()) for trip in trips)) for v, trips in routes.items()
        ),
        objective,
    )


def omdcpdp_plan(objective: float | None = None, **routes: str) -> Plan:
    """``left="+a -a"``: vehicle left picks a up and delivers it."""
    return Plan(
        "omdcpdp",
        tuple(
            Route(v, (tuple(Stop(s[1:], _ACTION[s[0]]) for s in stops.split()),))
            for v, stops in routes.items()
        ),
        objective,
    )


_ACTION: dict[str, Any] = {"+": "pickup", "-": "delivery"}


def codes(problem: Problem, plan: Plan) -> list[str]:
    report = check(problem, plan)
    assert report.feasible == (not report.violations)
    assert math.isinf(report.objective) == (not report.feasible)
    assert all(violation.code in VIOLATIONS for violation in report.violations)
    return [violation.code for violation in report.violations]


# -- objectives ---------------------------------------------------------------------------------


def test_square_by_hand(square):
    report = check(square, hcvrp_plan(red=["east north"], blue=["west south"]))
    assert report.feasible
    assert report.objective == pytest.approx(instances.SQUARE_OPTIMUM, rel=1e-15)
    assert report.completion == pytest.approx([2 + math.sqrt(2)] * 2, rel=1e-15)
    assert str(report) == "feasible, makespan 3.41421"


def test_trips_add_up_and_speed_divides(two_speeds):
    report = check(two_speeds, hcvrp_plan(fast=["far", "near"]))
    assert report.objective == 3.0
    assert report.completion.tolist() == [3.0, 0.0]
    report = check(two_speeds, hcvrp_plan(slow=["near"], fast=["far"]))
    assert report.objective == instances.TWO_SPEEDS_OPTIMUM
    # In the problem's order of vehicles, whatever the plan's.
    assert report.completion.tolist() == [2.0, 2.0]


def test_empty_routes_and_trips_cost_nothing(square):
    plan = hcvrp_plan(red=["", "east north", "", "west south", ""], blue=[])
    assert check(square, plan).objective == pytest.approx(2 * instances.SQUARE_OPTIMUM)


def test_corridor_by_hand(corridor):
    report = check(corridor, omdcpdp_plan(left="+a -a +b -b", right="+c -c"))
    assert report.objective == instances.CORRIDOR_OPTIMUM
    assert report.completion.tolist() == [4.0, 2.0]
    assert str(report) == "feasible, sum of arrivals 8"
    report = check(corridor, omdcpdp_plan(left="+a +b -b -a", right="+c -c"))
    assert report.objective == 4 + 6 + 2


def test_open_routes_start_where_the_vehicle_is(one_order):
    report = check(one_order, omdcpdp_plan(v1="+o1 -o1"))
    assert report.objective == instances.ONE_ORDER_OPTIMUM


def test_lonlat_is_kilometres_and_hours(town):
    # One degree of latitude is 111.195 km; c3 lies 0.05 degrees north of the depot.
    alone = town.select([2], [0])
    report = check(alone, hcvrp_plan(v1=["c3"]))
    assert report.objective == pytest.approx(2 * 0.05 * 111.195 / 30, rel=1e-5)


def makespan_step_by_step(problem: HCVRP, plan: Plan) -> float:
    where: dict[Any, Any] = dict(
        zip(problem.customer_ids, problem.customers_xy.tolist(), strict=True)
    )
    speed = dict(zip(problem.vehicle_ids, problem.speed.tolist(), strict=True))
    depot = problem.depot_xy.tolist()
    times = [0.0]
    for route in plan.routes:
        length = 0.0
        for trip in route.trips:
            at = depot
            for task in trip:
                length += math.dist(at, where[task])
                at = where[task]
            length += math.dist(at, depot)
        times.append(length / speed[route.vehicle])
    return max(times)


@given(problems_with_plans(hcvrps()))
def test_any_feasible_hcvrp_plan_passes(case):
    problem, plan = case
    assert codes(problem, plan) == []
    report = check(problem, plan)
    assert report.objective == pytest.approx(makespan_step_by_step(problem, plan), rel=1e-12)
    assert report.objective == report.completion.max()


def arrivals_step_by_step(problem, plan: Plan) -> float:
    where = dict(zip(problem.task_ids, problem.tasks_xy.tolist(), strict=True))
    start = dict(zip(problem.vehicle_ids, problem.starts_xy.tolist(), strict=True))
    total = 0.0
    for route in plan.routes:
        clock, at = 0.0, start[route.vehicle]
        for stop in route.tasks:
            clock += math.dist(at, where[stop])
            at = where[stop]
            total += clock * (stop.action == "delivery")
    return total


@given(problems_with_plans(omdcpdps()))
def test_any_feasible_omdcpdp_plan_passes(case):
    problem, plan = case
    assert codes(problem, plan) == []
    expected = arrivals_step_by_step(problem, plan)
    assert check(problem, plan).objective == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(problems_with_plans(), st.randoms(use_true_random=False))
def test_the_order_of_routes_does_not_matter(case, random):
    problem, plan = case
    routes = list(plan.routes)
    random.shuffle(routes)
    shuffled = Plan(plan.kind, tuple(routes))
    assert check(problem, shuffled).objective == pytest.approx(check(problem, plan).objective)


# -- violations of both problems ----------------------------------------------------------------


def test_wrong_problem(square, corridor):
    assert codes(square, omdcpdp_plan(left="+a -a")) == ["wrong-problem"]
    assert codes(corridor, hcvrp_plan(left=["a"])) == ["wrong-problem"]


def test_empty_plan_serves_nobody(any_problem):
    assert codes(any_problem, Plan(any_problem.kind, ())) == ["unserved"] * any_problem.num_tasks


def test_unserved_names_the_task(square, corridor):
    report = check(square, hcvrp_plan(red=["east north"], blue=["west"]))
    (violation,) = report.violations
    assert violation.tasks == ("south",)
    assert "south is served by nobody" in str(violation)
    assert str(report) == "not feasible: 1 unserved\n  [unserved] south is served by nobody"
    # What is known of the routes is still told.
    assert report.completion == pytest.approx([2 + math.sqrt(2), 2.0])
    report = check(corridor, omdcpdp_plan(left="+a -a +b", right="+c -c"))
    assert [v.code for v in report.violations] == ["unserved"]
    assert report.violations[0].tasks == (Stop("b", "delivery"),)


def test_served_twice_names_all_who_serve_it(square):
    plan = hcvrp_plan(red=["east north"], blue=["west south", "east", "east"])
    (violation,) = check(square, plan).violations
    assert violation.code == "served-twice"
    assert violation.vehicles == ("red", "blue")
    assert (violation.tasks, violation.found, violation.allowed) == (("east",), 3, 1)


def test_twice_in_a_row_is_twice(square):
    plan = hcvrp_plan(red=["east east", "north"], blue=["west south"])
    assert codes(square, plan) == ["served-twice"]


def test_unknown_task_is_told_with_its_trip(square):
    plan = hcvrp_plan(red=["east", "north up"], blue=["west south"])
    (violation,) = check(square, plan).violations
    assert violation.code == "unknown-task"
    assert (violation.vehicles, violation.tasks, violation.trip) == (("red",), ("up",), 2)


def test_ids_are_text(square):
    renamed = square.replace(customer_ids=[1, 2, 3, 4])
    trips = (Route("red", ((1, 2),)), Route("blue", ((3, 4),)))  # type: ignore[arg-type]
    assert codes(renamed, Plan("hcvrp", trips)) == ["unknown-task"] * 4 + ["unserved"] * 4


def test_unknown_vehicle_has_neither_capacity_nor_cost(square):
    plan = hcvrp_plan(red=["east north"], green=["west south", "west"])
    report = check(square, plan)
    assert [v.code for v in report.violations] == ["unknown-vehicle", "served-twice"]
    assert report.violations[0].vehicles == ("green",)
    assert report.completion[1] == 0.0
    plan = hcvrp_plan(green=["east north west south"])
    assert codes(square, plan) == ["unknown-vehicle"]


def test_unknown_vehicle_of_orders(corridor):
    plan = omdcpdp_plan(left="+a -a", centre="+b +c -c -b")
    assert codes(corridor, plan) == ["unknown-vehicle"]
    assert codes(corridor, omdcpdp_plan(centre="+a -a +b +c -c -b")) == ["unknown-vehicle"]


def test_vehicle_listed_twice(square):
    red, blue = Route("red", (("east", "north"),)), Route("blue", (("west",),))
    plan = Plan("hcvrp", (red, blue, Route("red", (("south",),))))
    (violation,) = check(square, plan).violations
    assert (violation.code, violation.vehicles) == ("duplicate-vehicle", ("red",))
    assert (violation.found, violation.allowed) == (2, 1)


def test_every_violation_at_once(square):
    plan = hcvrp_plan(99.0, red=["east north west up"], green=["east"])
    assert codes(square, plan) == [
        "unknown-vehicle", "unknown-task", "unserved", "served-twice", "overload",
    ]  # fmt: skip


def test_long_reports_are_cut(handful):
    text = str(check(handful, Plan("hcvrp", (Route("v1", (tuple("abcdefghijk"),)),))))
    assert text.startswith("not feasible: 12 unserved, 11 unknown-task\n")
    assert text.endswith("… and 3 more")
    assert len(text.splitlines()) == 22


def test_every_code_has_a_cause_and_a_way_out(square):
    for code, (cause, hint) in VIOLATIONS.items():
        assert re.fullmatch(r"[a-z-]+", code)
        assert cause.endswith(".")
        assert hint.endswith(".")
    (violation,) = check(square, omdcpdp_plan()).violations
    assert violation.hint == VIOLATIONS["wrong-problem"][1]


# -- claimed objectives -------------------------------------------------------------------------


@given(problems_with_plans())
def test_a_right_claim_passes(case):
    problem, plan = case
    claimed = plan.with_objective(check(problem, plan).objective)
    assert codes(problem, claimed) == []
    rounded = plan.with_objective(claimed.objective * (1 - 0.9 * CLAIM_TOLERANCE))
    assert codes(problem, rounded) == []


@pytest.mark.parametrize("claim", [3.0, 3.4142, 0.0, -3.4142135623, math.nan, math.inf])
def test_a_wrong_claim_is_told_with_both_numbers(square, claim):
    plan = hcvrp_plan(claim, red=["east north"], blue=["west south"])
    (violation,) = check(square, plan).violations
    assert violation.code == "wrong-objective"
    assert violation.found == pytest.approx(claim, nan_ok=True)
    assert violation.allowed == pytest.approx(instances.SQUARE_OPTIMUM)
    assert "3.41421356237" in violation.message


# -- loads --------------------------------------------------------------------------------------


def test_overload_is_told_with_trip_and_numbers(square):
    plan = hcvrp_plan(red=["east", "north west south"])
    (violation,) = check(square, plan).violations
    assert violation.code == "overload"
    assert (violation.vehicles, violation.trip) == (("red",), 2)
    assert violation.tasks == ("north", "west", "south")
    assert (violation.found, violation.allowed) == (3.0, 2.0)
    assert violation.message == "vehicle red, trip 2 carries 3, but its capacity is 2"


def test_rounding_is_no_overload(square):
    tenths = square.replace(demand=[0.1, 0.1, 0.1, 0.1], capacity=[0.3, 0.3])
    assert 0.1 + 0.1 + 0.1 > 0.3
    plan = hcvrp_plan(red=["east north west"], blue=["south"])
    assert codes(tenths, plan) == []
    assert codes(tenths.replace(capacity=[0.3 * (1 - 2e-9), 0.3]), plan) == ["overload"]


@given(problems_with_plans(hcvrps()), st.data())
def test_a_capacity_just_below_the_load_is_an_overload(case, data):
    problem, plan = case
    demand = dict(zip(problem.customer_ids, problem.demand, strict=True))
    loads = [
        (problem.vehicle_ids.index(route.vehicle), sum(demand[task] for task in trip))
        for route in plan.routes
        for trip in route.trips
    ]
    v, load = data.draw(st.sampled_from(loads))
    if load < 1e-6:
        return
    # Through the back door: the problem's own validation would refuse a demand over capacity.
    capacity = problem.capacity.copy()
    capacity[v] = load * (1 - 1e-8)
    object.__setattr__(problem, "capacity", capacity)
    found = check(problem, plan).violations
    assert any(f.code == "overload" and f.vehicles == (problem.vehicle_ids[v],) for f in found)


# -- orders -------------------------------------------------------------------------------------


def test_delivery_before_pickup(corridor):
    (violation,) = check(corridor, omdcpdp_plan(left="-a +a +b -b", right="+c -c")).violations
    assert violation.code == "delivery-before-pickup"
    assert violation.vehicles == ("left",)
    assert violation.tasks == (Stop("a", "pickup"), Stop("a", "delivery"))


def test_delivery_without_pickup(corridor):
    found = check(corridor, omdcpdp_plan(left="-a +b -b", right="+c -c")).violations
    assert [v.code for v in found] == ["unserved", "delivery-without-pickup"]
    assert found[1].message == "a is delivered by left, picked up by nobody"


def test_split_order(corridor):
    (violation,) = check(corridor, omdcpdp_plan(left="+a +b -b", right="+c -c -a")).violations
    assert violation.code == "split-order"
    assert violation.vehicles == ("left", "right")
    assert violation.message == "a is picked up by left and delivered by right"


def test_too_many_on_board(corridor):
    (violation,) = check(corridor, omdcpdp_plan(left="+a -a", right="+b +c -c -b")).violations
    assert violation.code == "too-many-on-board"
    assert (violation.vehicles, violation.tasks) == (("right",), (Stop("c", "pickup"),))
    assert (violation.found, violation.allowed) == (2, 1.0)
    assert "2 orders on board after the pickup of c, but room for 1" in violation.message


def test_each_crowded_vehicle_is_told(corridor):
    crowded = corridor.replace(
        pickups=[(i, 0) for i in range(7)],
        deliveries=[(i, 1) for i in range(7)],
        order_ids=list("abcdefg"),
    )
    plan = omdcpdp_plan(left="+a +b +c +d -a -b -c -d", right="+e +f +g -e -f -g")
    found = check(crowded, plan).violations
    assert [(v.code, v.found, v.allowed) for v in found] == [
        ("too-many-on-board", 4, 2.0),
        ("too-many-on-board", 3, 1.0),
    ]


def test_a_delivery_frees_room_only_for_what_was_aboard(corridor):
    # Two deliveries of what was never aboard do not make room for a third order.
    plan = omdcpdp_plan(right="-a -b +a +b +c -c")
    assert "too-many-on-board" in codes(corridor, plan)
    # Nor does delivering the same order twice.
    plan = omdcpdp_plan(left="+a -a -a +b +c -b -c", right="")
    assert codes(corridor, plan) == ["served-twice"]
    found = check(corridor.replace(capacity=[1, 1]), plan).violations
    assert [v.code for v in found] == ["served-twice", "too-many-on-board"]


def test_orders_of_a_vehicle_listed_twice_are_joined(corridor):
    routes = omdcpdp_plan(left="+a +b", right="+c -c").routes + omdcpdp_plan(left="-b -a").routes
    assert codes(corridor, Plan("omdcpdp", routes)) == ["duplicate-vehicle"]


def test_several_trips_make_no_sense_for_open_routes(corridor):
    one = omdcpdp_plan(left="+a -a +b -b", right="+c -c")
    stops = one.routes[0].tasks
    plan = Plan("omdcpdp", (Route("left", (stops[:2], stops[2:])), one.routes[1]))
    (violation,) = check(corridor, plan).violations
    assert (violation.code, violation.found) == ("several-trips", 2)


@given(problems_with_plans(omdcpdps(max_orders=6)), st.data())
def test_swapping_two_stops_is_judged_as_a_simulation_would(case, data):
    problem, plan = case
    busy = [i for i, route in enumerate(plan.routes) if route.trips]
    one, other = data.draw(st.sampled_from(busy)), data.draw(st.sampled_from(busy))
    tours = [list(route.tasks) for route in plan.routes]
    i = data.draw(st.integers(0, len(tours[one]) - 1))
    j = data.draw(st.integers(0, len(tours[other]) - 1))
    tours[one][i], tours[other][j] = tours[other][j], tours[one][i]
    routes = tuple(
        Route(route.vehicle, (tuple(tour),) if tour else ())
        for route, tour in zip(plan.routes, tours, strict=True)
    )
    room = dict(zip(problem.vehicle_ids, problem.capacity, strict=True))

    def simulate() -> bool:
        for route in routes:
            aboard = set()
            tasks: Any = route.tasks
            for order, action in tasks:
                if action == "pickup":
                    aboard.add(order)
                elif order in aboard:
                    aboard.remove(order)
                else:
                    return False
                if len(aboard) > room[route.vehicle]:
                    return False
            if aboard:
                return False
        return True

    assert check(problem, Plan("omdcpdp", routes)).feasible == simulate()


def test_random_damage_never_goes_unnoticed(any_problem):
    rng = np.random.default_rng(5)
    plan = random_plan(any_problem, rng)
    for row, route in enumerate(plan.routes):
        without = Plan(plan.kind, plan.routes[:row] + plan.routes[row + 1 :])
        lost = len(route.tasks)
        assert codes(any_problem, without) == ["unserved"] * lost


def test_what_a_plan_costs_by_another_goal_is_no_claim() -> None:
    square, plan = instances.square(), hcvrp_plan(red=["east north"], blue=["west south"])
    assert check(square, plan.with_objective(1.0, "distance")).feasible
    assert not check(square, plan.with_objective(1.0, "makespan")).feasible


def test_a_checked_plan_says_its_goal_and_whom_it_leaves_out() -> None:
    square, plan = instances.square(), hcvrp_plan(red=["east north"], blue=["west south"])
    assert as_checked(square, plan, check(square, plan)).minimise is None
    allowed = [[True, True]] * 3 + [[False, False]]
    day = square.replace(day=Day(minimise="distance", allowed=allowed))
    plan = hcvrp_plan(red=["east north"], blue=["west"])
    told = as_checked(day, plan, check(day, plan))
    assert told.minimise == "distance"
    assert [one.request for one in told.left_out] == ["south"]
    assert check(day, told).feasible
    broken = hcvrp_plan(3.0, red=["east east"])
    assert as_checked(day, broken, check(day, broken)) == broken.without_claim()
