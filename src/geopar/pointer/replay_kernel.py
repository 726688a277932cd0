"""What the network would do in every state of rollouts that others made, in one compiled loop."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import compiled
from geopar.pointer.greedy_kernel import spread_logits
from geopar.pointer.observation import Observation
from geopar.pointer.scoring import Choices, Scratch, Weights, list_choices, score
from geopar.pointer.transitions import observe, step


class ReplayLog(NamedTuple):
    """Of rollouts, ``(rollouts, steps, …)`` each.

    Parameters
    ----------
    action
        ``(…, M)``: what was done, N for home and N + 1 for staying.
    candidates, logits
        ``(…, M, K)``: what everybody looked at before, and the network's logits, −∞ for what was
        not feasible and in steps behind the end. Filled.
    """

    action: NDArray[np.int64]
    candidates: NDArray[np.int64]
    logits: NDArray[np.float32]


@compiled(allocates=True)
def replay(
    tables: Any, states: Any, weights: Weights, observation: Observation, scratch: Scratch,
    choices: Choices, log: ReplayLog,
) -> None:  # fmt: skip
    """Follow the rollouts from their first states to their ends, and fill the log.

    Parameters
    ----------
    tables, states, weights
        The instances, where each rollout is, and the network. The rollouts of an instance follow
        each other.
    observation, scratch, choices
        Buffers for what is seen of one state, and for what the network makes of it.
    log
        The actions; filled.
    """
    home, fleet = states.is_open.shape[1] - 1, observation.feasible.shape[0]
    copies = states.place.shape[0] // tables.scale.shape[0]
    choice_of, forced = np.empty(fleet, dtype=np.int64), np.empty(fleet, dtype=np.int64)
    filled = np.empty(2, dtype=np.int64)
    log.logits[:] = -np.inf
    log.candidates[:] = home
    for s in range(log.action.shape[0]):
        b = s // copies
        for i in range(log.action.shape[1]):
            if not states.is_open[s].any():
                break
            observe(tables, states, b, s, observation)
            filled[0], filled[1] = 0, 0
            list_choices(observation, home, s, choices, filled, choice_of, forced)
            score(weights, choices, scratch, 0, filled[0])
            spread_logits(observation, choices, choice_of, log.logits[s, i])
            log.candidates[s, i] = observation.candidates
            step(tables, states, b, s, log.action[s, i])
