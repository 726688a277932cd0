import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.quiver import Quiver

from geopar.errors import InputError
from geopar.plan import Plan, Route
from geopar.plotting import plot_plan
from geopar.plotting.plan import MOST_IN_LEGEND
from geopar.problems.day import Day
from geopar.problems.setting import Setting
from strategies import random_plan


def a_plan(problem) -> Plan:
    return random_plan(problem, np.random.default_rng(0))


def legend_texts(ax) -> list[str]:
    legend = ax.get_legend()
    return [text.get_text() for text in legend.get_texts()] if legend else []


def paths(ax) -> list[np.ndarray]:
    """The lines drawn through tasks: those on top."""
    lines = [c for c in ax.collections if isinstance(c, LineCollection)]
    return max(lines, key=lambda c: c.get_zorder()).get_segments()


def test_every_tiny_problem(any_problem):
    ax = plot_plan(any_problem, a_plan(any_problem))
    ax.figure.draw_without_rendering()
    assert "not feasible" not in ax.get_title(loc="left")


def test_trips_are_drawn_in_their_order(square):
    plan = Plan("hcvrp", (Route("red", (("north", "east"), ("west",))), Route("blue", ())))
    ax = plot_plan(square, plan)
    assert [path.tolist() for path in paths(ax)] == [[[0, 1], [1, 0]], [[-1, 0]]]


def test_tours_begin_at_the_start(corridor):
    ax = plot_plan(corridor, a_plan(corridor))
    starts = {tuple(path[0]) for path in paths(ax)}
    assert starts <= {(0.0, 0.0), (10.0, 0.0)}


def test_the_objective_is_the_title(square, island):
    plan = Plan("hcvrp", (Route("red", (("east", "north"),)), Route("blue", (("west", "south"),))))
    assert plot_plan(square, plan).get_title(loc="left") == "square: makespan 3.41421"
    assert plot_plan(island, a_plan(island)).get_title(loc="left").endswith(" km")


def test_legend_by_vehicle(square):
    plan = Plan("hcvrp", (Route("red", (("east", "north"), ("west", "south"))),))
    assert legend_texts(plot_plan(square, plan)) == ["red (2 trips, 6.828)", "blue (idle)"]


def test_no_legend_of_large_fleets():
    problem = Setting("hcvrp", 20, MOST_IN_LEGEND + 1).generate(np.random.default_rng(0))
    assert legend_texts(plot_plan(problem, a_plan(problem))) == []
    problem = Setting("omdcpdp", 20, MOST_IN_LEGEND + 1).generate(np.random.default_rng(0))
    assert legend_texts(plot_plan(problem, a_plan(problem))) == ["pickup", "delivery", "start"]


@pytest.mark.parametrize("name", ["hcvrp/250/5", "omdcpdp/250/5", "hcvrp/1800/300"])
def test_fewer_arrows_when_there_is_more_to_see(name):
    problem = Setting.parse(name).generate(np.random.default_rng(0))
    plan = a_plan(problem)
    ax = plot_plan(problem, plan)
    arrows = [c for c in ax.collections if isinstance(c, Quiver)]
    trips = sum(len(trip) > 1 for route in plan.routes for trip in route.trips)
    if name == "hcvrp/1800/300":
        assert not arrows
    else:
        assert sum(arrow.N for arrow in arrows) == trips


def test_a_plan_with_mistakes_is_drawn_with_them(square):
    plan = Plan("hcvrp", (Route("red", (("east", "moon"),)), Route("green", (("south",),))))
    ax = plot_plan(square, plan)
    assert ax.get_title(loc="left").startswith("square: not feasible: ")
    crossed = ax.collections[-1].get_offsets()
    # South is served, but by a vehicle that does not exist.
    assert np.asarray(crossed).tolist() == [[0, 1], [-1, 0], [0, -1]]
    ax.figure.draw_without_rendering()


def test_an_empty_plan(any_problem):
    ax = plot_plan(any_problem, Plan(any_problem.kind, ()))
    ax.figure.draw_without_rendering()
    assert len(ax.collections[-1].get_offsets()) == any_problem.num_tasks


def test_a_wrong_claim_is_no_matter_here(square):
    plan = a_plan(square).with_objective(-1.0)
    assert "not feasible" not in plot_plan(square, plan).get_title(loc="left")


def test_a_plan_of_the_other_problem(square, corridor):
    with pytest.raises(InputError, match="wrong-problem"):
        plot_plan(square, a_plan(corridor))


def test_tours_cut_in_two_are_one_line(corridor):
    plan = a_plan(corridor)
    cut = Plan("omdcpdp", tuple(Route(r.vehicle, (r.tasks[:1], r.tasks[1:])) for r in plan.routes))
    whole = [path.tolist() for path in paths(plot_plan(corridor, plan))]
    assert [path.tolist() for path in paths(plot_plan(corridor, cut))] == whole


def test_all_places_equal(square):
    nowhere = square.replace(customers=np.zeros((4, 2)))
    plot_plan(nowhere, a_plan(nowhere)).figure.draw_without_rendering()


def test_two_trips_of_one_vehicle_differ_in_shade(two_speeds):
    plan = Plan("hcvrp", (Route("fast", (("far",), ("near",))),))
    ax = plot_plan(two_speeds, plan)
    lines = [c for c in ax.collections if isinstance(c, LineCollection)][-1]
    first, second = lines.get_colors()
    assert first.tolist() != second.tolist()


def test_who_is_under_way_goes_on_from_where_it_is(square):
    day = Day(start=[(2, 2), (np.nan, np.nan)], on_board=[[0], []])
    plan = Plan("hcvrp", (Route("red", (("east",), ("north",))), Route("blue", (("west",),))))
    ax = plot_plan(square.replace(day=day), plan)
    outer = min((c for c in ax.collections if isinstance(c, LineCollection)),
                key=lambda c: c.get_zorder()).get_segments()  # fmt: skip
    assert outer[0].tolist() == [[2, 2], [1, 0]]
    assert outer[2].tolist() == [[0, 0], [0, 1]]
    squares = [c for c in ax.collections if len(c.get_offsets()) == 1 and c.get_zorder() == 6]
    assert squares[0].get_offsets().tolist() == [[0, 0]]


def test_what_couriers_have_on_board_is_not_fetched_again(one_order):
    plan = Plan.from_indices(one_order, [[[0, 1]]])
    ax = plot_plan(one_order.replace(day=Day(on_board=[[0]])), plan)
    start, delivery = one_order.starts_xy[0].tolist(), one_order.tasks_xy[1].tolist()
    assert [path.tolist() for path in paths(ax)] == [[start, start, delivery]]
