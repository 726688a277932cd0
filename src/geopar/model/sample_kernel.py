"""Sampled rollouts in one compiled loop, one after the other.

They draw from the distribution of :func:`geopar.model.assignment.sample` without a pool: agents in
random order, each from the softmax over what earlier ones left. Every rollout has its own random
stream, so it does not matter which others are made with it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import compiled, inner
from geopar.model.choice_kernel import Choices, Network, Workplace, list_choices, score
from geopar.model.fleet_kernel import look, step
from geopar.model.look import Seen
from geopar.model.product_kernel import SPARE

# Of SplitMix64 (Steele, Lea and Flood 2014).
STRIDE = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
FAR, NEAR, LAST, SPENT = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
UNIT = 2.0**-53
# So many rollouts go step by step together, so that products have more rows.
TOGETHER = 8


class Story(NamedTuple):
    """What rollouts did, step by step, with room for more.

    Parameters
    ----------
    rollout
        Whose step it is.
    action, order
        ``(steps, M)``: what everybody did, N for home and N + 1 for staying, and when each had its
        turn.
    log_prob, stream
        Of each rollout, also of those that are told elsewhere: the sum so far, and where its random
        numbers are.
    filled
        How many choices, pairs and steps there are.
    """

    rollout: NDArray[np.int64]
    action: NDArray[np.int64]
    order: NDArray[np.int64]
    log_prob: NDArray[np.float64]
    stream: NDArray[np.uint64]
    filled: NDArray[np.int64]


@inner
def uniform(stream: Any, s: int) -> float:
    """The next number of a stream, from zero to below one."""
    stream[s] += STRIDE
    z = stream[s]
    z = (z ^ (z >> FAR)) * FIRST
    z = (z ^ (z >> NEAR)) * SECOND
    z = z ^ (z >> LAST)
    return float(z >> SPENT) * UNIT


@inner
def _draw(
    choices: Choices, c: int, is_taken: Any, temperature: float, stream: Any, s: int
) -> float:
    """Draw from what is left to a choice; the log-probability of what was drawn."""
    task, logit, share = choices.task, choices.logit, choices.share
    begin, end = choices.first[c], choices.first[c + 1]
    most = -math.inf
    for i in range(begin, end):
        if not is_taken[task[i]]:
            most = max(most, logit[i])
    total = 0.0
    for i in range(begin, end):
        share[i] = 0.0
        if not is_taken[task[i]]:
            weight = math.exp((logit[i] - most) / temperature)
            share[i] = weight
            total += weight
    chosen = -1
    log_prob = 0.0
    if total > 0.0:
        left = uniform(stream, s) * total
        for i in range(begin, end):
            if share[i] > 0.0:
                if left >= 0.0:
                    chosen = i
                left -= share[i]
                share[i] /= total
        log_prob = (logit[chosen] - most) / temperature - math.log(total)
    choices.chosen[c] = chosen
    return log_prob


@inner
def _shuffle(sequence: Any, stream: Any, s: int) -> None:
    for m in range(sequence.shape[0]):
        sequence[m] = m
    for m in range(sequence.shape[0] - 1, 0, -1):
        other = int(uniform(stream, s) * (m + 1))
        sequence[m], sequence[other] = sequence[other], sequence[m]


@compiled
def sample(
    tables: Any, states: Any, network: Network, temperature: float, seen: Seen, work: Workplace,
    choices: Choices, story: Story, begin: int, end: int,
) -> int:  # fmt: skip
    """Go on with some rollouts, to their ends or until there is no more room.

    Parameters
    ----------
    tables, states, network
        The instances, where each rollout is, and the weights. The rollouts of an instance follow
        each other.
    temperature
        τ.
    seen, work
        Room for what is seen in one state, and for what the network makes of it.
    choices, story
        Where it is written down.
    begin, end
        The first rollout to go on with, and the first of others.

    Returns
    -------
    int
        The first that may not be done; ``end`` if all are.
    """
    home = states.is_open.shape[1] - 1
    fleet, columns = seen.feasible.shape[1:]
    filled, stream = story.filled, story.stream
    copies = states.place.shape[0] // tables.table.shape[0]
    number = np.empty((TOGETHER, fleet), dtype=np.int64)
    only = np.empty((TOGETHER, fleet), dtype=np.int64)
    sequence = np.empty(fleet, dtype=np.int64)
    is_taken = np.zeros(home + 2, dtype=np.bool_)
    going = np.empty(TOGETHER, dtype=np.int64)
    for group in range(begin, end, TOGETHER):
        while True:
            together = 0
            for s in range(group, min(group + TOGETHER, end)):
                if states.is_open[s].any():
                    going[together] = s
                    together += 1
            if not together:
                break
            if (
                filled[0] + together * fleet + SPARE >= choices.rollout.shape[0]
                or filled[1] + together * fleet * columns + SPARE >= choices.task.shape[0]
                or filled[2] + together > story.rollout.shape[0]
            ):
                return group
            old = filled[0]
            for i in range(together):
                s = going[i]
                look(tables, states, s // copies, s, seen)
                list_choices(seen, home, s, choices, filled, number[i], only[i])
            score(network, choices, work, old, filled[0])
            for i in range(together):
                s, at = going[i], filled[2]
                _shuffle(sequence, stream, s)
                story.rollout[at] = s
                action, order = story.action[at], story.order[at]
                for turn in range(fleet):
                    m = sequence[turn]
                    order[m] = turn
                    c, task = number[i, m], only[i, m]
                    if c >= 0:
                        story.log_prob[s] += _draw(choices, c, is_taken, temperature, stream, s)
                        chosen = choices.chosen[c]
                        task = choices.task[chosen] if chosen >= 0 else home + 1
                    elif is_taken[task]:
                        task = home + 1
                    action[m] = task
                    is_taken[task] = task < home
                for m in range(fleet):
                    is_taken[action[m]] = False
                step(tables, states, s // copies, s, action)
                filled[2] += 1
    return end
