"""Gradients of the network in compiled loops, from choices that were written down.

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
from geopar.compiled.products import (
    COLUMNS,
    LOWEST,
    ROWS,
    ZERO,
    add_transposed,
    multiply,
    multiply_rows,
)
from geopar.compiled.registers import (
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
from geopar.pointer.scoring import Choices, Floats, Weights, list_owners

# So many pairs at once, and so many choices until sums of float32 are added to those of float64.
PAIRS, CHOICES = 64, 48
ONE = np.float32(1.0)


class TransposedWeights(NamedTuple):
    """The parameters the other way round; the first two are times the output weights.

    ``inner`` has its outputs first, the others are in panels.
    """

    inner: Floats
    pooled: Floats
    agent_out: Floats


class Gradient(NamedTuple):
    """Sums over choices, inputs first; those of ``pooled`` and ``inner`` outputs first.

    ``pooled``, ``inner`` and ``inner_bias`` lack a factor, the output weights; ``out`` lacks what
    comes from the second layer.
    """

    pair: NDArray[Any]
    agent: NDArray[Any]
    agent_bias: NDArray[Any]
    agent_out: NDArray[Any]
    agent_out_bias: NDArray[Any]
    pooled: NDArray[Any]
    inner: NDArray[Any]
    inner_bias: NDArray[Any]
    out: NDArray[Any]


class GradientScratch(NamedTuple):
    """What the backward pass keeps of a block of choices and their pairs.

    Parameters
    ----------
    slope, is_live
        Derivatives by the scores before the clip, of each pair; whether any of a choice counts.
    hidden, owner
        The first layer of some pairs, computed again, and the choice of each.
    inputs, back
        Slopes as inputs of the second layer's transposed product, and what comes out of it.
    total
        The derivative by the first layer, before its ReLU.
    common, mixed
        Numbers of the second layer that are positive for all pairs of a choice, or for some.
    rows, sums
        Rows of the second layer's weight and of its gradient: first one for all that are common.
    context, pooling, agent_state, agent_hidden
        Derivatives by what there is once for each choice; see :class:`Choices`.
    each, zeros, nothing
        0, 1, 2 …; zeros as row numbers; and a row of zeros, for products that add nothing.
    """

    slope: Floats
    is_live: NDArray[np.bool_]
    hidden: Floats
    owner: NDArray[np.int64]
    inputs: Floats
    back: Floats
    total: Floats
    common: NDArray[np.int64]
    mixed: NDArray[np.int64]
    rows: Floats
    sums: Floats
    context: Floats
    pooling: Floats
    agent_state: Floats
    agent_hidden: Floats
    each: NDArray[np.int64]
    zeros: NDArray[np.int64]
    nothing: Floats


@inner
def _slopes(
    choices: Choices, c: int, weight: float, entropy: float, clip: float, slope: Any
) -> tuple[bool, float]:
    """Derivatives by the scores before the clip; whether any counts, and the choice's entropy."""
    logit, share, chosen = choices.logit, choices.probability, choices.chosen[c]
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
    weight = weight if chosen >= 0 else 0.0
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
def _split(is_positive: Any, begin: int, end: int, common: Any, mixed: Any) -> tuple[int, int]:
    """List what is above zero for all of some pairs, and for some of them; how many there are."""
    always, sometimes = 0, 0
    for k in range(is_positive.shape[1]):
        low, high = 255, 0
        for i in range(begin, end):
            low &= is_positive[i, k]
            high |= is_positive[i, k]
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
def _through_second_layer(
    back: TransposedWeights, choices: Choices, c: int, start: int, first: int, slope: Any,
    scratch: GradientScratch, sums: Gradient,
) -> None:  # fmt: skip
    """The second layer of one choice.

    The inputs of the transposed product are the slopes of all pairs, then one column for each
    number that differs: the slopes of the pairs where it is above zero.
    """
    inputs, rows, own, context = scratch.inputs, scratch.rows, scratch.sums, scratch.context
    common, mixed, signs = scratch.common, scratch.mixed, choices.is_positive
    inner, total_inner = back.inner, sums.inner
    width, row = context.shape[1], c - first
    begin, end = choices.first[c] - start, choices.first[c + 1] - start
    always, sometimes = _split(signs, start + begin, start + end, common, mixed)
    depth = 1 + sometimes + (-1 - sometimes) % ROWS
    total = ZERO
    for i in range(begin, end):
        inputs[i, 0] = slope[i]
        total += slope[i]
    for k in range(always):
        context[row, common[k]] = total
    _gather(inner, common, always, rows)
    for u in range(1, depth):
        for h in range(width):
            own[u, h] = ZERO
        if u > sometimes:
            for i in range(begin, end):
                inputs[i, u] = ZERO
            continue
        j = mixed[u - 1]
        at, bit = j // LANES, np.uint8(j % LANES)
        total = ZERO
        for i in range(begin, end):
            value = slope[i] * np.float32(signs[start + i, at] >> bit & 1)
            inputs[i, u] = value
            total += value
        context[row, j] = total
        for h in range(width):
            rows[u, h] = inner[j, h]
    for h in range(width):
        own[0, h] = ZERO
    # Beyond what differs the inputs are zero, and the rows whatever they were.
    multiply_rows(inputs, begin, rows, 1 + sometimes, end - begin, scratch.back, begin)
    add_transposed(inputs, begin, scratch.hidden, scratch.each[begin:], end - begin, own[:depth])
    _scatter(own, common, always, total_inner)
    for u in range(sometimes):
        for h in range(width):
            total_inner[mixed[u], h] += own[1 + u, h]


@inner
def _through_first_layer(
    choices: Choices, c: int, start: int, first: int, scratch: GradientScratch
) -> None:
    """The first layer of one choice: what comes from its pairs, their mean and their maximum."""
    hidden, back, total = scratch.hidden, scratch.back, scratch.total
    pooling, state, largest = scratch.pooling, scratch.agent_state, choices.pooling
    width, stride = state.shape[1], hidden.shape[1]
    begin, end = choices.first[c] - start, choices.first[c + 1] - start
    share = spread(ONE / np.float32(end - begin))
    row, largest_row = (c - first) * 2 * width, (c * 2 + 1) * width
    for h in range(0, width, COLUMNS):
        for_each, next_each = load(pooling, row + h), load(pooling, row + h + 8)
        for_each, next_each = times(share, for_each), times(share, next_each)
        for_most, next_most = load(pooling, row + width + h), load(pooling, row + width + h + 8)
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
def _add_pairs(
    weights: Weights, back: TransposedWeights, choices: Choices, begin: int, end: int, first: int,
    scratch: GradientScratch, sums: Gradient,
) -> None:  # fmt: skip
    """Both layers of pairs, for a few choices; ``first`` is the first choice of the block."""
    start, origin = choices.first[begin], choices.first[first]
    owner, hidden, state = scratch.owner, scratch.hidden, choices.agent_state
    count = list_owners(choices, begin, end, owner)
    multiply(choices.pairs, start, weights.pair, state, owner, count, hidden, 0, ZERO)
    slope = scratch.slope[start - origin :]
    for c in range(begin, end):
        _through_second_layer(back, choices, c, start, first, slope, scratch, sums)
    at, size, zeros, nothing = begin - first, end - begin, scratch.zeros, scratch.nothing
    pooling = scratch.pooling
    multiply(scratch.context, at, back.pooled, nothing, zeros, size, pooling, at, LOWEST)
    for c in range(begin, end):
        _through_first_layer(choices, c, start, first, scratch)
    add_transposed(choices.pairs, start, scratch.total, scratch.each, count, sums.pair)


@inner
def _add_rows(rows: Any, count: int, total: Any) -> None:
    for i in range(count):
        for h in range(rows.shape[1]):
            total[0, h] += rows[i, h]


@inner
def _add_agents(
    back: TransposedWeights, choices: Choices, first: int, count: int, scratch: GradientScratch,
    sums: Gradient,
) -> None:  # fmt: skip
    """What there is once for each choice: pooling, and the layers of the agent."""
    context, state, each = scratch.context, scratch.agent_state, scratch.each
    width = state.shape[1]
    for i in range(count):
        for h in range(width):
            sums.out[0, h] += choices.context[first + i, h] * context[i, h]
    _add_rows(context, count, sums.inner_bias)
    _add_rows(state, count, sums.agent_out_bias)
    for i in range(count):
        scratch.owner[i] = first + i
    add_transposed(context, 0, choices.pooling, scratch.owner, count, sums.pooled)
    add_transposed(choices.agent_hidden, first, state, each, count, sums.agent_out)
    hidden, zeros = scratch.agent_hidden, scratch.zeros
    multiply(state, 0, back.agent_out, scratch.nothing, zeros, count, hidden, 0, LOWEST)
    # Not in place, which would be compiled to slow masked stores; the context is done with.
    through = context
    for at in range(0, count * width, LANES):
        was = load(choices.agent_hidden, first * width + at)
        store(through, at, where_positive(was, load(hidden, at)))
    _add_rows(through, count, sums.agent_bias)
    add_transposed(choices.agents, first, through, each, count, sums.agent)


@inner
def _pour(sums: Any, totals: Any) -> None:
    """Add sums of float32 to totals of float64, and begin them anew."""
    for i in range(sums.shape[0]):
        for h in range(sums.shape[1]):
            totals[i, h] += sums[i, h]
            sums[i, h] = ZERO


@inner
def _pour_all(sums: Gradient, totals: Gradient) -> None:
    _pour(sums.pair, totals.pair)
    _pour(sums.agent, totals.agent)
    _pour(sums.agent_bias, totals.agent_bias)
    _pour(sums.agent_out, totals.agent_out)
    _pour(sums.agent_out_bias, totals.agent_out_bias)
    _pour(sums.pooled, totals.pooled)
    _pour(sums.inner, totals.inner)
    _pour(sums.inner_bias, totals.inner_bias)
    _pour(sums.out, totals.out)


@inner
def _begin_block(
    choices: Choices, first: int, last: int, weight: Any, entropy: Any, clip: float,
    scratch: GradientScratch,
) -> float:  # fmt: skip
    """Slopes of a block of choices, and zeros to add to; the part of the loss from entropies."""
    loss, origin = 0.0, choices.first[first]
    for c in range(first, last):
        s = choices.rollout[c]
        slope = scratch.slope[choices.first[c] - origin :]
        is_live, bonus = _slopes(choices, c, weight[s], entropy[s], clip, slope)
        scratch.is_live[c - first] = is_live
        loss -= entropy[s] * bonus
    for i in range(last - first):
        for h in range(scratch.agent_state.shape[1]):
            scratch.agent_state[i, h] = ZERO
            scratch.context[i, h] = ZERO
    return loss


@compiled
def add_gradient(
    weights: Weights, back: TransposedWeights, choices: Choices, count: int, weight: Any,
    entropy: Any, scratch: GradientScratch, sums: Gradient, totals: Gradient,
) -> float:  # fmt: skip
    """Add the gradient of Σ weight·log-probability − entropy·entropies of the choices.

    Parameters
    ----------
    weights, back
        The parameters with which the choices were made.
    choices, count
        The choices, and how many there are.
    weight, entropy
        Of each rollout: what its log-probability counts, and the entropy of each of its choices.
    scratch
        Buffers.
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
        loss += _begin_block(choices, first, last, weight, entropy, weights.clip, scratch)
        c = first
        while c < last:
            end = c
            while (
                end < last
                and scratch.is_live[end - first]
                and (end == c or choices.first[end + 1] - choices.first[c] <= PAIRS)
            ):
                end += 1
            if end > c:
                _add_pairs(weights, back, choices, c, end, first, scratch, sums)
            c = max(end, c + 1)
        _add_agents(back, choices, first, last - first, scratch, sums)
        _pour_all(sums, totals)
    return loss
