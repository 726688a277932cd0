import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from geopar.compiled.jit import compiled
from geopar.compiled.shortlist import insert


@compiled(allocates=True)
def shortlist(values, keys, items):
    count = 0
    for i in range(values.shape[0]):
        count = insert(keys, items, count, values[i], i)
    return count


@given(st.lists(st.integers(-5, 5), max_size=12), st.integers(1, 5))
def test_the_least_come_first_and_of_equals_the_earlier(values, size):
    keys, items = np.empty(size), np.full(size, -1)
    count = shortlist(np.array(values, dtype=float), keys, items)
    expected = sorted(range(len(values)), key=values.__getitem__)[:size]
    assert count == len(expected)
    assert items[:count].tolist() == expected
    assert keys[:count].tolist() == [values[i] for i in expected]


def test_a_list_without_places_stays_empty():
    assert shortlist(np.empty(0), np.empty(3), np.zeros(3, dtype=np.int64)) == 0
