"""Who gets a contested task, in compiled loops; see :func:`geopar.neural.conflicts.accept`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from geopar.compiled.jit import compiled, inner


@inner
def _log_sum(logits: Any) -> float:
    """The logarithm of the sum of exponentials."""
    most = -math.inf
    for k in range(logits.shape[0]):
        most = max(most, logits[k])
    total = 0.0
    for k in range(logits.shape[0]):
        total += math.exp(logits[k] - most)
    return most + math.log(total)


@inner
def _favourite(logits: Any, refused: Any, is_refused: bool) -> int:
    """The column of the best that was not refused, or -1."""
    best = -1
    for k in range(logits.shape[0]):
        if is_refused and refused[k]:
            continue
        if logits[k] > -math.inf and (best < 0 or logits[k] > logits[best]):
            best = k
    return best


@compiled(allocates=True)
def resolve(
    logits: Any, candidates: Any, rollouts: int, num_tasks: int, count: int, action: Any
) -> None:
    """A contested task to the highest probability; losers name their next best, up to ``count``.

    With one proposal that is greedy decoding: losers stay.

    Parameters
    ----------
    logits
        ``(rows, M, K)``.
    candidates
        The same, or ``(B, 1, K)`` when shared by the vehicles and rollouts of an instance.
    rollouts
        Rows of each instance.
    num_tasks
        N.
    count
        How many proposals everybody has.
    action
        ``(rows, M)``: filled, N + 1 for those who stay. Equal probabilities: the lower number.
    """
    rows, fleet, columns = logits.shape
    is_shared = candidates.shape[1] == 1 and (fleet > 1 or candidates.shape[0] < rows)
    holder = np.empty(num_tasks, dtype=np.int64)
    best, proposed = np.empty(fleet, dtype=np.int64), np.empty(fleet, dtype=np.int64)
    total = np.empty(fleet)
    refused = np.empty((fleet, columns), dtype=np.bool_)
    for s in range(rows):
        for j in range(num_tasks):
            holder[j] = -1
        for m in range(fleet):
            proposed[m], total[m] = 0, math.nan
            who = m
            while True:
                action[s, who] = num_tasks + 1
                if proposed[who] == count:
                    break
                k = _favourite(logits[s, who], refused[who], proposed[who] > 0)
                if k < 0:
                    break
                proposed[who] += 1
                best[who] = k
                task = candidates[s // rollouts, 0, k] if is_shared else candidates[s, who, k]
                action[s, who] = task
                if task == num_tasks:
                    break
                other = holder[task]
                if other < 0:
                    holder[task] = who
                    break
                # Probabilities are needed only where two want the same.
                for one in (who, other):
                    if math.isnan(total[one]):
                        total[one] = _log_sum(logits[s, one])
                mine = logits[s, who, best[who]] - total[who]
                theirs = logits[s, other, best[other]] - total[other]
                loser = who
                if mine > theirs or (mine == theirs and who < other):
                    holder[task] = who
                    loser = other
                if proposed[loser] == 1:
                    refused[loser] = False
                refused[loser, best[loser]] = True
                who = loser
