"""Gradients of the edge-biased pointer in compiled loops, from choices that were written down.

Only choices count that could have gone otherwise, and of those only the pairs that were allowed;
everything in between stays in the processor's cache. Two observations save most of the work. With h
the hidden vectors, W the second layer, o the output weights and z = W·h + p, the gradient of
o·ReLU(z) by W is o times the sum S of g·h over the pairs where z is above zero, and the gradient by
o is W·S plus the sum of g·p: so of z no more than the signs is needed, one bit each. And most
numbers of z have one sign for all pairs of a choice: those that are above zero for all share one
row of S and one row of W, the sum of theirs, and only the few that differ need rows of their own.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import compiled, inner
from geopar.model.choice_kernel import Choices, Floats, Network, list_owners
from geopar.model.product_kernel import (
    COLUMNS,
    LOWEST,
    ROWS,
    ZERO,
    add_transposed,
    multiply,
    multiply_rows,
)
from geopar.model.vectors import (
    LANES,
    get,
    load,
    minus,
    plus,
    spread,
    store,
    times,
    where_equal,
    where_positive,
)

# So many pairs at once, and so many choices until sums of float32 are added to those of float64.
PAIRS, CHOICES = 64, 48
ONE = np.float32(1.0)


class Backwards(NamedTuple):
    """The weights the other way round; the first two are times the output weights.

    ``inner`` has its outputs first, the others are in panels.
    """

    inner: Floats
    crowd: Floats
    state: Floats


class Gradient(NamedTuple):
    """Sums over choices, inputs first; those of ``crowd`` and ``inner`` outputs first.

    ``crowd``, ``inner`` and ``inner_bias`` lack a factor, the output weights; ``out`` lacks what
    comes from the second layer.
    """

    pair: NDArray[Any]
    agent: NDArray[Any]
    agent_bias: NDArray[Any]
    state: NDArray[Any]
    state_bias: NDArray[Any]
    crowd: NDArray[Any]
    inner: NDArray[Any]
    inner_bias: NDArray[Any]
    out: NDArray[Any]


class Desk(NamedTuple):
    """Room for what is in between."""

    slope: Floats
    is_live: NDArray[np.bool_]
    hidden: Floats
    reached: Floats
    back: Floats
    total: Floats
    owner: NDArray[np.int64]
    each: NDArray[np.int64]
    common: NDArray[np.int64]
    mixed: NDArray[np.int64]
    rows: Floats
    sums: Floats
    nobody: NDArray[np.int64]
    nothing: Floats
    pooled: Floats
    crowd: Floats
    state: Floats
    inside: Floats


@inner
def _slopes(
    choices: Choices, c: int, weight: float, entropy: float, temperature: float, clip: float,
    slope: Any,
) -> tuple[bool, float]:  # fmt: skip
    """Derivatives by the scores before the clip; whether any counts, and the choice's entropy."""
    logit, share, chosen = choices.logit, choices.share, choices.chosen[c]
    begin, end = choices.first[c], choices.first[c + 1]
    if weight == 0.0 and entropy == 0.0:
        return False, 0.0
    most, total, mixed = -math.inf, 0.0, 0.0
    if entropy != 0.0:
        for i in range(begin, end):
            most = max(most, logit[i])
        for i in range(begin, end):
            total += math.exp(logit[i] - most)
        most += math.log(total)
        for i in range(begin, end):
            log_prob = logit[i] - most
            mixed -= math.exp(log_prob) * log_prob
    weight = weight / temperature if chosen >= 0 else 0.0
    counts = False
    for i in range(begin, end):
        value = -weight * share[i]
        if i == chosen:
            value += weight
        if entropy != 0.0:
            log_prob = logit[i] - most
            value += entropy * math.exp(log_prob) * (log_prob + mixed)
        bent = logit[i] / clip
        value *= 1.0 - bent * bent
        slope[i - begin] = value
        counts = counts or value != 0.0
    return counts, mixed


@inner
def _sort_out(is_above: Any, begin: int, end: int, common: Any, mixed: Any) -> tuple[int, int]:
    """List what is above zero for all of some pairs, and for some of them; how many there are."""
    always, sometimes = 0, 0
    for k in range(is_above.shape[1]):
        low, high = 255, 0
        for i in range(begin, end):
            low &= is_above[i, k]
            high |= is_above[i, k]
        for bit in range(LANES):
            if low >> bit & 1:
                common[always] = k * LANES + bit
                always += 1
            elif high >> bit & 1:
                mixed[sometimes] = k * LANES + bit
                sometimes += 1
    return always, sometimes


@inner
def _gather(x: Any, listed: Any, count: int, total: Any) -> None:
    """The sum of the listed rows becomes the first row."""
    width = total.shape[1]
    for h in range(0, width, COLUMNS):
        p = q = spread(ZERO)
        for k in range(count):
            at = get(listed, k) * width + h
            p, q = plus(p, load(x, at)), plus(q, load(x, at + 8))
        store(total, h, p)
        store(total, h + 8, q)


@inner
def _scatter(x: Any, listed: Any, count: int, total: Any) -> None:
    """Add the first row to the listed rows."""
    width = total.shape[1]
    for h in range(0, width, COLUMNS):
        p, q = load(x, h), load(x, h + 8)
        for k in range(count):
            at = get(listed, k) * width + h
            store(total, at, plus(load(total, at), p))
            store(total, at + 8, plus(load(total, at + 8), q))


@inner
def _reach(
    back: Backwards, choices: Choices, c: int, start: int, first: int, slope: Any, desk: Desk,
    sums: Gradient,
) -> None:  # fmt: skip
    """Through the second layer of one choice.

    The inputs are the slopes of all pairs, then those of the pairs where a number that differs is
    above zero.
    """
    reached, rows, own, pooled = desk.reached, desk.rows, desk.sums, desk.pooled
    common, mixed, is_above = desk.common, desk.mixed, choices.is_above
    inner, total_inner = back.inner, sums.inner
    width, row = pooled.shape[1], c - first
    begin, end = choices.first[c] - start, choices.first[c + 1] - start
    always, sometimes = _sort_out(is_above, start + begin, start + end, common, mixed)
    depth = 1 + sometimes + (-1 - sometimes) % ROWS
    total = ZERO
    for i in range(begin, end):
        reached[i, 0] = slope[i]
        total += slope[i]
    for k in range(always):
        pooled[row, common[k]] = total
    _gather(inner, common, always, rows)
    for u in range(1, depth):
        for h in range(width):
            own[u, h] = ZERO
        if u > sometimes:
            for i in range(begin, end):
                reached[i, u] = ZERO
            continue
        j = mixed[u - 1]
        at, bit = j // LANES, np.uint8(j % LANES)
        total = ZERO
        for i in range(begin, end):
            value = slope[i] * np.float32(is_above[start + i, at] >> bit & 1)
            reached[i, u] = value
            total += value
        pooled[row, j] = total
        for h in range(width):
            rows[u, h] = inner[j, h]
    for h in range(width):
        own[0, h] = ZERO
    # Beyond what differs the inputs are zero, and the rows whatever they were.
    multiply_rows(reached, begin, rows, 1 + sometimes, end - begin, desk.back, begin)
    add_transposed(reached, begin, desk.hidden, desk.each[begin:], end - begin, own[:depth])
    _scatter(own, common, always, total_inner)
    for u in range(sometimes):
        for h in range(width):
            total_inner[mixed[u], h] += own[1 + u, h]


@inner
def _come_back(choices: Choices, c: int, start: int, first: int, desk: Desk) -> None:
    """What reaches the hidden vectors of a choice: by the pairs, their mean and their largest."""
    hidden, back, total = desk.hidden, desk.back, desk.total
    crowd, state, largest = desk.crowd, desk.state, choices.crowd
    width, stride = state.shape[1], hidden.shape[1]
    begin, end = choices.first[c] - start, choices.first[c + 1] - start
    share = spread(ONE / np.float32(end - begin))
    row, largest_row = (c - first) * 2 * width, (c * 2 + 1) * width
    for h in range(0, width, COLUMNS):
        for_each, next_each = load(crowd, row + h), load(crowd, row + h + 8)
        for_each, next_each = times(share, for_each), times(share, next_each)
        for_most, next_most = load(crowd, row + width + h), load(crowd, row + width + h + 8)
        most, other = load(largest, largest_row + h), load(largest, largest_row + h + 8)
        added = next_added = spread(ZERO)
        for i in range(begin, end):
            at = i * stride + h
            x, y = load(hidden, at), load(hidden, at + 8)
            mine, next_mine = where_equal(x, most, for_most), where_equal(y, other, next_most)
            # Of equals the first has it all.
            for_most, next_most = minus(for_most, mine), minus(next_most, next_mine)
            value = plus(plus(for_each, mine), load(back, at))
            next_value = plus(plus(next_each, next_mine), load(back, at + 8))
            value, next_value = where_positive(x, value), where_positive(y, next_value)
            store(total, at, value)
            store(total, at + 8, next_value)
            added, next_added = plus(added, value), plus(next_added, next_value)
        store(state, (c - first) * width + h, added)
        store(state, (c - first) * width + h + 8, next_added)


@inner
def _pairs(
    network: Network, back: Backwards, choices: Choices, begin: int, end: int, first: int,
    origin: int, desk: Desk, sums: Gradient,
) -> None:  # fmt: skip
    """Through the layers of pairs, for a few choices; ``first`` is that of the block."""
    start = choices.first[begin]
    count = list_owners(choices, begin, end, desk.owner)
    hidden = desk.hidden
    multiply(choices.pairs, start, network.pair, choices.state, desk.owner, count, hidden, 0, ZERO)
    slope = desk.slope[start - origin :]
    for c in range(begin, end):
        _reach(back, choices, c, start, first, slope, desk, sums)
    at = begin - first
    multiply(
        desk.pooled, at, back.crowd, desk.nothing, desk.nobody, end - begin, desk.crowd, at, LOWEST
    )
    for c in range(begin, end):
        _come_back(choices, c, start, first, desk)
    add_transposed(choices.pairs, start, desk.total, desk.each, count, sums.pair)


@inner
def _add_rows(rows: Any, count: int, total: Any) -> None:
    for i in range(count):
        for h in range(rows.shape[1]):
            total[0, h] += rows[i, h]


@inner
def _agents(
    back: Backwards, choices: Choices, first: int, count: int, desk: Desk, sums: Gradient
) -> None:
    """Through what there is once for each choice."""
    width = desk.state.shape[1]
    for i in range(count):
        for h in range(width):
            sums.out[0, h] += choices.pooled[first + i, h] * desk.pooled[i, h]
    _add_rows(desk.pooled, count, sums.inner_bias)
    _add_rows(desk.state, count, sums.state_bias)
    for i in range(count):
        desk.owner[i] = first + i
    add_transposed(desk.pooled, 0, choices.crowd, desk.owner, count, sums.crowd)
    add_transposed(choices.inside, first, desk.state, desk.each, count, sums.state)
    inside, through = desk.inside, desk.pooled
    multiply(desk.state, 0, back.state, desk.nothing, desk.nobody, count, inside, 0, LOWEST)
    for at in range(0, count * width, LANES):
        was = load(choices.inside, first * width + at)
        store(through, at, where_positive(was, load(inside, at)))
    _add_rows(through, count, sums.agent_bias)
    add_transposed(choices.agents, first, through, desk.each, count, sums.agent)


@inner
def _pour(sums: Any, totals: Any) -> None:
    """Add the sums to the totals, and begin them anew."""
    for i in range(sums.shape[0]):
        for h in range(sums.shape[1]):
            totals[i, h] += sums[i, h]
            sums[i, h] = ZERO


@compiled
def add_gradient(
    network: Network, back: Backwards, choices: Choices, count: int, weight: Any, entropy: Any,
    temperature: float, desk: Desk, sums: Gradient, totals: Gradient,
) -> float:  # fmt: skip
    """Add the gradient of Σ weight·log-probability − entropy·entropies of the choices.

    Parameters
    ----------
    network, back
        The weights with which the choices were made.
    choices, count
        The choices, and how many there are.
    weight, entropy
        Of each rollout: what its log-probability counts, and the entropy of each of its choices.
    temperature
        τ.
    desk
        Room for what is in between.
    sums, totals
        Zeros of float32; and of float64, which are added to.

    Returns
    -------
    float
        The part of that sum that comes from the entropies.
    """
    loss = 0.0
    for first in range(0, count, CHOICES):
        last = min(first + CHOICES, count)
        origin = choices.first[first]
        for c in range(first, last):
            s = choices.rollout[c]
            desk.is_live[c - first], bonus = _slopes(
                choices, c, weight[s], entropy[s], temperature, network.clip,
                desk.slope[choices.first[c] - origin :],
            )  # fmt: skip
            loss -= entropy[s] * bonus
        for i in range(last - first):
            for h in range(desk.state.shape[1]):
                desk.state[i, h] = ZERO
                desk.pooled[i, h] = ZERO
        c = first
        while c < last:
            end = c
            while (
                end < last
                and desk.is_live[end - first]
                and (end == c or choices.first[end + 1] - choices.first[c] <= PAIRS)
            ):
                end += 1
            if end > c:
                _pairs(network, back, choices, c, end, first, origin, desk, sums)
            c = max(end, c + 1)
        _agents(back, choices, first, last - first, desk, sums)
        _pour(sums.pair, totals.pair)
        _pour(sums.agent, totals.agent)
        _pour(sums.agent_bias, totals.agent_bias)
        _pour(sums.state, totals.state)
        _pour(sums.state_bias, totals.state_bias)
        _pour(sums.crowd, totals.crowd)
        _pour(sums.inner, totals.inner)
        _pour(sums.inner_bias, totals.inner_bias)
        _pour(sums.out, totals.out)
    return loss
