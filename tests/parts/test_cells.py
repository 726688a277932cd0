import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from geopar.parts.cells import cells


@given(st.integers(1, 200), st.integers(1, 12), st.floats(0.0, 4.0), st.integers(0, 99))
def test_each_cell_has_about_as_many(points: int, count: int, angle: float, seed: int) -> None:
    places = np.random.default_rng(seed).uniform(size=(points, 2))
    sizes = np.bincount(cells(places, count, angle), minlength=count)
    assert sizes.sum() == points
    assert len(sizes) == count
    assert sizes.max() - sizes.min() <= 1 + np.log2(count)


def test_neighbours_stay_together() -> None:
    clusters = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0], [9.0, 9.0]], 5, axis=0)
    places = clusters + np.random.default_rng(3).uniform(size=clusters.shape)
    cell = cells(places, 4, 0.0).reshape(4, 5)
    assert (cell == cell[:, :1]).all()
    assert len(set(cell[:, 0])) == 4


def test_a_turn_makes_other_cells() -> None:
    places = np.random.default_rng(3).uniform(size=(50, 2))
    assert (cells(places, 2, 0.0) != cells(places, 2, 1.0)).any()
