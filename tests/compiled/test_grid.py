import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geopar.compiled.grid import fill, nearest_in_grid, nearest_of_all, new_grid
from geopar.compiled.jit import compiled


@compiled(allocates=True)
def by_grid(points, listed, count, place, load, room, keys, found):
    grid = new_grid(count)
    fill(grid, points, listed, count)
    return nearest_in_grid(grid, points, place[0], place[1], load, room, keys, found)


@compiled(allocates=True)
def one_by_one(points, listed, count, place, load, room, keys, found):
    return nearest_of_all(listed, count, points, place[0], place[1], load, room, keys, found)


@compiled(allocates=True)
def cells_of(points, listed, count):
    grid = new_grid(count)
    fill(grid, points, listed, count)
    return grid.shape, grid.first, grid.member


def nearest(points, listed, place, load, room, size):
    fits = [j for j in listed if load[j] <= room]
    return sorted(fits, key=lambda j: float(((points[j] - place) ** 2).sum()))[:size]


@pytest.mark.parametrize("way", [by_grid, one_by_one])
@given(
    seed=st.integers(0, 1000), count=st.integers(1, 60), size=st.integers(1, 9),
    stretch=st.sampled_from([1.0, 0.0, 1e-3, 50.0]),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_the_nearest_that_fit_are_found(way, seed, count, size, stretch):
    chance = np.random.default_rng(seed)
    points = chance.random((80, 2)) * (1.0, stretch)
    listed, load = chance.permutation(80)[:count], chance.random(80)
    place = chance.random(2) * 3.0 - 1.0
    keys, found = np.empty(size), np.empty(size, dtype=np.int64)
    n = way(points, listed, count, place, load, 0.7, keys, found)
    expected = nearest(points, listed, place, load, 0.7, size)
    assert n == len(expected)
    distances = ((points[expected] - place) ** 2).sum(-1)
    np.testing.assert_allclose(keys[:n], distances)
    assert set(found[:n].tolist()) == set(expected)


def test_every_point_is_in_one_cell():
    points = np.random.default_rng(1).random((30, 2))
    listed = np.arange(3, 25)
    shape, first, member = cells_of(points, listed, 22)
    cells = int(shape[3] * shape[4])
    assert first[cells] == 22
    assert sorted(member.tolist()) == listed.tolist()
    for cell in range(cells):
        for j in member[first[cell] : first[cell + 1]]:
            column, row = ((points[j] - shape[:2]) / shape[2]).astype(int)
            assert cell == row * int(shape[3]) + column
