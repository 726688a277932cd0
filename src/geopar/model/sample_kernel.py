"""Sampled rollouts of HCVRP in one compiled loop, one after the other.

They draw from the distribution of :func:`geopar.model.assignment.sample` without a pool: agents in
random order, each from the softmax over what earlier ones left. Every rollout has its own random
stream, so it does not matter which others are made with it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.model.choice_kernel import Choices, Network, Workplace, score
from geopar.model.product_kernel import SPARE
from geopar.model.rollout_kernel import Sketches, States, Tables, look, step
from geopar.model.scorer_kernel import Seen
from geopar.search.compiled import compiled, inner

# Of SplitMix64 (Steele, Lea and Flood 2014).
STRIDE = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
FAR, NEAR, LAST, SPENT = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
UNIT = 2.0**-53


class Story(NamedTuple):
    """What rollouts did, step by step, with room for more.

    Parameters
    ----------
    rollout
        Whose step it is.
    action, order
        ``(steps, M)``: what everybody did, N for home and N + 1 for staying, and when each had its
        turn.
    log_prob
        The sum over each rollout so far.
    stream
        Where the random numbers of each rollout are.
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
def _copy(row: Any, to: Any, at: int) -> int:
    for f in range(row.shape[0]):
        to[at + f] = row[f]
    return at + row.shape[0]


@inner
def _list_choices(
    seen: Seen, home: int, s: int, choices: Choices, filled: Any, number: Any, only: Any
) -> None:
    """Add whoever may do two things or more, and say who may do just one."""
    fleet, columns = seen.feasible.shape[1:]
    c, i = filled[0], filled[1]
    for m in range(fleet):
        number[m], only[m] = -1, home + 1
        count = 0
        for k in range(columns):
            if seen.feasible[0, m, k]:
                count += 1
                only[m] = seen.candidates[0, m, k]
        if count < 2:
            continue
        number[m] = c
        choices.rollout[c] = s
        choices.first[c] = i
        row = choices.agents[c]
        at = _copy(seen.agents[0, m], row, 0)
        at = _copy(seen.agents_added[0, m], row, at)
        at = _copy(seen.fleet[0], row, at)
        _copy(seen.fleet_added[0], row, at)
        for k in range(columns):
            if seen.feasible[0, m, k]:
                at = _copy(seen.pairs[0, m, k], choices.pairs[i], 0)
                _copy(seen.pairs_added[0, m, k], choices.pairs[i], at)
                choices.task[i] = seen.candidates[0, m, k]
                i += 1
        c += 1
        choices.first[c] = i
    filled[0], filled[1] = c, i


@inner
def _draw(
    choices: Choices, c: int, is_taken: Any, temperature: float, stream: Any, s: int
) -> float:
    """Draw from what is left to a choice; the log-probability of what was drawn."""
    begin, end = choices.first[c], choices.first[c + 1]
    most = -math.inf
    for i in range(begin, end):
        if not is_taken[choices.task[i]]:
            most = max(most, choices.logit[i])
    choices.chosen[c] = -1
    total = 0.0
    for i in range(begin, end):
        choices.share[i] = 0.0
        if not is_taken[choices.task[i]]:
            weight = math.exp((choices.logit[i] - most) / temperature)
            choices.share[i] = weight
            total += weight
    if total == 0.0:
        return 0.0
    left = uniform(stream, s) * total
    for i in range(begin, end):
        if choices.share[i] > 0.0:
            if left >= 0.0:
                choices.chosen[c] = i
            left -= choices.share[i]
            choices.share[i] /= total
    return (choices.logit[choices.chosen[c]] - most) / temperature - math.log(total)


@inner
def _shuffle(sequence: Any, stream: Any, s: int) -> None:
    for m in range(sequence.shape[0]):
        sequence[m] = m
    for m in range(sequence.shape[0] - 1, 0, -1):
        other = int(uniform(stream, s) * (m + 1))
        sequence[m], sequence[other] = sequence[other], sequence[m]


@compiled
def sample(
    tables: Tables, sketches: Sketches, states: States, network: Network, temperature: float,
    seen: Seen, work: Workplace, choices: Choices, story: Story, begin: int,
) -> int:  # fmt: skip
    """Go on with the rollouts from one on, to their ends or until there is no more room.

    Parameters
    ----------
    tables, sketches, states, network
        The instances, where each rollout is, and the weights. The rollouts of an instance follow
        each other.
    temperature
        τ.
    seen, work
        Room for what is seen in one state, and for what the network makes of it.
    choices, story
        Where it is written down.
    begin
        The rollout to go on with.

    Returns
    -------
    int
        The rollout that is not done; their number if all are.
    """
    home = states.is_open.shape[1] - 1
    fleet, columns = seen.feasible.shape[1:]
    count, filled, stream = states.place.shape[0], story.filled, story.stream
    copies = count // tables.table.shape[0]
    wish = np.empty((1, fleet), dtype=np.int64)
    number, only = np.empty(fleet, dtype=np.int64), np.empty(fleet, dtype=np.int64)
    sequence = np.empty(fleet, dtype=np.int64)
    is_taken = np.zeros(home + 2, dtype=np.bool_)
    for s in range(begin, count):
        b = s // copies
        while states.is_open[s].any():
            if (
                filled[0] + fleet + SPARE >= choices.rollout.shape[0]
                or filled[1] + fleet * columns + SPARE >= choices.task.shape[0]
                or filled[2] >= story.rollout.shape[0]
            ):
                return s
            look(tables, sketches, states, b, s, wish, seen)
            old = filled[0]
            _list_choices(seen, home, s, choices, filled, number, only)
            score(network, choices, work, old, filled[0])
            _shuffle(sequence, stream, s)
            story.rollout[filled[2]] = s
            action, order = story.action[filled[2]], story.order[filled[2]]
            for turn in range(fleet):
                m = sequence[turn]
                order[m] = turn
                task = only[m]
                if number[m] >= 0:
                    log_prob = _draw(choices, number[m], is_taken, temperature, stream, s)
                    story.log_prob[s] += log_prob
                    chosen = choices.chosen[number[m]]
                    task = choices.task[chosen] if chosen >= 0 else home + 1
                elif is_taken[task]:
                    task = home + 1
                action[m] = task
                is_taken[task] = task < home
            for m in range(fleet):
                is_taken[action[m]] = False
            step(tables, states, b, s, action)
            filled[2] += 1
    return count
