import numpy as np
import pytest
from numba.core.errors import TypingError

from geopar.compiled import registers as v
from geopar.compiled.jit import compiled

A = np.array([1.0, -2.0, 0.0, 4.0, -5.0, 6.0, 7.0, -8.0], dtype=np.float32)
B = np.array([1.0, 3.0, 0.0, -4.0, -5.0, 5.0, 8.0, 2.0], dtype=np.float32)


@compiled(allocates=True)
def everything(a, b, out):
    x, y = v.load(a, 0), v.load(b, 0)
    v.store(out, 0, v.plus(x, y))
    v.store(out, 8, v.minus(x, y))
    v.store(out, 16, v.times(x, y))
    v.store(out, 24, v.add_scaled(x, np.float32(2.0), y))
    v.store(out, 32, v.larger(x, y))
    v.store(out, 40, v.where_positive(x, y))
    v.store(out, 48, v.where_equal(x, y, x))
    v.store(out, 56, v.spread(v.get(b, 3)))
    return v.added_up(x), v.signs(x)


def test_what_is_done_with_eight_numbers():
    out = np.zeros((8, 8), dtype=np.float32)
    total, bits = everything(A, B, out)
    expected = [
        A + B, A - B, A * B, A + 2 * B, np.maximum(A, B), np.where(A > 0, B, 0),
        np.where(A == B, A, 0), np.full(8, -4.0),
    ]  # fmt: skip
    np.testing.assert_array_equal(out, expected)
    assert total == A.sum()
    assert [bool(bits >> i & 1) for i in range(8)] == (A > 0).tolist()


def test_arrays_with_gaps_are_refused():
    with pytest.raises(TypingError, match="contiguous"):
        everything(np.zeros(16, dtype=np.float32)[::2], B, np.zeros((8, 8), dtype=np.float32))
