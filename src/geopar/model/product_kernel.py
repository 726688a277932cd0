"""Matrix products of few rows in compiled loops, whose sums stay in registers.

Libraries are as fast only from hundreds of rows on, and share the work among threads when asked by
nobody. Rows are taken four at a time and columns sixteen: eight registers of sums keep a processor
busy that starts two products at a time and finishes each after four. Row counts are rounded up, so
arrays need :data:`SPARE` rows more than are asked for; numbers of columns must be multiples of
:data:`COLUMNS`, and inputs of transposed products multiples of :data:`ROWS`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from geopar.model.vectors import add_scaled, get, larger, load, spread, store
from geopar.search.compiled import inner

ROWS, COLUMNS = 4, 16
SPARE = ROWS - 1
# What no number is below, and what ReLUs let pass.
LOWEST, ZERO = np.float32(-np.inf), np.float32(0.0)


@inner
def multiply(
    x: Any, x_row: int, weight: Any, base: Any, owner: Any, count: int, y: Any, y_row: int,
    least: float,
) -> None:  # fmt: skip
    """Rows of y become rows of x times the weight, plus a row of the base.

    Parameters
    ----------
    x, x_row
        The inputs, and the first row of them.
    weight
        As :func:`panels` makes it.
    base, owner
        Row ``i`` begins with row ``owner[i]`` of the base.
    count
        Of rows.
    y, y_row
        The outputs, and the first row of them.
    least
        What is below becomes this. Done later in place, a ReLU would be made into masked stores,
        which some processors are slow at.
    """
    floor = spread(least)
    stride, to_stride, from_stride = x.shape[1], y.shape[1], base.shape[1]
    depth = weight.shape[1]
    # Sixteen columns of the weight stay in the nearest cache while all rows meet them.
    for panel in range(weight.shape[0]):
        h = panel * COLUMNS
        for i in range(0, count, ROWS):
            begin = (x_row + i) * stride
            b0, b1 = get(owner, i) * from_stride + h, get(owner, i + 1) * from_stride + h
            b2, b3 = get(owner, i + 2) * from_stride + h, get(owner, i + 3) * from_stride + h
            p0, q0 = load(base, b0), load(base, b0 + 8)
            p1, q1 = load(base, b1), load(base, b1 + 8)
            p2, q2 = load(base, b2), load(base, b2 + 8)
            p3, q3 = load(base, b3), load(base, b3 + 8)
            at = h * depth
            for f in range(begin, begin + depth):
                p, q = load(weight, at), load(weight, at + 8)
                at += COLUMNS
                v = get(x, f)
                p0, q0 = add_scaled(p0, v, p), add_scaled(q0, v, q)
                v = get(x, f + stride)
                p1, q1 = add_scaled(p1, v, p), add_scaled(q1, v, q)
                v = get(x, f + 2 * stride)
                p2, q2 = add_scaled(p2, v, p), add_scaled(q2, v, q)
                v = get(x, f + 3 * stride)
                p3, q3 = add_scaled(p3, v, p), add_scaled(q3, v, q)
            to = (y_row + i) * to_stride + h
            store(y, to, larger(p0, floor))
            store(y, to + 8, larger(q0, floor))
            store(y, to + to_stride, larger(p1, floor))
            store(y, to + to_stride + 8, larger(q1, floor))
            store(y, to + 2 * to_stride, larger(p2, floor))
            store(y, to + 2 * to_stride + 8, larger(q2, floor))
            store(y, to + 3 * to_stride, larger(p3, floor))
            store(y, to + 3 * to_stride + 8, larger(q3, floor))


@inner
def multiply_rows(
    x: Any, x_row: int, weight: Any, depth: int, count: int, y: Any, y_row: int
) -> None:
    """Rows of y become rows of x times the first rows of a weight that is not in panels."""
    stride, to_stride, width = x.shape[1], y.shape[1], weight.shape[1]
    for i in range(0, count, ROWS):
        begin = (x_row + i) * stride
        for h in range(0, width, COLUMNS):
            p0 = p1 = p2 = p3 = q0 = q1 = q2 = q3 = spread(ZERO)
            at = h
            for f in range(begin, begin + depth):
                p, q = load(weight, at), load(weight, at + 8)
                at += width
                v = get(x, f)
                p0, q0 = add_scaled(p0, v, p), add_scaled(q0, v, q)
                v = get(x, f + stride)
                p1, q1 = add_scaled(p1, v, p), add_scaled(q1, v, q)
                v = get(x, f + 2 * stride)
                p2, q2 = add_scaled(p2, v, p), add_scaled(q2, v, q)
                v = get(x, f + 3 * stride)
                p3, q3 = add_scaled(p3, v, p), add_scaled(q3, v, q)
            to = (y_row + i) * to_stride + h
            store(y, to, p0)
            store(y, to + 8, q0)
            store(y, to + to_stride, p1)
            store(y, to + to_stride + 8, q1)
            store(y, to + 2 * to_stride, p2)
            store(y, to + 2 * to_stride + 8, q2)
            store(y, to + 3 * to_stride, p3)
            store(y, to + 3 * to_stride + 8, q3)


@inner
def add_transposed(x: Any, x_row: int, y: Any, listed: Any, count: int, total: Any) -> None:
    """Add the product of x transposed with y to the total, ``(columns of x, columns of y)``.

    Row ``x_row + i`` of x meets row ``listed[i]`` of y.
    """
    stride, from_stride, width = x.shape[1], y.shape[1], total.shape[1]
    for j in range(0, total.shape[0], ROWS):
        for h in range(0, width, COLUMNS):
            t0 = j * width + h
            t1, t2, t3 = t0 + width, t0 + 2 * width, t0 + 3 * width
            p0, q0 = load(total, t0), load(total, t0 + 8)
            p1, q1 = load(total, t1), load(total, t1 + 8)
            p2, q2 = load(total, t2), load(total, t2 + 8)
            p3, q3 = load(total, t3), load(total, t3 + 8)
            f = x_row * stride + j
            for i in range(count):
                at = get(listed, i) * from_stride + h
                p, q = load(y, at), load(y, at + 8)
                v = get(x, f)
                p0, q0 = add_scaled(p0, v, p), add_scaled(q0, v, q)
                v = get(x, f + 1)
                p1, q1 = add_scaled(p1, v, p), add_scaled(q1, v, q)
                v = get(x, f + 2)
                p2, q2 = add_scaled(p2, v, p), add_scaled(q2, v, q)
                v = get(x, f + 3)
                p3, q3 = add_scaled(p3, v, p), add_scaled(q3, v, q)
                f += stride
            store(total, t0, p0)
            store(total, t0 + 8, q0)
            store(total, t1, p1)
            store(total, t1 + 8, q1)
            store(total, t2, p2)
            store(total, t2 + 8, q2)
            store(total, t3, p3)
            store(total, t3 + 8, q3)


def padded(count: int, multiple: int) -> int:
    """The next multiple."""
    return count + -count % multiple


def panels(weight: NDArray[np.float32]) -> NDArray[np.float32]:
    """``(inputs, outputs)`` as ``(outputs / 16, inputs, 16)``, so that reading goes straight on."""
    depth, width = weight.shape
    return np.ascontiguousarray(weight.reshape(depth, width // COLUMNS, COLUMNS).swapaxes(0, 1))


def skewed(width: int) -> int:
    """A row length at which rows do not compete for the same places of a cache."""
    return width + COLUMNS
