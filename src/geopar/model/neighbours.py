"""Exact nearest neighbours: dense where that is small, a k-d tree where it is not."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

# Above this many pairs a tree beats a matrix of distances on a CPU.
MOST_DENSE_PAIRS = 2_000_000


def nearest_tasks(tasks: Tensor, queries: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The ``count`` (or all) nearest tasks of each query, nearest first.

    Parameters
    ----------
    tasks
        ``(B, N, 2)``.
    queries
        ``(B, Q, 2)``.
    count
        How many.

    Returns
    -------
    distance, index
        Both ``(B, Q, min(count, N))``.
    """
    count = min(count, tasks.shape[1])
    pairs = queries.shape[1] * tasks.shape[1]
    if pairs <= MOST_DENSE_PAIRS or tasks.device.type != "cpu":
        found = torch.cdist(queries, tasks).topk(count, largest=False)
        return found.values, found.indices
    from scipy.spatial import cKDTree

    distances, indices = [], []
    for places, wanted in zip(tasks.numpy(), queries.numpy(), strict=True):
        gap, index = cKDTree(places).query(wanted, k=range(1, count + 1))
        distances.append(torch.from_numpy(np.asarray(gap, dtype=np.float32)))
        indices.append(torch.from_numpy(index))
    return torch.stack(distances), torch.stack(indices)


def neighbours(tasks: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The nearest other tasks of each task; both ``(B, N, min(count, N - 1))``."""
    return others_near(tasks, tasks, count)


def others_near(tasks: Tensor, queries: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The nearest tasks of each query; query *i* does not find task *i*.

    Both ``(B, Q, min(count, N - 1))``.
    """
    gap, index = nearest_tasks(tasks, queries, count + 1)
    # Of tasks at one place any may come first: drop itself where it is, else the last.
    own = index == torch.arange(queries.shape[1], device=tasks.device)[:, None]
    own[..., -1] |= ~own.any(-1)
    shape = (*index.shape[:2], index.shape[2] - 1)
    return gap[~own].view(shape), index[~own].view(shape)
