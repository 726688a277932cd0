import numpy as np

from geopar.plotting import plot_problem


def places(ax) -> set[tuple[float, float]]:
    """Where there is a mark, rounded."""
    marks = [collection.get_offsets() for collection in ax.collections]
    return {tuple(np.round(place, 6).tolist()) for mark in marks for place in np.asarray(mark)}


def rounded(points) -> set[tuple[float, float]]:
    return {tuple(point) for point in np.round(points, 6).tolist()}


def test_everything_is_on_the_map(any_problem):
    ax = plot_problem(any_problem)
    if any_problem.kind == "hcvrp":
        expected = rounded(any_problem.customers_xy) | rounded(any_problem.depot_xy[None])
    else:
        expected = rounded(any_problem.tasks_xy) | rounded(any_problem.starts_xy)
    assert expected <= places(ax)
    ax.figure.draw_without_rendering()


def test_title_counts(square, one_order):
    assert plot_problem(square).get_title(loc="left") == "square: 4 customers, 2 vehicles"
    assert plot_problem(one_order).get_title(loc="left") == "1 order, 1 vehicle"


def test_heavier_customers_are_larger(square):
    ax = plot_problem(square.replace(demand=[1, 2, 0, 0], capacity=[2, 2]))
    sizes = ax.collections[0].get_sizes()
    assert sizes[1] > sizes[0] > sizes[2] == sizes[3] > 0


def test_customers_without_demand(square):
    plot_problem(square.replace(demand=[0, 0, 0, 0])).figure.draw_without_rendering()


def test_units_are_named(town, square):
    assert plot_problem(town).get_xlabel() == "km east"
    assert plot_problem(square).get_xlabel() == ""
