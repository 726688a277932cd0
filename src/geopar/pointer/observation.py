"""What is seen of one state: who may do what, and the features of everybody and everything."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import inner
from geopar.pointer.hcvrp import columns as hcvrp
from geopar.pointer.omdcpdp import columns as omdcpdp

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_COLUMNS: dict[str, Any] = {"hcvrp": hcvrp, "omdcpdp": omdcpdp}
# Up to so many numbers, comparing all pairs beats sorting.
MOST_COMPARED = 24


class Observation(NamedTuple):
    """Buffers for what is seen of one state; features are filled up with zeros.

    Parameters
    ----------
    candidates
        ``(M, K)`` tasks that each agent looks at, each once, home in the last column.
    feasible
        ``(M, K)``: which of them it may choose.
    active
        ``(M,)``: whether some task is open to the agent.
    agents, fleet
        ``(M, F)`` of each agent and ``(F,)`` of all.
    pairs
        ``(M, K, F)`` of every agent and candidate; only what is feasible counts.
    """

    candidates: NDArray[np.int64]
    feasible: NDArray[np.bool_]
    active: NDArray[np.bool_]
    agents: NDArray[np.float32]
    fleet: NDArray[np.float32]
    pairs: NDArray[np.float32]


class FeatureSizes(NamedTuple):
    """How many features agents, the fleet and pairs have."""

    agents: int
    fleet: int
    pairs: int


def feature_sizes(kind: str) -> FeatureSizes:
    """How many features a problem has."""
    names = _COLUMNS[kind]
    return FeatureSizes(len(names.Agent), len(names.Fleet), len(names.Pair))


@inner
def squash(x: float) -> float:
    """Any number to (−1, 1), steep near zero."""
    return x / (1.0 + abs(x))


@inner(allocates=True)
def count_less(values: Floats, counts: Ints) -> None:
    """How many of the values are less than each of them, into ``counts``."""
    size = values.shape[0]
    if size <= MOST_COMPARED:
        for i in range(size):
            counts[i] = 0
            for k in range(size):
                counts[i] += values[k] < values[i]
        return
    order = np.argsort(values)
    for i in range(size):
        is_equal = i > 0 and values[order[i]] == values[order[i - 1]]
        counts[order[i]] = counts[order[i - 1]] if is_equal else i


@inner
def fill_up(row: Ints, count: int, used: NDArray[np.bool_]) -> None:
    """Fill the rest of a row of candidates with other tasks, each once; none of them is feasible.

    ``used`` is false for every task, before and after.
    """
    for i in range(count):
        used[row[i]] = True
    spare = 0
    for i in range(count, row.shape[0]):
        while used[spare]:
            spare += 1
        row[i] = spare
        spare += 1
    for i in range(count):
        used[row[i]] = False
