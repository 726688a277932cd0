import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from geopar.compiled.jit import compiled
from geopar.pointer.observation import MOST_COMPARED, count_less, fill_up, squash


@compiled(allocates=True)
def squashed(x):
    return squash(x)


@compiled(allocates=True)
def counted(values, counts):
    count_less(values, counts)


@compiled(allocates=True)
def filled(row, count, used):
    fill_up(row, count, used)


def test_squash_keeps_sign_and_order():
    assert [squashed(x) for x in (-3.0, 0.0, 1.0)] == [-0.75, 0.0, 0.5]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=2 * MOST_COMPARED))
@settings(deadline=None)
def test_how_many_are_less(values):
    counts = np.empty(len(values), dtype=np.int64)
    counted(np.array(values, dtype=float), counts)
    assert counts.tolist() == [sum(other < value for other in values) for value in values]


def test_rows_are_filled_up_with_other_tasks_each_once():
    row, used = np.array([1, 4, -1, -1, -1]), np.zeros(8, dtype=np.bool_)
    filled(row, 2, used)
    assert row.tolist() == [1, 4, 0, 2, 3]
    assert not used.any()
