"""Matrix products of few rows in compiled loops, whose sums stay in registers.

Libraries are as fast only from hundreds of rows on, and share the work among threads when asked by
nobody. Rows are taken four at a time and columns sixteen: eight registers of sums keep a processor
busy that starts two products at a time and finishes each after four. Row counts are rounded up, so
arrays need :data:`SPARE` rows more than are asked for; numbers of columns must be multiples of
:data:`COLUMNS`, and inputs of transposed products multiples of :data:`ROWS`.
"""

from __future__ import annotations

from typing import Any

from geopar.model.vectors import add_scaled, get, load, store
from geopar.search.compiled import inner

ROWS, COLUMNS = 4, 16
SPARE = ROWS - 1


@inner
def multiply(
    x: Any, x_row: int, weight: Any, base: Any, owner: Any, count: int, y: Any, y_row: int
) -> None:
    """Rows of y become rows of x times the weight, plus a row of the base.

    Parameters
    ----------
    x, x_row
        The inputs, and the first row of them.
    weight
        ``(inputs, outputs)``.
    base, owner
        Row ``i`` begins with row ``owner[i]`` of the base.
    count
        Of rows.
    y, y_row
        The outputs, and the first row of them.
    """
    stride, depth, width = x.shape[1], weight.shape[0], weight.shape[1]
    for i in range(0, count, ROWS):
        begin = (x_row + i) * stride
        b0, b1 = owner[i] * width, owner[i + 1] * width
        b2, b3 = owner[i + 2] * width, owner[i + 3] * width
        for h in range(0, width, COLUMNS):
            p0, q0 = load(base, b0 + h), load(base, b0 + h + 8)
            p1, q1 = load(base, b1 + h), load(base, b1 + h + 8)
            p2, q2 = load(base, b2 + h), load(base, b2 + h + 8)
            p3, q3 = load(base, b3 + h), load(base, b3 + h + 8)
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
            to = (y_row + i) * width + h
            store(y, to, p0)
            store(y, to + 8, q0)
            store(y, to + width, p1)
            store(y, to + width + 8, q1)
            store(y, to + 2 * width, p2)
            store(y, to + 2 * width + 8, q2)
            store(y, to + 3 * width, p3)
            store(y, to + 3 * width + 8, q3)


@inner
def add_transposed(x: Any, x_row: int, y: Any, listed: Any, count: int, total: Any) -> None:
    """Add the product of x transposed with y to the total, ``(columns of x, columns of y)``.

    Row ``x_row + i`` of x meets row ``listed[i]`` of y.
    """
    stride, width = x.shape[1], y.shape[1]
    for j in range(0, stride, ROWS):
        for h in range(0, width, COLUMNS):
            t0 = j * width + h
            t1, t2, t3 = t0 + width, t0 + 2 * width, t0 + 3 * width
            p0, q0 = load(total, t0), load(total, t0 + 8)
            p1, q1 = load(total, t1), load(total, t1 + 8)
            p2, q2 = load(total, t2), load(total, t2 + 8)
            p3, q3 = load(total, t3), load(total, t3 + 8)
            f = x_row * stride + j
            for i in range(count):
                at = get(listed, i) * width + h
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
