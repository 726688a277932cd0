import numpy as np
import pytest

from geopar.compiled.jit import compiled
from geopar.compiled.products import (
    LOWEST,
    SPARE,
    ZERO,
    add_transposed,
    multiply,
    padded,
    panels,
    skewed,
)


@compiled(allocates=True)
def product(x, row, weight, base, owner, count, y, to, least):
    multiply(x, row, weight, base, owner, count, y, to, least)


@compiled(allocates=True)
def transposed(x, row, y, listed, count, total):
    add_transposed(x, row, y, listed, count, total)


def numbers(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("least", [LOWEST, ZERO])
@pytest.mark.parametrize(("count", "depth", "width"), [(1, 3, 16), (4, 20, 32), (7, 64, 64)])
def test_rows_times_a_weight(count, depth, width, least):
    x, weight, base = (
        numbers(0, count + 2 + SPARE, depth),
        numbers(1, depth, width),
        numbers(2, 3, width),
    )
    owner = np.arange(count + SPARE) % 3
    y = np.full((count + 1 + SPARE, skewed(width)), 7.0, dtype=np.float32)
    product(x, 2, panels(weight), base, owner, count, y, 1, least)
    expected = np.maximum(x[2 : 2 + count] @ weight + base[owner[:count]], least)
    np.testing.assert_allclose(y[1 : 1 + count, :width], expected, rtol=1e-4, atol=1e-5)
    assert (y[0] == 7.0).all()
    assert (y[:, width:] == 7.0).all()


@pytest.mark.parametrize(("count", "inputs", "width"), [(1, 4, 16), (6, 20, 64), (9, 28, 32)])
def test_transposed_products_are_added(count, inputs, width):
    x, y, total = (
        numbers(0, count + 1, inputs),
        numbers(1, count + 3, skewed(width)),
        numbers(2, inputs, width),
    )
    listed = np.random.default_rng(3).permutation(count + 3)[:count]
    expected = total + x[1:].T @ y[listed, :width]
    transposed(x, 1, y, listed, count, total)
    np.testing.assert_allclose(total, expected, rtol=1e-4, atol=1e-5)


def test_padding():
    assert [padded(count, 4) for count in (0, 1, 4, 5)] == [0, 4, 4, 8]
