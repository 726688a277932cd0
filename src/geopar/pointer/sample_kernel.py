"""Sampled rollouts in one compiled loop, a few side by side.

Agents have their turns in random order, and each draws from the softmax over what earlier ones left
(Eq. 12). Every rollout has its own random stream, so it does not matter which others are made with
it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import compiled, inlined
from geopar.compiled.products import SPARE
from geopar.compiled.random import stream_uniform
from geopar.pointer.observation import Observation
from geopar.pointer.scoring import Choices, Scratch, Weights, list_choices, score
from geopar.pointer.transitions import observe, step

# So many rollouts go step by step together, so that products have more rows.
TOGETHER = 8


class SampleLog(NamedTuple):
    """What rollouts did, step by step.

    Parameters
    ----------
    rollout
        Whose step it is.
    action, order
        ``(steps, M)``: what everybody did, N for home and N + 1 for staying, and when each had its
        turn.
    log_prob, stream
        Of each rollout, also of those that are logged elsewhere: the sum so far, and the state of
        its random numbers.
    filled
        How many choices, pairs and steps there are.
    """

    rollout: NDArray[np.int64]
    action: NDArray[np.int64]
    order: NDArray[np.int64]
    log_prob: NDArray[np.float64]
    stream: NDArray[np.uint64]
    filled: NDArray[np.int64]


class _Turns(NamedTuple):
    """Scratch of one step: choices and forced actions ``(TOGETHER, M)``, turns, what is taken."""

    choice_of: NDArray[np.int64]
    forced: NDArray[np.int64]
    sequence: NDArray[np.int64]
    is_taken: NDArray[np.bool_]


@compiled(allocates=True)
def sample(
    tables: Any, states: Any, weights: Weights, observation: Observation, scratch: Scratch,
    choices: Choices, log: SampleLog, begin: int, end: int,
) -> int:  # fmt: skip
    """Go on with some rollouts, to their ends or until a buffer is full.

    Parameters
    ----------
    tables, states, weights
        The instances, where each rollout is, and the network. The rollouts of an instance follow
        each other.
    observation, scratch
        Buffers for what is seen of one state, and for what the network makes of it.
    choices, log
        Where it is written down.
    begin, end
        The first rollout to go on with, and the first of others.

    Returns
    -------
    int
        The first that may not be done; ``end`` if all are.
    """
    home, fleet = states.is_open.shape[1] - 1, observation.feasible.shape[0]
    copies = states.place.shape[0] // tables.scale.shape[0]
    turns = _Turns(
        np.empty((TOGETHER, fleet), dtype=np.int64), np.empty((TOGETHER, fleet), dtype=np.int64),
        np.empty(fleet, dtype=np.int64), np.zeros(home + 2, dtype=np.bool_),
    )  # fmt: skip
    going = np.empty(TOGETHER, dtype=np.int64)
    for group in range(begin, end, TOGETHER):
        while True:
            together = _list_going(states.is_open, group, end, going)
            if not together:
                break
            if _is_full(choices, log, together * fleet, observation.feasible.shape[1], together):
                return group
            old = log.filled[0]
            for i in range(together):
                s, choice_of, forced = going[i], turns.choice_of[i], turns.forced[i]
                observe(tables, states, s // copies, s, observation)
                list_choices(observation, home, s, choices, log.filled, choice_of, forced)
            score(weights, choices, scratch, old, log.filled[0])
            for i in range(together):
                s = going[i]
                action = log.action[log.filled[2]]
                _act(choices, log, s, i, turns)
                step(tables, states, s // copies, s, action)
    return end


@inlined
def _list_going(is_open: Any, group: int, end: int, going: Any) -> int:
    """List the rollouts of a group that are not done; how many there are."""
    count = 0
    for s in range(group, min(group + TOGETHER, end)):
        if is_open[s].any():
            going[count] = s
            count += 1
    return count


@inlined
def _is_full(choices: Choices, log: SampleLog, agents: int, columns: int, steps: int) -> bool:
    """Whether another step of so many agents might be too much for a buffer."""
    return (
        log.filled[0] + agents + SPARE >= choices.rollout.shape[0]
        or log.filled[1] + agents * columns + SPARE >= choices.task.shape[0]
        or log.filled[2] + steps > log.rollout.shape[0]
    )


@inlined
def _act(choices: Choices, log: SampleLog, s: int, row: int, turns: _Turns) -> None:
    """One step of a rollout: everybody draws in random order from what earlier ones left."""
    is_taken, at = turns.is_taken, log.filled[2]
    home, fleet = is_taken.shape[0] - 2, turns.sequence.shape[0]
    log.rollout[at] = s
    log.filled[2] += 1
    _shuffle(turns.sequence, log.stream, s)
    for turn in range(fleet):
        m = turns.sequence[turn]
        log.order[at, m] = turn
        c, task = turns.choice_of[row, m], turns.forced[row, m]
        if c >= 0:
            log.log_prob[s] += _draw(choices, c, is_taken, log.stream, s)
            chosen = choices.chosen[c]
            task = choices.task[chosen] if chosen >= 0 else home + 1
        elif is_taken[task]:
            task = home + 1
        log.action[at, m] = task
        is_taken[task] = task < home
    for m in range(fleet):
        is_taken[log.action[at, m]] = False


@inlined
def _shuffle(sequence: Any, stream: Any, s: int) -> None:
    """A random permutation (Fisher and Yates)."""
    for m in range(sequence.shape[0]):
        sequence[m] = m
    for m in range(sequence.shape[0] - 1, 0, -1):
        other = int(stream_uniform(stream, s) * (m + 1))
        sequence[m], sequence[other] = sequence[other], sequence[m]


@inlined
def _draw(choices: Choices, c: int, is_taken: Any, stream: Any, s: int) -> float:
    """Draw from what is left to a choice; the log-probability of what was drawn."""
    task, logit, share = choices.task, choices.logit, choices.probability
    begin, end = choices.first[c], choices.first[c + 1]
    most = -math.inf
    for i in range(begin, end):
        if not is_taken[task[i]]:
            most = max(most, logit[i])
    total = 0.0
    for i in range(begin, end):
        share[i] = 0.0
        if not is_taken[task[i]]:
            weight = math.exp(logit[i] - most)
            share[i] = weight
            total += weight
    chosen = -1
    log_prob = 0.0
    if total > 0.0:
        left = stream_uniform(stream, s) * total
        for i in range(begin, end):
            if share[i] > 0.0:
                if left >= 0.0:
                    chosen = i
                left -= share[i]
                share[i] /= total
        log_prob = logit[chosen] - most - math.log(total)
    choices.chosen[c] = chosen
    return log_prob
