import numpy as np
import pytest
from matplotlib.quiver import Quiver

from geopar.plotting import arrows
from geopar.plotting.arrows import draw_arrows
from geopar.plotting.style import axes_or_new, rgb

LONG = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 5.0], [1.0, 5.0]])
SHORT = np.array([[2.0, 2.0], [2.0, 3.0]])
SHADES = [rgb("#0072b2"), rgb("#d55e00")]


def heads(num_tasks: int, paths=(LONG, SHORT)) -> list[tuple[float, float]]:
    """Where arrowheads are, and the ways they point."""
    ax = axes_or_new(None)
    draw_arrows(ax, list(paths), list(paths), SHADES[: len(paths)], num_tasks)
    found = [c for c in ax.collections if isinstance(c, Quiver)]
    if not found:
        return []
    (quiver,) = found
    assert np.hypot(quiver.U, quiver.V) == pytest.approx(np.ones(len(quiver.U)))
    return list(zip(quiver.U.tolist(), quiver.V.tolist(), strict=True))


def test_every_leg_has_one_but_those_without_a_length():
    assert heads(4) == [(1.0, 0.0), (0.0, 1.0), (0.0, 1.0)]


def test_of_many_tasks_only_the_longest_leg_of_each_trip_has_one():
    assert heads(arrows.MOST_TASKS_WITH_ALL_ARROWS + 1) == [(0.0, 1.0), (0.0, 1.0)]


def test_of_very_many_trips_none_has(monkeypatch):
    monkeypatch.setattr(arrows, "MOST_TRIPS_WITH_ARROWS", 1)
    assert heads(arrows.MOST_TASKS_WITH_ALL_ARROWS + 1) == []


def test_nothing_to_point_at():
    assert heads(4, ()) == []
    assert heads(4, (np.zeros((3, 2)),)) == []
    assert heads(1000, (np.zeros((1, 2)),)) == []
