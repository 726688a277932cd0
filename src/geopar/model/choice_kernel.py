"""The edge-biased pointer in compiled loops, choice after choice.

What :class:`geopar.model.decoder.EdgePointer` computes. A choice is an agent that
may do at least two things; its pairs are those, one after the other and without what is not
allowed. What is kept of them is what gradients need later.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import inner
from geopar.model.look import Seen
from geopar.model.product_kernel import (
    COLUMNS,
    LOWEST,
    ROWS,
    SPARE,
    ZERO,
    add_product,
    load_rows,
    multiply,
)
from geopar.model.vectors import (
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

Floats = NDArray[np.float32]

# So many choices are scored at once: what is in between stays in the processor's nearest cache.
AT_ONCE = 16
ONE = np.float32(1.0)


class Network(NamedTuple):
    """The weights in panels, filled up with zeros to what products need.

    ``crowd`` takes the mean over the pairs, then their largest.
    """

    pair: Floats
    agent: Floats
    agent_bias: Floats
    state: Floats
    state_bias: Floats
    crowd: Floats
    inner: Floats
    inner_bias: Floats
    out: Floats
    clip: float


class Choices(NamedTuple):
    """Choices and their pairs, with room for more.

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
    inside, state, crowd, pooled
        What the network makes of each choice.
    pairs
        Features of each pair.
    task
        Where it leads.
    logit
        Within the clip.
    share
        Its probability, given what others had taken before.
    is_above
        Of the second layer, one bit for each number: whether it is above zero.
    """

    rollout: NDArray[np.int64]
    first: NDArray[np.int64]
    chosen: NDArray[np.int64]
    agents: Floats
    inside: Floats
    state: Floats
    crowd: Floats
    pooled: Floats
    pairs: Floats
    task: NDArray[np.int64]
    logit: Floats
    share: Floats
    is_above: NDArray[np.uint8]


class Workplace(NamedTuple):
    """Room for the hidden vectors of a few choices, for whose they are, and nothing but zeros."""

    hidden: Floats
    owner: NDArray[np.int64]
    nobody: NDArray[np.int64]


@inner
def _copy(row: Any, to: Any, begin: int) -> int:
    count = row.shape[0]
    for f in range(count):
        to[begin + f] = row[f]
    return begin + count


@inner
def list_choices(
    seen: Seen, home: int, s: int, choices: Choices, filled: Any, number: Any, only: Any
) -> None:
    """Add whoever may do two things or more, and say who may do just one."""
    feasible, candidates, pairs_seen = seen.feasible[0], seen.candidates[0], seen.pairs[0]
    pairs, tasks = choices.pairs, choices.task
    fleet, columns = feasible.shape
    size = pairs_seen.shape[2]
    c, i = filled[0], filled[1]
    for m in range(fleet):
        number[m], only[m] = -1, home + 1
        count = 0
        for k in range(columns):
            if feasible[m, k]:
                count += 1
                only[m] = candidates[m, k]
        if count < 2:
            continue
        number[m] = c
        choices.rollout[c] = s
        choices.first[c] = i
        row = choices.agents[c]
        _copy(seen.fleet[0], row, _copy(seen.agents[0, m], row, 0))
        for k in range(columns):
            if feasible[m, k]:
                for f in range(size):
                    pairs[i, f] = pairs_seen[m, k, f]
                tasks[i] = candidates[m, k]
                i += 1
        c += 1
        choices.first[c] = i
    filled[0], filled[1] = c, i


@inner
def list_owners(choices: Choices, begin: int, end: int, owner: Any) -> int:
    """Whose each pair of some choices is; how many pairs there are."""
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
def _pool(hidden: Any, begin: int, end: int, crowd: Any, c: int) -> None:
    """Mean and largest of some rows, none below zero, into row ``c`` of the crowd."""
    width, stride = crowd.shape[1] // 2, hidden.shape[1]
    share = spread(ONE / np.float32(end - begin))
    mean, most = c * 2 * width, (c * 2 + 1) * width
    for h in range(0, width, COLUMNS):
        total = more = largest = next_largest = spread(ZERO)
        for at in range(begin * stride + h, end * stride + h, stride):
            x, y = load(hidden, at), load(hidden, at + 8)
            total, more = plus(total, x), plus(more, y)
            largest, next_largest = larger(largest, x), larger(next_largest, y)
        store(crowd, mean + h, times(share, total))
        store(crowd, mean + h + 8, times(share, more))
        store(crowd, most + h, largest)
        store(crowd, most + h + 8, next_largest)


@inner
def _score(network: Network, choices: Choices, work: Workplace, start: int, count: int) -> None:
    """The second layer of some pairs, down to the logits."""
    width, stride = network.inner.shape[1], work.hidden.shape[1]
    hidden, owner, base, weight = work.hidden, work.owner, choices.pooled, network.inner
    out, is_above, logit, clip = network.out, choices.is_above, choices.logit, network.clip
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
            is_above[row, k], is_above[row, k + 1] = signs(p0), signs(q0)
            is_above[row + 1, k], is_above[row + 1, k + 1] = signs(p1), signs(q1)
            is_above[row + 2, k], is_above[row + 2, k + 1] = signs(p2), signs(q2)
            is_above[row + 3, k], is_above[row + 3, k + 1] = signs(p3), signs(q3)
        row = start + i
        logit[row], logit[row + 1] = added_up(s0), added_up(s1)
        logit[row + 2], logit[row + 3] = added_up(s2), added_up(s3)
    for i in range(start, start + count):
        # clip·tanh(x / clip), which is slower to ask for.
        logit[i] = clip - 2.0 * clip / (math.exp(2.0 / clip * logit[i]) + 1.0)


@inner
def score(network: Network, choices: Choices, work: Workplace, begin: int, end: int) -> None:
    """Fill in what the network makes of some choices, whose features are there."""
    agents, inside, state = choices.agents, choices.inside, choices.state
    crowd, pooled, nobody = choices.crowd, choices.pooled, work.nobody
    for c in range(begin, end, AT_ONCE):
        last = min(c + AT_ONCE, end)
        size, start = last - c, choices.first[c]
        count = list_owners(choices, c, last, work.owner)
        bias = network.agent_bias, network.state_bias, network.inner_bias
        multiply(agents, c, network.agent, bias[0], nobody, size, inside, c, ZERO)
        multiply(inside, c, network.state, bias[1], nobody, size, state, c, LOWEST)
        multiply(choices.pairs, start, network.pair, state, work.owner, count, work.hidden, 0, ZERO)
        for i in range(c, last):
            _pool(work.hidden, choices.first[i] - start, choices.first[i + 1] - start, crowd, i)
        multiply(crowd, c, network.crowd, bias[2], nobody, size, pooled, c, LOWEST)
        _score(network, choices, work, start, count)
