import numpy as np
import pytest
from matplotlib.collections import LineCollection, PolyCollection

from geopar.checking import check
from geopar.plan import Plan, Route
from geopar.plotting import plot_plan, plot_schedule
from geopar.plotting.schedule import MOST_NAMED, MOST_TASKS_TICKED
from geopar.problems.day import Day
from geopar.problems.setting import Setting
from strategies import random_plan


def a_plan(problem) -> Plan:
    return random_plan(problem, np.random.default_rng(0))


def pieces(ax) -> list[tuple[float, float, float]]:
    """Row, begin and end of each piece."""
    return boxes(next(c for c in ax.collections if isinstance(c, PolyCollection)))


def boxes(bars: PolyCollection) -> list[tuple[float, float, float]]:
    corners = [path.vertices for path in bars.get_paths()]
    return [
        (c[:, 1].mean().round(6), c[:, 0].min(), c[:, 0].max()) for c in (v[:4] for v in corners)
    ]


def test_bars_end_when_vehicles_are_done(any_problem):
    plan = a_plan(any_problem)
    ax = plot_schedule(any_problem, plan)
    ax.figure.draw_without_rendering()
    done = np.zeros(any_problem.num_vehicles)
    for row, _, end in pieces(ax):
        done[int(row)] = max(done[int(row)], end)
    assert done == pytest.approx(check(any_problem, plan).completion)


def test_trips_follow_each_other(two_speeds):
    plan = Plan("hcvrp", (Route("fast", (("far",), ("near",))),))
    ax = plot_schedule(two_speeds, plan)
    assert pieces(ax) == [(0, 0, 2), (0, 2, 3)]
    (ticks,) = [c for c in ax.collections if isinstance(c, LineCollection)]
    assert [tick[0][0] for tick in ticks.get_segments()] == [1.0, 2.5]
    assert ax.get_title(loc="left") == "fast is home last, at 3; fleet 50% busy"


def test_a_line_marks_the_end(any_problem):
    plan = a_plan(any_problem)
    ax = plot_schedule(any_problem, plan)
    latest = check(any_problem, plan).completion.max()
    assert ax.lines[0].get_xdata()[0] == pytest.approx(latest)


def test_legs_are_darker_with_more_on_board(one_order):
    ax = plot_schedule(one_order, a_plan(one_order))
    (bars,) = [c for c in ax.collections if isinstance(c, PolyCollection)]
    empty, laden = bars.get_facecolor()[:, :3].sum(axis=1)
    assert laden < empty


def test_deliveries_are_dots(corridor):
    plan = a_plan(corridor)
    ax = plot_schedule(corridor, plan)
    assert len(ax.collections[-1].get_offsets()) == 3
    assert "dots are deliveries" in ax.get_xlabel()


def test_vehicles_are_named_in_the_order_of_the_problem(square):
    ax = plot_schedule(square, a_plan(square))
    assert [text.get_text() for text in ax.get_yticklabels()] == ["red", "blue"]


@pytest.mark.parametrize("kind", ["hcvrp", "omdcpdp"])
def test_large_fleets_are_sorted_and_not_named(kind):
    problem = Setting(kind, MOST_TASKS_TICKED + 2, MOST_NAMED + 5).generate(
        np.random.default_rng(0)
    )
    plan = a_plan(problem)
    ax = plot_schedule(problem, plan)
    done = np.zeros(problem.num_vehicles)
    for row, _, end in pieces(ax):
        done[int(row)] = max(done[int(row)], end)
    assert done == pytest.approx(np.sort(check(problem, plan).completion)[::-1])
    assert list(ax.get_yticks()) == []
    assert "45 vehicles" in ax.get_ylabel()
    assert "dots" not in ax.get_xlabel()


def test_empty_plans_and_standing_still(any_problem, square):
    plot_schedule(any_problem, Plan(any_problem.kind, ())).figure.draw_without_rendering()
    nowhere = square.replace(customers=np.zeros((4, 2)))
    ax = plot_schedule(nowhere, a_plan(nowhere))
    ax.figure.draw_without_rendering()
    assert "at 0; fleet 0% busy" in ax.get_title(loc="left")


def test_units_are_named(town, island):
    assert plot_schedule(town, a_plan(town)).get_xlabel() == "time, hours"
    assert plot_schedule(island, a_plan(island)).get_xlabel().startswith("distance driven, km")


def test_days_with_a_clock_are_drawn_by_it(two_speeds):
    day = Day(clock="HH:MM", available=[(8.0, 18.0), (8.0, 18.0)])
    problem = two_speeds.replace(day=day)
    plan = Plan("hcvrp", (Route("fast", (("far",), ("near",))),))
    ax = plot_schedule(problem, plan)
    ax.figure.draw_without_rendering()
    ticks = [label.get_text() for label in ax.get_xticklabels()]
    assert "08:00" in ticks
    assert "09:30" in ticks
    assert ax.get_xlabel() == "time of day"
    assert "at 11:00" in ax.get_title(loc="left")


def test_the_map_of_such_a_day_tells_lengths_in_words(two_speeds):
    day = Day(clock="HH:MM", available=[(8.0, 18.0), (8.0, 18.0)])
    plan = Plan("hcvrp", (Route("fast", (("far",), ("near",))),))
    ax = plot_plan(two_speeds.replace(day=day), plan)
    assert ax.get_title(loc="left").endswith("makespan 3 h")
    assert "fast (2 trips, 11:00)" in [text.get_text() for text in ax.get_legend().get_texts()]


def test_waiting_is_a_stripe(two_speeds):
    plan = Plan("hcvrp", (Route("fast", (("far",), ("near",))),))
    day = Day(windows=[[(0.0, 1.0)], [(4.0, 9.0)]])
    ax = plot_schedule(two_speeds.replace(day=day), plan)
    bars, stripes = [c for c in ax.collections if isinstance(c, PolyCollection)]
    assert boxes(stripes) == [(0, 2.5, 4.0)]
    assert boxes(bars) == [(0, 0, 2), (0, 2, 4.5)]
    assert ax.get_xlabel().endswith("; pale stripes are waiting")
    assert "waiting" not in plot_schedule(two_speeds, plan).get_xlabel()


def test_couriers_wait_too(corridor):
    problem = corridor.replace(day=Day(windows=[[(0.0, 2.0)], *[[(30.0, 99.0)]] * 5]))
    ax = plot_schedule(problem, a_plan(problem))
    assert "waiting" in ax.get_xlabel()
