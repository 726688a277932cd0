import math
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geopar.search import neighbours
from geopar.search.neighbours import nearest_others

CORNERS = st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 2)), min_size=1)


@given(
    CORNERS, st.integers(1, 6), st.integers(1, 100), st.sampled_from([1, 3, 10_000]), st.booleans()
)
def test_the_nearest_are_others_and_none_that_is_left_out_is_nearer(
    points, most, rows, piece, in_haste
):
    xy = np.array(points, dtype=float)
    rows = min(rows, len(xy))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbours, "PIECE", piece)
        patch.setattr(neighbours, "HASTE", 0 if in_haste else 1000)
        near, found = nearest_others(xy, most, rows)
    assert near.shape == found.shape == (rows, min(most, len(xy) - 1))
    for c, row in enumerate(near.tolist()):
        others = sorted(math.dist(xy[c], xy[k]) for k in range(len(xy)) if k != c)
        assert found[c].tolist() == pytest.approx(others[: len(row)])
        assert [math.dist(xy[c], xy[k]) for k in row] == pytest.approx(found[c].tolist())
        assert c not in row
        assert len(set(row)) == len(row)


def test_it_can_be_given_up_between_two_pieces(monkeypatch):
    monkeypatch.setattr(neighbours, "PIECE", 10)
    calls = []

    def pause():
        calls.append(1)
        if len(calls) == 3:
            raise InterruptedError
        return 1.0

    with pytest.raises(InterruptedError):
        nearest_others(np.random.default_rng(0).random((100, 2)), 4, pause=pause)
    assert len(calls) == 3


def test_it_can_be_given_up_while_the_tree_is_built(monkeypatch):
    ready = threading.Event()

    def slow(places):
        ready.wait(60.0)
        return neighbours.cKDTree(places)

    monkeypatch.setattr(neighbours, "HASTE", 10)
    monkeypatch.setattr(neighbours, "POLL", 0.001)
    monkeypatch.setattr(neighbours, "_built", slow)
    calls = []

    def pause():
        calls.append(1)
        if len(calls) == 5:
            raise InterruptedError
        return 1.0

    with pytest.raises(InterruptedError):
        nearest_others(np.random.default_rng(0).random((100, 2)), 4, pause=pause)
    ready.set()


def test_a_tree_for_which_there_is_no_memory_is_told_of(monkeypatch):
    def fails(places):
        raise MemoryError("no room for it")

    monkeypatch.setattr(neighbours, "HASTE", 10)
    monkeypatch.setattr(neighbours, "_built", fails)
    with pytest.raises(MemoryError, match="no room for it"):
        nearest_others(np.random.default_rng(0).random((100, 2)), 4)
