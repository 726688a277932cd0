"""The network in compiled loops, choice after choice: see :mod:`geopar.pointer.network`.

A choice is an agent that may do at least two things; its pairs are those, one after the other and
without what is not feasible. What is kept of them is what gradients need later.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import inner
from geopar.compiled.products import (
    COLUMNS,
    LOWEST,
    ROWS,
    SPARE,
    ZERO,
    add_product,
    load_rows,
    multiply,
)
from geopar.compiled.registers import (
    LANES,
    added_up,
    larger,
    load,
    plus,
    signs,
    spread,
    store,
    times,
    where_positive,
)
from geopar.pointer.observation import Observation

Floats = NDArray[np.float32]

# So many choices are scored at once: hidden vectors stay in the processor's nearest cache.
CHOICES_AT_ONCE = 16
ONE = np.float32(1.0)


class Weights(NamedTuple):
    """The parameters of the network in panels, filled up with zeros to what products need.

    ``pooled`` takes the mean over the pairs, then their maximum.
    """

    pair: Floats
    agent: Floats
    agent_bias: Floats
    agent_out: Floats
    agent_out_bias: Floats
    pooled: Floats
    inner: Floats
    inner_bias: Floats
    out: Floats
    clip: float


class Choices(NamedTuple):
    """Buffers of choices and their pairs.

    Parameters
    ----------
    rollout
        Whose choice it is.
    first
        The first pair of each choice; that of the next is where it ends.
    chosen
        The pair that was taken; below zero if none was left.
    agents
        Features of the agent and of its fleet.
    agent_hidden, agent_state
        Of each choice: the layers of the agent.
    pooling, context
        The mean and the maximum over its pairs, and what the second layer gets from them.
    pairs
        Features of each pair.
    task
        Where it leads.
    logit
        Within the clip.
    probability
        Given what others had taken before.
    is_positive
        Of the second layer, one bit for each number: whether it is above zero.
    """

    rollout: NDArray[np.int64]
    first: NDArray[np.int64]
    chosen: NDArray[np.int64]
    agents: Floats
    agent_hidden: Floats
    agent_state: Floats
    pooling: Floats
    context: Floats
    pairs: Floats
    task: NDArray[np.int64]
    logit: Floats
    probability: Floats
    is_positive: NDArray[np.uint8]


class Scratch(NamedTuple):
    """Of a few choices: the hidden vectors of their pairs, and the choice of each pair.

    ``zeros`` stand where one row is added to all.
    """

    hidden: Floats
    owner: NDArray[np.int64]
    zeros: NDArray[np.int64]


@inner
def _copy(row: Any, to: Any, begin: int) -> int:
    count = row.shape[0]
    for f in range(count):
        to[begin + f] = row[f]
    return begin + count


@inner
def list_choices(
    observation: Observation, home: int, s: int, choices: Choices, filled: Any, choice_of: Any,
    forced: Any,
) -> None:  # fmt: skip
    """Add the choices of one state of rollout ``s``.

    Parameters
    ----------
    observation, home
        What is seen of the state, and N.
    s
        The rollout.
    choices, filled
        Added to, with how many choices and pairs there are.
    choice_of, forced
        Filled for every agent: the number of its choice, −1 for none, and the only thing that it
        may do if it has none; N + 1 where there is not even that.
    """
    feasible, candidates = observation.feasible, observation.candidates
    features = observation.pairs
    pairs, tasks = choices.pairs, choices.task
    fleet, columns = feasible.shape
    size = features.shape[2]
    c, i = filled[0], filled[1]
    for m in range(fleet):
        choice_of[m], forced[m] = -1, home + 1
        count = 0
        for k in range(columns):
            if feasible[m, k]:
                count += 1
                forced[m] = candidates[m, k]
        if count < 2:
            continue
        choice_of[m] = c
        choices.rollout[c] = s
        choices.first[c] = i
        row = choices.agents[c]
        _copy(observation.fleet, row, _copy(observation.agents[m], row, 0))
        for k in range(columns):
            if feasible[m, k]:
                for f in range(size):
                    pairs[i, f] = features[m, k, f]
                tasks[i] = candidates[m, k]
                i += 1
        c += 1
        choices.first[c] = i
    filled[0], filled[1] = c, i


@inner
def list_owners(choices: Choices, begin: int, end: int, owner: Any) -> int:
    """The choice of each pair of some choices; how many pairs there are."""
    first = choices.first
    start = first[begin]
    for c in range(begin, end):
        for i in range(first[c] - start, first[c + 1] - start):
            owner[i] = c
    count = first[end] - start
    for i in range(count, count + SPARE):
        owner[i] = begin
    return count


@inner
def _pool(hidden: Any, begin: int, end: int, pooling: Any, c: int) -> None:
    """Mean and maximum of some rows, none below zero, into row ``c``."""
    width, stride = pooling.shape[1] // 2, hidden.shape[1]
    share = spread(ONE / np.float32(end - begin))
    mean, most = c * 2 * width, (c * 2 + 1) * width
    for h in range(0, width, COLUMNS):
        total = more = largest = next_largest = spread(ZERO)
        for at in range(begin * stride + h, end * stride + h, stride):
            x, y = load(hidden, at), load(hidden, at + 8)
            total, more = plus(total, x), plus(more, y)
            largest, next_largest = larger(largest, x), larger(next_largest, y)
        store(pooling, mean + h, times(share, total))
        store(pooling, mean + h + 8, times(share, more))
        store(pooling, most + h, largest)
        store(pooling, most + h + 8, next_largest)


@inner
def _score(weights: Weights, choices: Choices, scratch: Scratch, start: int, count: int) -> None:
    """The second layer of some pairs, down to the logits."""
    width, stride = weights.inner.shape[1], scratch.hidden.shape[1]
    hidden, owner, base, weight = scratch.hidden, scratch.owner, choices.context, weights.inner
    out, signs_of, logit, clip = weights.out, choices.is_positive, choices.logit, weights.clip
    for i in range(0, count, ROWS):
        x = i * stride
        b0, b1 = owner[i] * width, owner[i + 1] * width
        b2, b3 = owner[i + 2] * width, owner[i + 3] * width
        s0 = s1 = s2 = s3 = spread(ZERO)
        for h in range(0, width, COLUMNS):
            rows = load_rows(base, b0 + h, b1 + h, b2 + h, b3 + h)
            rows = add_product(rows, hidden, x, stride, width, weight, h * width, COLUMNS)
            p0, q0, p1, q1, p2, q2, p3, q3 = rows
            p, q = load(out, h), load(out, h + 8)
            s0 = plus(plus(s0, times(where_positive(p0, p0), p)), times(where_positive(q0, q0), q))
            s1 = plus(plus(s1, times(where_positive(p1, p1), p)), times(where_positive(q1, q1), q))
            s2 = plus(plus(s2, times(where_positive(p2, p2), p)), times(where_positive(q2, q2), q))
            s3 = plus(plus(s3, times(where_positive(p3, p3), p)), times(where_positive(q3, q3), q))
            row, k = start + i, h // LANES
            signs_of[row, k], signs_of[row, k + 1] = signs(p0), signs(q0)
            signs_of[row + 1, k], signs_of[row + 1, k + 1] = signs(p1), signs(q1)
            signs_of[row + 2, k], signs_of[row + 2, k + 1] = signs(p2), signs(q2)
            signs_of[row + 3, k], signs_of[row + 3, k + 1] = signs(p3), signs(q3)
        row = start + i
        logit[row], logit[row + 1] = added_up(s0), added_up(s1)
        logit[row + 2], logit[row + 3] = added_up(s2), added_up(s3)
    for i in range(start, start + count):
        # clip·tanh(x / clip), which is slower to ask for.
        logit[i] = clip - 2.0 * clip / (math.exp(2.0 / clip * logit[i]) + 1.0)


@inner
def score(weights: Weights, choices: Choices, scratch: Scratch, begin: int, end: int) -> None:
    """Fill in what the network makes of some choices, whose features are there."""
    hidden, state = choices.agent_hidden, choices.agent_state
    owner, zeros = scratch.owner, scratch.zeros
    for c in range(begin, end, CHOICES_AT_ONCE):
        last = min(c + CHOICES_AT_ONCE, end)
        size, start = last - c, choices.first[c]
        count = list_owners(choices, c, last, owner)
        multiply(choices.agents, c, weights.agent, weights.agent_bias, zeros, size, hidden, c, ZERO)
        bias = weights.agent_out_bias
        multiply(hidden, c, weights.agent_out, bias, zeros, size, state, c, LOWEST)
        multiply(choices.pairs, start, weights.pair, state, owner, count, scratch.hidden, 0, ZERO)
        for i in range(c, last):
            rows = choices.first[i] - start, choices.first[i + 1] - start
            _pool(scratch.hidden, rows[0], rows[1], choices.pooling, i)
        pooling, bias, context = choices.pooling, weights.inner_bias, choices.context
        multiply(pooling, c, weights.pooled, bias, zeros, size, context, c, LOWEST)
        _score(weights, choices, scratch, start, count)
