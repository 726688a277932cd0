import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geopar.search.nearest import hilbert_rank, leaf_near, nearest, open_tasks, take

RNG = np.random.default_rng


def by_looking_at_all(places, demand, open_, x, y, room):
    """The squared distance to the nearest open task that fits, infinite if there is none."""
    squared = ((places - (x, y)) ** 2).sum(axis=1)
    return np.where(open_ & (demand <= room), squared, np.inf).min()


@pytest.mark.parametrize(
    "places",
    [
        RNG(0).random((1, 2)),
        RNG(0).random((2, 2)),
        RNG(1).random((65, 2)),
        RNG(2).integers(0, 4, (64, 2)).astype(float),
        10.0 ** RNG(3).uniform(-6, 12, (100, 2)),
        np.zeros((33, 2)),
    ],
    ids=["one", "two", "uniform", "grid", "decades", "equal"],
)
def test_finds_what_looking_at_all_finds_until_all_are_taken(places):
    rng = RNG(7)
    demand = rng.integers(0, 5, len(places)).astype(float)
    tree = open_tasks(places, demand)
    open_ = np.ones(len(places), dtype=bool)
    while open_.any():
        x, y = places[rng.integers(len(places))] * rng.choice([0.0, 1.0, 1.01])
        room = float(rng.integers(-1, 5))
        expected = by_looking_at_all(places, demand, open_, x, y, room)
        task = nearest(tree, x, y, room)
        if np.isinf(expected):
            assert task == -1
            task = int(np.flatnonzero(open_)[0])
        else:
            assert open_[task]
            assert demand[task] <= room
            assert ((places[task] - (x, y)) ** 2).sum() == pytest.approx(expected, rel=1e-12)
        take(tree, task)
        open_[task] = False
    assert nearest(tree, 0.0, 0.0, np.inf) == -1


@given(st.lists(st.tuples(*[st.integers(0, 7)] * 2), min_size=1, max_size=40), st.integers(0, 7))
def test_any_places(cells, x):
    places = np.array(cells, dtype=float)
    tree = open_tasks(places, np.ones(len(places)))
    task = nearest(tree, float(x), 3.0, 1.0)
    distance = np.hypot(*(places - (x, 3.0)).T)
    assert distance[task] == distance.min()


def test_what_is_near_is_open_and_hardly_farther_than_the_nearest():
    rng = RNG(8)
    places = rng.random((100, 2))
    tree = open_tasks(places, np.ones(100))
    away = np.zeros((3, 100))
    for task in rng.permutation(100):
        x, y = rng.random(2)
        leaf = leaf_near(tree, x, y)
        assert tree.least[leaf] == 1.0
        tasks = tree.task[leaf], nearest(tree, x, y, 1.0), rng.integers(100)
        away[:, task] = np.hypot(*(places[list(tasks)] - (x, y)).T)
        take(tree, task)
    near, nearest_of_all, any_one = away.mean(axis=1)
    assert near < nearest_of_all + 0.2 * (any_one - nearest_of_all)


def test_the_hilbert_curve_walks_through_a_grid_step_by_step():
    cells = np.array([(x, y) for x in range(16) for y in range(16)], dtype=float)
    walk = cells[np.argsort(hilbert_rank(cells))]
    assert (np.abs(np.diff(walk, axis=0)).sum(axis=1) == 1).all()
