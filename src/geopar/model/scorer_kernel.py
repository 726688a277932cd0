"""The edge-biased pointer in compiled loops, for one state at a time.

What :class:`geopar.model.decoder.EdgePointer` computes when it is alone and nobody learns, without
the actions that are not allowed: those are about half of what it would otherwise look at.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.search.compiled import inner

Weights = NDArray[np.float32]

# Products are taken so many inputs at a time; where there are fewer, zeros fill up.
LANES = 4
ZERO = np.float32(0.0)


def _fused(function: Any) -> Any:
    """A product and a sum may be rounded once instead of twice, as in matrix products."""
    return inner(fastmath={"contract"})(function)


def _in_any_order(function: Any) -> Any:
    """Sums may be taken in any order, which lets several be taken at once."""
    return inner(fastmath={"contract", "reassoc", "nsz"})(function)


class Scorer(NamedTuple):
    """The weights, inputs first, in multiples of four.

    Those that are ``…_added`` are for what a sketch adds; without a sketch they have no rows.
    """

    pair: Weights
    pair_added: Weights
    agent: Weights
    agent_added: Weights
    fleet: Weights
    fleet_added: Weights
    agent_bias: Weights
    state: Weights
    state_bias: Weights
    mean: Weights
    largest: Weights
    inner: Weights
    inner_bias: Weights
    out: Weights
    clip: float


class Seen(NamedTuple):
    """What is seen in one state, as the compiled looks fill it; one row each."""

    candidates: NDArray[np.int64]
    feasible: NDArray[np.bool_]
    agents: Weights
    fleet: Weights
    dynamic: Weights
    active: NDArray[np.bool_]
    pairs: Weights
    agents_added: Weights
    fleet_added: Weights
    pairs_added: Weights


@_fused
def _add(x: Any, weight: Any, total: Any) -> None:
    """Add x·weight to a vector; four inputs at a time, so that it is read and written less."""
    for f in range(0, weight.shape[0], LANES):
        a, b, c, d = x[f], x[f + 1], x[f + 2], x[f + 3]
        for h in range(weight.shape[1]):
            p, q, r, s = weight[f, h], weight[f + 1, h], weight[f + 2, h], weight[f + 3, h]
            total[h] += a * p + b * q + c * r + d * s


@_fused
def _add_both(x: Any, y: Any, weight: Any, total: Any, other: Any) -> None:
    """The same for two vectors, so that weights are read less."""
    for f in range(0, weight.shape[0], LANES):
        a, b, c, d = x[f], x[f + 1], x[f + 2], x[f + 3]
        e, g, i, j = y[f], y[f + 1], y[f + 2], y[f + 3]
        for h in range(weight.shape[1]):
            p, q, r, s = weight[f, h], weight[f + 1, h], weight[f + 2, h], weight[f + 3, h]
            total[h] += a * p + b * q + c * r + d * s
            other[h] += e * p + g * q + i * r + j * s


@inner
def _add_rows(rows: Any, listed: Any, count: int, weight: Any, totals: Any) -> None:
    """Add the products of the listed rows to the first so many totals."""
    i = 0
    while i + 2 <= count:
        _add_both(rows[listed[i]], rows[listed[i + 1]], weight, totals[i], totals[i + 1])
        i += 2
    if i < count:
        _add(rows[listed[i]], weight, totals[i])


@inner
def _fill(rows: Any, vector: Any) -> None:
    """Make every row that vector; assigning to slices would cost more than the products."""
    for i in range(rows.shape[0]):
        for h in range(rows.shape[1]):
            rows[i, h] = vector[h]


@inner
def _pool(hidden: Any, mean: Any, largest: Any) -> None:
    """ReLU in place, then mean and largest over the rows.

    Products with truth values, because the compiler makes slow code of a choice between numbers.
    """
    count, width = hidden.shape
    for i in range(count):
        for h in range(width):
            hidden[i, h] *= hidden[i, h] > ZERO
        for h in range(width):
            mean[h] += hidden[i, h]
        for h in range(width):
            most, value = largest[h], hidden[i, h]
            largest[h] = most * (most >= value) + value * (value > most)
    for h in range(width):
        mean[h] /= np.float32(count)


@_in_any_order
def _value(x: Any, out: Any) -> float:
    """out·ReLU(x)."""
    total = ZERO
    for h in range(x.shape[0]):
        total += max(x[h], ZERO) * out[h]
    return total  # type: ignore[return-value]


@inner
def score(scorer: Scorer, seen: Seen, m: int, logits: Any) -> None:
    """Fill in the logits of vehicle ``m``, −∞ for what is not allowed."""
    width, columns = scorer.pair.shape[1], seen.feasible.shape[2]
    listed, own = np.empty(columns, dtype=np.int64), np.arange(columns)
    count = 0
    for k in range(columns):
        logits[k] = -np.inf
        if seen.feasible[0, m, k]:
            listed[count] = k
            count += 1
    if not seen.active[0, m] or count == 1:
        # Home is all that there is to choose.
        for i in range(count):
            logits[listed[i]] = 0.0
        return
    inside, state = scorer.agent_bias.copy(), scorer.state_bias.copy()
    _add(seen.agents[0, m], scorer.agent, inside)
    _add(seen.agents_added[0, m], scorer.agent_added, inside)
    _add(seen.fleet[0], scorer.fleet, inside)
    _add(seen.fleet_added[0], scorer.fleet_added, inside)
    for h in range(width):
        inside[h] *= inside[h] > ZERO
    _add(inside, scorer.state, state)
    hidden, result = np.empty((count, width), np.float32), np.empty((count, width), np.float32)
    _fill(hidden, state)
    _add_rows(seen.pairs[0, m], listed, count, scorer.pair, hidden)
    _add_rows(seen.pairs_added[0, m], listed, count, scorer.pair_added, hidden)
    mean, largest = np.zeros(width, np.float32), np.zeros(width, np.float32)
    _pool(hidden, mean, largest)
    pooled = scorer.inner_bias.copy()
    _add(mean, scorer.mean, pooled)
    _add(largest, scorer.largest, pooled)
    _fill(result, pooled)
    _add_rows(hidden, own, count, scorer.inner, result)
    clip = np.float32(scorer.clip)
    for i in range(count):
        logits[listed[i]] = clip * math.tanh(_value(result[i], scorer.out) / clip)
