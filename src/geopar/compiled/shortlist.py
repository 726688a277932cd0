"""Shortlists in compiled code: the best few of many, sorted, without sorting all of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import inner


@inner
def insert(
    keys: NDArray[np.float64], items: NDArray[np.int64], count: int, key: float, item: int
) -> int:
    """Insert into a list sorted by key, whose largest falls out when it is full; its new length."""
    most = keys.shape[0]
    if count < most:
        at = count
        count += 1
    elif key < keys[most - 1]:
        at = most - 1
    else:
        return count
    while at > 0 and keys[at - 1] > key:
        keys[at] = keys[at - 1]
        items[at] = items[at - 1]
        at -= 1
    keys[at] = key
    items[at] = item
    return count
