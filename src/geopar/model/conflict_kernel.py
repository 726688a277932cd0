"""Greedy decoding in compiled loops; see :func:`geopar.model.assignment.greedy`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from geopar.search.compiled import compiled, inner


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


@compiled
def greedy(logits: Any, candidates: Any, rollouts: int, num_tasks: int, action: Any) -> None:
    """Everybody's best; a contested task to the highest probability, then the lowest number.

    ``logits`` is ``(rows, M, K)``; ``candidates`` the same, or ``(B, 1, K)`` when shared by the
    vehicles and rollouts of an instance; ``action`` is filled, N + 1 for those who lose.
    """
    rows, fleet, columns = logits.shape
    is_shared = candidates.shape[1] == 1 and (fleet > 1 or candidates.shape[0] < rows)
    holder = np.empty(num_tasks, dtype=np.int64)
    best, value = np.empty(fleet, dtype=np.int64), np.empty(fleet)
    for s in range(rows):
        for j in range(num_tasks):
            holder[j] = -1
        for m in range(fleet):
            k = 0
            for i in range(1, columns):
                if logits[s, m, i] > logits[s, m, k]:
                    k = i
            best[m] = k
            value[m] = math.nan
            task = candidates[s // rollouts, 0, k] if is_shared else candidates[s, m, k]
            action[s, m] = task
            if task == num_tasks:
                continue
            other = holder[task]
            if other < 0:
                holder[task] = m
                continue
            # Probabilities are needed only where two want the same.
            for who in (m, other):
                if math.isnan(value[who]):
                    value[who] = logits[s, who, best[who]] - _log_sum(logits[s, who])
            if value[m] > value[other]:
                holder[task] = m
                action[s, other] = num_tasks + 1
            else:
                action[s, m] = num_tasks + 1
