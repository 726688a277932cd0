"""The second checker by hand: each rule broken alone, and what plans cost by each goal."""

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from days import days_with_plans
from geopar.checking import check
from geopar.plan import Plan
from geopar.problems import HCVRP, OMDCPDP, Problem
from geopar.problems.day import GOALS, Day
from geopar.testing.second_checker import Vehicle, promises, second_opinion

few = settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])


def street(**day: Any) -> HCVRP:
    """Customers at 1, 2 and -3 of a line, two vehicles of speed one with room for two."""
    return HCVRP(
        (0, 0), [(1, 0), (2, 0), (-3, 0)], [1, 1, 1], [2, 2], [1, 1],
        customer_ids=["a", "b", "z"], vehicle_ids=["red", "blue"], day=Day(**day),
    )  # fmt: skip


def errands(**day: Any) -> OMDCPDP:
    """Order tea from 1 to 3, cake from 2 to 4; anna begins at 0 and ben at 9."""
    return OMDCPDP(
        [(1, 0), (2, 0)], [(3, 0), (4, 0)], [(0, 0), (9, 0)], [2, 1],
        order_ids=["tea", "cake"], vehicle_ids=["anna", "ben"], day=Day(**day),
    )  # fmt: skip


BOTH = [[[0, 1]], [[2]]]
"""Red to a and b, blue to z."""
TOUR = [[[0, 1, 2, 3]], []]
"""Anna fetches both and delivers both."""


def opinion(problem: Problem, routes: Any) -> tuple[dict[str, int], float]:
    """What the second checker says, where the first one says the same."""
    plan = Plan.from_indices(problem, routes)
    codes, goal = second_opinion(problem, plan)
    report = check(problem, plan)
    assert sorted(codes.elements()) == sorted(one.code for one in report.violations)
    if report.feasible:
        assert goal == pytest.approx(report.objective)
    return dict(codes), goal


@pytest.mark.parametrize(
    ("goal", "street_costs", "errands_cost"),
    [("makespan", 6, 4), ("duration", 10, 4), ("distance", 10, 4), ("arrivals", 6, 7)],
)
def test_goals_by_hand(goal, street_costs, errands_cost):
    for problem, routes, cost in (
        (street(minimise=goal), BOTH, street_costs),
        (errands(minimise=goal), TOUR, errands_cost),
    ):
        assert opinion(problem, routes) == ({}, pytest.approx(cost))


def test_a_day_counts_from_its_first_shift():
    late = {"available": [(100, 200), (110, 200)]}
    assert opinion(street(**late), BOTH) == ({}, 16)
    assert opinion(street(**late, minimise="arrivals"), BOTH) == ({}, 1 + 2 + 13)


@pytest.mark.parametrize(
    ("day", "makespan"),
    [
        ({"service": [0.5, 0.25, 0]}, 6),
        ({"service": [1, 2, 0]}, 7),
        ({"loading": 2}, 8),
        ({"opens": 3}, 9),
        ({"released": [0, 5, 0]}, 9),
        ({"windows": [[(4, 5)], [], []]}, 7),
        ({"windows": [[(0.2, 0.5), (6, 7)], [], []]}, 9),
        ({"start": [(-1, 0), (np.nan, np.nan)]}, 6),
        ({"end": [(np.nan, np.nan), (-3, 0)]}, 4),
        ({"end": [(np.inf, np.inf), (np.inf, np.inf)]}, 3),
    ],
)
def test_how_time_goes(day, makespan):
    assert opinion(street(**day), BOTH) == ({}, makespan)


def test_each_trip_is_loaded_once_its_goods_are_there():
    day = {"loading": 1.0, "released": [0, 9, 0]}
    # Loaded from 0 to 1, back at 3, loaded again, and off when b is there at 9.
    assert opinion(street(**day), [[[0], [1]], [[2]]]) == ({}, 9 + 4)


def test_travel_by_road_is_that_of_the_vehicle_s_profile():
    table = np.arange(16.0).reshape(4, 4) * (1 - np.eye(4))
    day = {"matrices": {"car": table, "bike": (2 * table, 3 * table)}, "profile": ["car", "bike"]}
    # Depot, a, b and back; depot, z and back.
    assert opinion(street(**day), BOTH) == ({}, max(1 + 6 + 8, 2 * (3 + 12)))
    far = opinion(street(**day, minimise="distance"), BOTH)
    assert far == ({}, 1 + 6 + 8 + 3 * (3 + 12))


@pytest.mark.parametrize(
    ("day", "codes"),
    [
        ({"windows": [[], [(0, 1.5)], []]}, {"late": 1}),
        ({"windows": [[(0, 0.5)], [(0, 1.5)], []]}, {"late": 2}),
        ({"closes": 5}, {"depot-closed": 1}),
        ({"closes": 1.5, "loading": 2}, {"depot-closed": 4}),
        ({"available": [(0, 3.5), (0, 9)]}, {"shift-over": 1}),
        ({"longest": [3.5, 9]}, {"on-duty-too-long": 1}),
        ({"most_trips": [0, 1]}, {"too-many-trips": 1}),
        ({"allowed": [[0, 1], [0, 1], [0, 1]]}, {"not-allowed": 2}),
        ({"locked": [[[1]], []]}, {"not-as-locked": 1}),
        ({"on_board": [[1], []]}, {"not-as-locked": 1}),
        (
            {"extra_demand": [[1, 5], [1, 5], [9, 9]], "extra_capacity": [[9, 9], [8, 8]]},
            {"overload": 3},
        ),
    ],
)
def test_each_rule_of_deliveries_broken_alone(day, codes):
    assert opinion(street(**day), BOTH)[0] == codes


@pytest.mark.parametrize(
    ("day", "codes"),
    [
        ({"size": [2, 1]}, {"overload": 1}),
        ({"size": [1, 0.5]}, {}),
        ({"windows": [[], [], [(0, 2.5)], []]}, {"late": 1}),
        ({"released": [0, 3, 0, 0], "available": [(0, 4.5), (0, 9)]}, {"shift-over": 1}),
        ({"allowed": [[1, 1], [0, 1]]}, {"not-allowed": 2}),
        ({"locked": [[[0, 2]], []]}, {"not-as-locked": 1}),
        ({"locked": [[[0, 1]], []]}, {}),
        ({"on_board": [[1], []]}, {"not-as-locked": 1}),
        ({"on_board": [[0], []]}, {}),
        ({"on_board": [[], [1]]}, {"not-as-locked": 1}),
    ],
)
def test_each_rule_of_orders_broken_alone(day, codes):
    assert opinion(errands(**day), TOUR)[0] == codes


def test_what_is_on_board_is_not_fetched():
    # Tea is on board: to cake at 2, tea delivered at 3, cake at 4.
    assert opinion(errands(on_board=[[0], []]), TOUR) == ({}, 3 + 4)
    back = errands(on_board=[[0], []], minimise="distance")
    ben = back.replace(starts=[(3, 0), (9, 0)])
    assert opinion(ben, [[[0, 2, 1, 3]], []]) == ({}, 0 + 1 + 2)


def test_time_on_duty_begins_as_late_as_it_can():
    waits = {"windows": [[], [(10, 20)], []]}
    assert opinion(street(**waits, longest=[4, 6]), BOTH) == ({}, 12)
    assert opinion(street(**waits, longest=[3.9, 6]), BOTH)[0] == {"on-duty-too-long": 1}
    assert opinion(street(**waits, minimise="duration"), BOTH) == ({}, pytest.approx(4 + 6))
    # Where arrivals count, a is served as soon as it can be.
    hurried = street(**waits, minimise="arrivals", longest=[99, 99])
    assert Vehicle(hurried, 0, [["a", "b"]]).begin == pytest.approx(0.0, abs=1e-6)


def test_promises_are_kept_by_what_is_served():
    told = street(locked=[[[1], [0]], []])
    served = {"a", "z"}
    assert not promises(told, 0, [["a"]], served)
    assert promises(told, 0, [["z"]], served) == {"not-as-locked": 1}
    assert promises(told, 0, [["b"], ["z", "a"]], served | {"b"}) == {"not-as-locked": 1}
    assert not promises(told, 1, [["z"]], served)


def test_without_a_depot_there_is_one_trip_and_no_loading():
    day: dict[str, Any] = {"has_depot": False, "start": [(0, 0), (-2, 0)]}
    assert opinion(street(**day, end=[(np.inf, np.inf)] * 2), BOTH) == ({}, 2)
    twice = street(**day, end=[(np.inf, np.inf)] * 2)
    assert second_opinion(twice, Plan.from_indices(twice, [[[0], [1]], [[2]]]))[0] == {
        "too-many-trips": 1
    }


@few
@given(days_with_plans(), st.sampled_from(GOALS), st.floats(0.0, 5.0))
def test_a_later_beginning_never_ends_sooner(case, goal, pause):
    """What halving rests on."""
    problem, plan = case
    day = problem.day.replace(minimise=goal)
    problem = problem.replace(day=day)
    for v, route in enumerate(plan.routes):
        trips = [trip for trip in route.trips if trip]
        if trips:
            vehicle = Vehicle(problem, v, trips)
            assert vehicle.drive(vehicle.opening + pause)[0] >= vehicle.finish - 1e-9
            assert vehicle.opening <= vehicle.begin <= vehicle.finish + 1e-6


@few
@given(days_with_plans(), st.data())
def test_less_to_do_breaks_no_more_rules_of_time(case, data):
    """Without the last stop of a vehicle that comes home it is never later."""
    problem, plan = case
    if not isinstance(problem, HCVRP) or problem.day is None or problem.day.matrices is not None:
        return
    v = data.draw(st.integers(0, problem.num_vehicles - 1))
    trips = [list(trip) for trip in plan.routes[v].trips if trip]
    if not trips or len(trips[-1]) < 2:
        return
    whole = Vehicle(problem, v, trips)
    fewer = Vehicle(problem, v, [*trips[:-1], trips[-1][:-1]])
    assert fewer.finish <= whole.finish + 1e-7
    assert fewer.length() <= whole.length() + 1e-7
