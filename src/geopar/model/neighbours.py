"""Exact nearest neighbours: dense where that is small, a k-d tree where it is not."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

# Above this many pairs a tree beats a matrix of distances on a CPU.
MOST_DENSE_PAIRS = 2_000_000


def neighbours(tasks: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The nearest other tasks of each task, nearest first.

    Parameters
    ----------
    tasks
        ``(B, N, 2)``.
    count
        How many.

    Returns
    -------
    distance, index
        Both ``(B, N, min(count, N - 1))``.
    """
    num_tasks = tasks.shape[1]
    gap, index = _nearest(tasks, min(count + 1, num_tasks))
    # Of tasks at one place any may come first: drop itself where it is, else the last.
    own = index == torch.arange(num_tasks, device=tasks.device)[:, None]
    own[..., -1] |= ~own.any(-1)
    shape = (*index.shape[:2], index.shape[2] - 1)
    return gap[~own].view(shape), index[~own].view(shape)


def _nearest(tasks: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The ``count`` tasks nearest to each task, itself among them."""
    if tasks.shape[1] ** 2 <= MOST_DENSE_PAIRS or tasks.device.type != "cpu":
        found = torch.cdist(tasks, tasks).topk(count, largest=False)
        return found.values, found.indices
    from scipy.spatial import cKDTree

    distances, indices = [], []
    for places in tasks.numpy():
        gap, index = cKDTree(places).query(places, k=range(1, count + 1))
        distances.append(torch.from_numpy(np.asarray(gap, dtype=np.float32)))
        indices.append(torch.from_numpy(index))
    return torch.stack(distances), torch.stack(indices)
