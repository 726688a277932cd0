"""Rollouts without chance in one compiled loop, instance after instance.

A step of one instance takes microseconds, and less than calling into compiled code once for each
of its parts. Besides, an instance that is done costs nothing while others are not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from geopar.compiled.jit import compiled, inner
from geopar.model.choice_kernel import Choices, Network, Workplace, list_choices, score
from geopar.model.conflict_kernel import resolve
from geopar.model.fleet_kernel import look, step
from geopar.model.look import Seen

# Of numpy's type: for Python's own, all that is called would be compiled once more.
ONE = np.int64(1)


@inner
def _spread(seen: Seen, choices: Choices, number: Any, logits: Any) -> None:
    """Logits by column, −∞ for what is not allowed; who has no choice has the only thing left."""
    fleet, columns = logits.shape
    for m in range(fleet):
        i = choices.first[number[m]] if number[m] >= 0 else -1
        for k in range(columns):
            logits[m, k] = -np.inf
            if seen.feasible[0, m, k]:
                logits[m, k] = choices.logit[i] if i >= 0 else 0.0
                i += i >= 0


@inner
def _share_lost(action: Any, home: int) -> float:
    """Of those who named a task, how many did not get it."""
    lost, named = 0, 0
    for m in range(action.shape[0]):
        lost += action[m] > home
        named += action[m] != home
    return lost / max(named, 1)


@compiled
def roll_out(
    tables: Any, states: Any, network: Network, seen: Seen, work: Workplace, choices: Choices,
    proposals: int, least_conflict: float, history: Any,
) -> int:  # fmt: skip
    """Go on with every instance until it is done or the history is full; how many are not done.

    Parameters
    ----------
    tables, states, network
        The instances, where they are, and the weights.
    seen, work, choices
        Room for what is seen in one state, and for what the network makes of it.
    proposals, least_conflict
        How conflicts are settled; see :class:`geopar.model.assignment.ConflictRule`.
    history
        ``(B, steps, M)``: filled with the actions, those of no step with N + 1.
    """
    home = states.is_open.shape[1] - 1
    fleet, columns = seen.feasible.shape[1:]
    number, only = np.empty(fleet, dtype=np.int64), np.empty(fleet, dtype=np.int64)
    filled = np.empty(2, dtype=np.int64)
    logits = np.empty((1, fleet, columns), dtype=np.float32)
    unfinished = 0
    for b in range(history.shape[0]):
        made = 0
        while made < history.shape[1] and states.is_open[b].any():
            look(tables, states, b, b, seen)
            filled[0], filled[1] = 0, 0
            list_choices(seen, home, b, choices, filled, number, only)
            score(network, choices, work, 0, filled[0])
            _spread(seen, choices, number, logits[0])
            action = history[b, made : made + 1]
            resolve(logits, seen.candidates, ONE, home, ONE, action)
            if proposals > 1 and _share_lost(action[0], home) >= least_conflict:
                resolve(logits, seen.candidates, ONE, home, proposals, action)
            step(tables, states, b, b, action[0])
            made += 1
        history[b, made:] = home + 1
        unfinished += states.is_open[b].any()
    return unfinished
