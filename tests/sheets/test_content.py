import numpy as np
import pytest
from hypothesis import given

from days import days_with_plans
from geopar.errors import InputError
from geopar.plan import Plan
from geopar.problems import HCVRP
from geopar.problems.day import Day
from geopar.problems.validation import LARGEST_NUMBER
from geopar.schedule import schedule
from geopar.sheets.content import sheets_of
from instances import corridor, plan_of, square
from strategies import problems_with_plans

PLAN = plan_of({"red": [["east", "north"], ["west"]], "blue": [["south"]]})


def test_a_sheet_tells_the_stops_in_order() -> None:
    problem = square().replace(details={"phone": ("1", "", "3", "")})
    red, blue = sheets_of(problem, PLAN)
    assert (red.vehicle, blue.vehicle) == ("red", "blue")
    assert [[line.stop for line in trip.lines] for trip in red.trips] == [
        ["east", "north", "Back at the depot"],
        ["west", "Back at the depot"],
    ]
    numbers = [[line.number for line in trip.lines] for trip in red.trips]
    assert numbers == [["1", "2", ""], ["3", ""]]
    assert [line.amounts for line in red.trips[0].lines] == [(1.0,), (1.0,), ()]
    assert [line.on_board for line in red.trips[0].lines] == [(1.0,), (0.0,), (0.0,)]
    assert red.loads == ("amount",)
    assert [line.told for line in red.trips[0].lines] == [{"phone": "1"}, {}, {}]
    assert red.num_stops == 3
    assert red.leaves == "0"
    assert red.home == "5.414"
    assert red.trips[0].way == [4, 0, 1, 4]


def test_orders_say_what_is_done() -> None:
    plan = Plan.from_indices(corridor(), [[[0, 3]], [[2, 5]]], None)
    left, right = sheets_of(corridor(), plan)
    assert [line.stop for line in left.trips[0].lines] == ["Pick up a", "Deliver a"]
    assert [line.stop for line in right.trips[0].lines] == ["Pick up c", "Deliver c"]


def test_vehicles_with_nothing_to_do_have_no_sheet_unless_asked_for() -> None:
    idle = plan_of({"red": [["east"]]})
    assert [sheet.vehicle for sheet in sheets_of(square(), idle)] == ["red"]
    (blue,) = sheets_of(square(), idle, ["blue"])
    assert blue.trips == []


def test_vehicles_that_there_are_none_of_are_told_together() -> None:
    with pytest.raises(InputError) as caught:
        sheets_of(square(), PLAN, ["blu", "green"])
    assert len(caught.value.faults) == 2
    assert "Maybe 'blue'" in str(caught.value) or "blue" in str(caught.value)


def _agrees_with_the_schedule(problem, plan) -> None:
    tables = schedule(problem, plan.known_indices(problem))
    sheets = {sheet.vehicle: sheet for sheet in sheets_of(problem, plan)}
    for name, table in zip(problem.vehicle_ids, tables, strict=True):
        if not table.trips:
            assert name not in sheets
            continue
        lines = [line for trip in sheets[name].trips for line in trip.lines]
        assert len(lines) == len(table.visits)
        assert sheets[name].num_stops == sum(visit.task is not None for visit in table.visits)
        tasks = [place for trip in sheets[name].trips for place in trip.way]
        assert [t for t in tasks if t < problem.num_tasks] == [
            visit.task for visit in table.visits if visit.task is not None
        ]


@given(problems_with_plans())
def test_nothing_of_the_schedule_is_lost(one) -> None:
    _agrees_with_the_schedule(*one)


@given(days_with_plans())
def test_nothing_of_a_working_day_is_lost(one) -> None:
    _agrees_with_the_schedule(*one)


def _day() -> HCVRP:
    """Two vans, two customers to the east, one hour apart, times of day."""
    return HCVRP(
        (0, 0), [(1, 0), (2, 0)], [20, 35], [100, 60], [1, 1],
        customer_ids=("baker", "school"), vehicle_ids=("van", "bike"),
        depot_details={"name": "Warehouse 3", "address": "1 Dock Road"},
        vehicle_details={"Driver": ("Ann", ""), "phone": ("0151", "")},
        load_names=("parcels", "kg"),
        day=Day(
            clock="HH:MM", loading=0.25, opens=6.0, available=[(7.0, 15.0), (7.0, 15.0)],
            extra_demand=[[1.5], [2.25]], extra_capacity=[[10], [10]],
            windows=[[(8.0, 10.0), (14.0, 16.0)], []],
        ),
    )  # fmt: skip


def test_a_trip_begins_with_when_to_leave_and_what_to_take_along() -> None:
    (van,) = sheets_of(_day(), plan_of({"van": [["baker", "school"]]}))
    (trip,) = van.trips
    assert van.loads == ("parcels", "kg")
    assert trip.is_loaded
    assert trip.start.stop == "Leave the depot"
    assert trip.start.told == {"name": "Warehouse 3", "address": "1 Dock Road"}
    assert (trip.start.leaves, trip.start.takes) == ("07:15", "15 min")
    assert trip.start.on_board == (55.0, 3.75)
    assert [line.amounts for line in trip.lines] == [(20.0, 1.5), (35.0, 2.25), ()]
    assert [line.on_board for line in trip.lines] == [(35.0, 2.25), (0.0, 0.0), (0.0, 0.0)]
    assert trip.lines[-1].told["name"] == "Warehouse 3"


def test_who_drives_stands_in_the_title() -> None:
    (van,) = sheets_of(_day(), plan_of({"van": [["baker", "school"]]}))
    assert (van.driver, van.title) == ("Ann", "van · Ann")
    assert van.about == {"phone": "0151"}
    (bike,) = sheets_of(_day(), plan_of({"bike": [["baker"]]}))
    assert (bike.driver, bike.title) == ("", "bike")


def test_windows_are_told_in_clock_times() -> None:
    (van,) = sheets_of(_day(), plan_of({"van": [["baker", "school"]]}))
    assert [line.window for line in van.trips[0].lines] == ["08:00–10:00, 14:00–16:00", "", ""]


def test_the_second_trip_leaves_when_it_is_loaded() -> None:
    problem = _day()
    (van,) = sheets_of(problem, plan_of({"van": [["baker"], ["school"]]}))
    first, second = van.trips
    assert second.start.leaves == first.lines[-1].leaves
    assert second.start.on_board == (35.0, 2.25)


def test_goods_on_board_are_not_loaded_again() -> None:
    midway = Day(clock="HH:MM", start=[(0.5, 0), (np.nan, np.nan)], on_board=[[0], []])
    problem = _day().replace(load_names=("parcels",), day=midway)
    (van,) = sheets_of(problem, plan_of({"van": [["baker"], ["school"]]}))
    first, second = van.trips
    assert (first.start.stop, first.is_loaded) == ("Start", False)
    assert first.start.on_board == (20.0,)
    assert second.is_loaded


def test_an_order_that_is_ready_later_begins_its_window() -> None:
    long_ago = [-LARGEST_NUMBER] * 3
    problem = corridor().replace(day=Day(clock="HH:MM", released=[9.5, 0, 0, *long_ago]))
    plan = Plan.from_indices(problem, [[[0, 3]], []], None)
    (left,) = sheets_of(problem, plan)
    pickup, delivery = left.trips[0].lines
    assert (pickup.window, delivery.window) == ("from 09:30", "")
    assert left.loads == ()


def test_sizes_of_orders_go_on_board_and_off() -> None:
    problem = corridor().replace(day=Day(size=[2, 1, 1]), load_names=("crates",))
    plan = Plan.from_indices(problem, [[[0, 3]], []], None)
    (left,) = sheets_of(problem, plan)
    pickup, delivery = left.trips[0].lines
    assert (pickup.amounts, pickup.on_board) == ((2.0,), (2.0,))
    assert (delivery.amounts, delivery.on_board) == ((2.0,), (0.0,))
