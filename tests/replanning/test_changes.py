"""What a new plan changes, and how it is told."""

import pytest

from geopar.plan import Plan, Route
from geopar.replanning.changes import changes
from geopar.replanning.rest import rest_of_day
from geopar.replanning.telling import change_line, standing, summary_lines


@pytest.fixture
def rest(square):
    """Red has served east and goes on to north; blue waits for nobody and has south and west."""
    plan = Plan.from_indices(square, [[[0, 1]], [[3], [2]]])
    return rest_of_day(square, plan, 1.2)


def lines(rest, **routes):
    new = Plan("hcvrp", tuple(Route(name, trips) for name, trips in routes.items()))
    return {one.vehicle: change_line(rest.day, one) for one in changes(rest, new)}


def test_nothing_changes(rest):
    told = lines(rest, red=(("north",),), blue=(("west",),))
    assert told == {"red": "as before; done at 3.414", "blue": "as before; done at 4"}


def test_a_stop_goes_from_one_to_the_other(rest):
    told = lines(rest, red=(("north",), ("west",)), blue=())
    assert told["red"] == "gets west from blue; done at 5.414 instead of 3.414"
    assert told["blue"] == "gives west to red; nothing to do any more"


def test_a_stop_is_left_out_or_in_another_order(square):
    plan = Plan.from_indices(square, [[[0, 1, 2, 3]], []])
    rest = rest_of_day(square, plan, 1.2)
    told = lines(rest, red=(("south", "north"),))
    assert told["red"].startswith("leaves out west; the rest in another order; done at ")
    told = lines(rest, red=(("north", "south", "west"),))
    assert told["red"].startswith("the same, in another order; done at ")


def test_words_and_where_everybody_is(rest, square):
    assert summary_lines(rest) == ["At 1.2 2 customers are served, and 2 are left."]
    red, blue = standing(rest)
    assert red["said"] == "on the way to north, there at 2.414"
    assert blue["said"] == "on the way to the depot, there at 2"
    plan = Plan.from_indices(square, [[[0, 1]], [[3], [2]]])
    gone = rest_of_day(square, plan, 1.2, out_of_service=["red"], cancelled=["west"])
    assert summary_lines(gone)[1] == "Cancelled: west."
    assert standing(gone)[0]["said"] == (
        "out of service, last at east; 1 customer on board, to be had at the depot from 2.2"
    )
