"""What stands on the sheet of a vehicle that broke down."""

from geopar.plan import Plan, Route
from geopar.replanning.gone import gone
from geopar.replanning.rest import rest_of_day
from geopar.sheets.gone import HandedOver, Served


def new(*trips):
    return Plan("hcvrp", (Route("blue", trips),))


def test_what_is_done_and_who_has_the_rest(square):
    named = square.replace(
        details={"Name": ("Bakery", "north", "", "")}, vehicle_details={"driver": ("Ann", "")}
    )
    rest = rest_of_day(
        named, Plan.from_indices(named, [[[0, 1], [2]], [[3]]]), 1.2, out_of_service=["red"]
    )
    (red,) = gone(rest, new(("north",)))
    assert red.title == "red · Ann"
    assert red.said == (
        "Out of service from 1.2: last at east; 1 customer on board, to be had at the depot from "
        "2.2."
    )
    assert red.served == (Served("1", "Bakery · east"),)
    assert red.handed_over == (HandedOver("north", True, "blue"), HandedOver("west", False, ""))


def test_who_had_not_begun_has_nothing_on_board(square):
    plan = Plan.from_indices(square, [[], [[0, 1, 2, 3]]])
    (red,) = gone(rest_of_day(square, plan, 1.2, out_of_service=["red"]), new(("south",)))
    assert (red.title, red.served, red.handed_over) == ("red", (), ())
    assert red.said == "Out of service from 1.2: last at the depot."


def test_couriers_have_orders_on_board(corridor):
    plan = Plan.from_indices(corridor, [[[0, 1, 3, 4]], [[2, 5]]])
    rest = rest_of_day(corridor, plan, 1.5, out_of_service=["left"])
    (left,) = gone(rest, rest.start)
    assert [(one.stop, one.on_board) for one in left.handed_over] == [("a", True), ("b", False)]
    assert [one.stop for one in left.served] == ["Pick up a"]


def test_when_everything_is_done_nobody_has_the_rest(square):
    plan = Plan.from_indices(square, [[[0, 1]], [[3], [2]]])
    rest = rest_of_day(square, plan, 99.0, out_of_service=["red"])
    (red,) = gone(rest, rest.start)
    assert [one.stop for one in red.served] == ["east", "north"]
    assert red.handed_over == ()
