import pytest
from hypothesis import given

from days import days_with_plans
from geopar.errors import InputError
from geopar.plan import Plan
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
    assert [line.load for line in red.trips[0].lines] == ["1", "0", "0"]
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
