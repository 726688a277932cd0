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

from geopar.compiled.jit import inner
from geopar.compiled.registers import add_scaled, get, larger, load, spread, store

ROWS, COLUMNS = 4, 16
SPARE = ROWS - 1
# What no number is below, and what ReLUs let pass.
LOWEST, ZERO = np.float32(-np.inf), np.float32(0.0)


@inner
def load_rows(base: Any, b0: int, b1: int, b2: int, b3: int) -> Any:
    """Sixteen numbers from each of four places on."""
    return (
        load(base, b0), load(base, b0 + 8), load(base, b1), load(base, b1 + 8),
        load(base, b2), load(base, b2 + 8), load(base, b3), load(base, b3 + 8),
    )  # fmt: skip


@inner
def add_product(
    rows: Any, x: Any, begin: int, stride: int, depth: int, weight: Any, at: int, by: int
) -> Any:
    """Add to four rows the product of four rows of x with sixteen columns of a weight.

    Parameters
    ----------
    rows
        As :func:`load_rows` gives them.
    x, begin, stride
        The inputs, where the first row of them begins, and how far it is to the next.
    depth
        How many inputs a row has.
    weight, at, by
        The weight, where its first row begins, and how far it is to the next.
    """
    p0, q0, p1, q1, p2, q2, p3, q3 = rows
    for f in range(begin, begin + depth):
        p, q = load(weight, at), load(weight, at + 8)
        at += by
        v = get(x, f)
        p0, q0 = add_scaled(p0, v, p), add_scaled(q0, v, q)
        v = get(x, f + stride)
        p1, q1 = add_scaled(p1, v, p), add_scaled(q1, v, q)
        v = get(x, f + 2 * stride)
        p2, q2 = add_scaled(p2, v, p), add_scaled(q2, v, q)
        v = get(x, f + 3 * stride)
        p3, q3 = add_scaled(p3, v, p), add_scaled(q3, v, q)
    return p0, q0, p1, q1, p2, q2, p3, q3


@inner
def _store_rows(rows: Any, least: Any, y: Any, to: int, stride: int) -> None:
    """Put four rows there; what is below the least becomes that."""
    p0, q0, p1, q1, p2, q2, p3, q3 = rows
    store(y, to, larger(p0, least))
    store(y, to + 8, larger(q0, least))
    store(y, to + stride, larger(p1, least))
    store(y, to + stride + 8, larger(q1, least))
    store(y, to + 2 * stride, larger(p2, least))
    store(y, to + 2 * stride + 8, larger(q2, least))
    store(y, to + 3 * stride, larger(p3, least))
    store(y, to + 3 * stride + 8, larger(q3, least))


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
            b0, b1 = get(owner, i) * from_stride + h, get(owner, i + 1) * from_stride + h
            b2, b3 = get(owner, i + 2) * from_stride + h, get(owner, i + 3) * from_stride + h
            rows = load_rows(base, b0, b1, b2, b3)
            begin = (x_row + i) * stride
            rows = add_product(rows, x, begin, stride, depth, weight, h * depth, COLUMNS)
            _store_rows(rows, floor, y, (y_row + i) * to_stride + h, to_stride)


@inner
def multiply_rows(
    x: Any, x_row: int, weight: Any, depth: int, count: int, y: Any, y_row: int
) -> None:
    """Rows of y become rows of x times the first rows of a weight that is not in panels."""
    stride, to_stride, width = x.shape[1], y.shape[1], weight.shape[1]
    zero, floor = spread(ZERO), spread(LOWEST)
    for i in range(0, count, ROWS):
        begin = (x_row + i) * stride
        for h in range(0, width, COLUMNS):
            rows = zero, zero, zero, zero, zero, zero, zero, zero
            rows = add_product(rows, x, begin, stride, depth, weight, h, width)
            _store_rows(rows, floor, y, (y_row + i) * to_stride + h, to_stride)


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
