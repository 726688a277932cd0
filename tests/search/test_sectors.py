"""Neighbours on every side, against a slow and simple count."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from geopar.search import sectors
from geopar.search.sectors import AROUND, NEAREST, SECTORS, neighbours_on_every_side

GRID = st.integers(-20, 20).map(float)


def sector(dx: float, dy: float) -> int:
    """Which eighth of the circle, told by three comparisons."""
    return 4 * (dy < 0.0) + 2 * (dx < 0.0) + (abs(dy) > abs(dx))


def simple(places: np.ndarray, c: int) -> list[float]:
    """How far the neighbours of ``c`` are, by the rule as it is told."""
    others = sorted((math.dist(places[c], places[k]), k) for k in range(len(places)) if k != c)
    taken, left = others[:NEAREST], others[NEAREST:]
    for _ in range(min(AROUND, len(left))):
        count = [0] * SECTORS
        for _, k in taken:
            count[sector(*(places[k] - places[c]))] += 1
        chosen = min(left, key=lambda one: (count[sector(*(places[one[1]] - places[c]))], one[0]))
        taken.append(chosen)
        left.remove(chosen)
    return sorted(far for far, _ in taken)


@settings(deadline=None, max_examples=60)
@given(arrays(float, st.tuples(st.integers(1, 45), st.just(2)), elements=GRID, unique=False))
def test_neighbours_are_as_near_as_the_rule_has_them(places: np.ndarray) -> None:
    near, away = neighbours_on_every_side(places)
    assert near.shape == (len(places), min(NEAREST + AROUND, len(places) - 1))
    for c in range(len(places)):
        assert len(set(near[c])) == len(near[c])
        assert c not in near[c]
        # Of a tie any may be taken, and then sectors fill differently: those apart are compared.
        told = [math.dist(places[c], places[k]) for k in near[c]]
        assert away[c] == pytest.approx(told, abs=1e-12)
        assert (np.diff(away[c]) >= 0.0).all()
        nearest = sorted(math.dist(places[c], p) for i, p in enumerate(places) if i != c)
        assert away[c][:NEAREST] == pytest.approx(nearest[:NEAREST], abs=1e-12)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 1000), st.integers(26, 90))
def test_sectors_fill_evenly(seed: int, count: int) -> None:
    places = np.random.default_rng(seed).random((count, 2))
    _, away = neighbours_on_every_side(places)
    for c in range(count):
        assert away[c] == pytest.approx(simple(places, c), abs=1e-12)


def test_a_cluster_sees_beyond_itself() -> None:
    rng = np.random.default_rng(3)
    centres = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0], [-9.0, -7.0]])
    places = np.concatenate([centre + 0.1 * rng.standard_normal((30, 2)) for centre in centres])
    near, _ = neighbours_on_every_side(places)
    cluster = np.arange(len(places)) // 30
    beyond = cluster[near] != cluster[:, None]
    # Inside, most directions lead to the own cluster first; from the rim they lead away.
    assert beyond.any(axis=1).mean() > 0.5
    joined = {(cluster[c], cluster[k]) for c in range(len(places)) for k in near[c][beyond[c]]}
    assert all(len({b for a, b in joined if a == one}) >= 2 for one in range(len(centres)))


@pytest.mark.parametrize("count", [300, 1200])
def test_of_many_the_nearest_and_some_on_all_sides(count: int) -> None:
    rng = np.random.default_rng(count)
    places = np.repeat(rng.random((count // 60, 2)), 60, axis=0) + 1e-3 * rng.random((count, 2))
    near, away = neighbours_on_every_side(places)
    gaps = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.testing.assert_allclose(np.take_along_axis(gaps, near.astype(np.int64), 1), away)
    np.fill_diagonal(gaps, np.inf)
    np.testing.assert_allclose(np.sort(gaps, axis=1)[:, :NEAREST], away[:, :NEAREST])
    assert all(len(set(row)) == NEAREST + AROUND for row in near.tolist())
    assert not (near == np.arange(count)[:, None]).any()
    # Clusters of 60 are more than the 40 nearest: who is beyond was found by the samples.
    assert (near // 60 != np.arange(count)[:, None] // 60).any(axis=1).mean() > 0.3


def test_of_very_many_the_nearest_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sectors, "VERY_MANY", 100)
    places = np.random.default_rng(0).random((150, 2))
    near, away = neighbours_on_every_side(places)
    gaps = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.fill_diagonal(gaps, np.inf)
    np.testing.assert_allclose(np.sort(gaps, axis=1)[:, : near.shape[1]], away)


def test_all_in_one_place() -> None:
    near, away = neighbours_on_every_side(np.ones((30, 2)))
    assert near.shape == (30, NEAREST + AROUND)
    assert (away == 0.0).all()
    assert all(len(set(row)) == len(row) and c not in row for c, row in enumerate(near.tolist()))
