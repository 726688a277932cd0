"""Greedy rollouts in one compiled loop, instance after instance.

A step of one instance takes microseconds, less than calling into compiled code once for each of its
parts. Besides, an instance that is done costs nothing while others are not.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import compiled, inlined
from geopar.neural.conflict_kernel import resolve
from geopar.pointer.observation import Observation
from geopar.pointer.scoring import Choices, Scratch, Weights, list_choices, score
from geopar.pointer.transitions import observe, step

# Of numpy's type: for Python's own, all that is called would be compiled once more.
ONE = np.int64(1)


class GreedyLog(NamedTuple):
    """What was done in some steps, ``(B, steps, M)`` each.

    Parameters
    ----------
    action
        N for home and N + 1 for staying, also behind the last step.
    wanted, probability
        Everybody's favourite, and how surely; without instances they are not written down.
    """

    action: NDArray[np.int64]
    wanted: NDArray[np.int64]
    probability: NDArray[np.float64]


@compiled(allocates=True)
def roll_out(
    tables: Any, states: Any, weights: Weights, observation: Observation, scratch: Scratch,
    choices: Choices, proposals: int, log: GreedyLog,
) -> int:  # fmt: skip
    """Go on with every instance until it is done or the log is full; how many are not done.

    Parameters
    ----------
    tables, states, weights
        The instances, where they are, and the network.
    observation, scratch, choices
        Buffers for what is seen of one state, and for what the network makes of it.
    proposals
        How many actions everybody may name in one step: who loses a conflict names the next best.
    log
        Filled.
    """
    home = states.is_open.shape[1] - 1
    fleet, columns = observation.feasible.shape
    choice_of, forced = np.empty(fleet, dtype=np.int64), np.empty(fleet, dtype=np.int64)
    filled = np.empty(2, dtype=np.int64)
    logits = np.empty((1, fleet, columns), dtype=np.float32)
    candidates = observation.candidates.reshape((1, fleet, columns))
    unfinished = 0
    for b in range(log.action.shape[0]):
        made = 0
        while made < log.action.shape[1] and states.is_open[b].any():
            observe(tables, states, b, b, observation)
            filled[0], filled[1] = 0, 0
            list_choices(observation, home, b, choices, filled, choice_of, forced)
            score(weights, choices, scratch, 0, filled[0])
            spread_logits(observation, choices, choice_of, logits[0])
            if log.wanted.shape[0]:
                _write_wishes(observation, logits[0], log.wanted[b, made], log.probability[b, made])
            action = log.action[b, made : made + 1]
            resolve(logits, candidates, ONE, home, proposals, action)
            step(tables, states, b, b, action[0])
            made += 1
        log.action[b, made:] = home + 1
        unfinished += states.is_open[b].any()
    return unfinished


@inlined
def spread_logits(observation: Observation, choices: Choices, choice_of: Any, logits: Any) -> None:
    """Logits by column, −∞ for what is not feasible; who has no choice has the only thing left."""
    fleet, columns = logits.shape
    for m in range(fleet):
        i = choices.first[choice_of[m]] if choice_of[m] >= 0 else -1
        for k in range(columns):
            logits[m, k] = -np.inf
            if observation.feasible[m, k]:
                logits[m, k] = choices.logit[i] if i >= 0 else 0.0
                i += i >= 0


@inlined
def _write_wishes(observation: Observation, logits: Any, wanted: Any, probability: Any) -> None:
    """Everybody's favourite, and its probability."""
    for m in range(logits.shape[0]):
        best = np.argmax(logits[m])
        total = 0.0
        for k in range(logits.shape[1]):
            total += math.exp(logits[m, k] - logits[m, best])
        wanted[m], probability[m] = observation.candidates[m, best], 1.0 / total
