"""The fixed neighbourhoods of the tasks of an instance, and how densely they lie."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

TINY = 1e-6
# The neighbourhood of a task: so many others; the spacing is the mean distance of the nearest few.
NEIGHBOURS = 8
SPACING_NEIGHBOURS = 4
# Above this many pairs a tree beats a matrix of distances.
MOST_DENSE_PAIRS = 2_000_000


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """Who is near whom.

    Parameters
    ----------
    spacing
        ``(B,)``: the mean distance between neighbouring tasks.
    index
        ``(B, N, count)``: the nearest other tasks, nearest first; fewer when there are fewer.
    """

    spacing: Tensor
    index: Tensor

    @classmethod
    def of(cls, tasks: Tensor, count: int = NEIGHBOURS) -> Neighbourhood:
        """For ``(B, N, 2)`` places, with so many neighbours of each."""
        size, num_tasks = tasks.shape[:2]
        if num_tasks == 1:
            return cls(torch.ones(size), torch.zeros(size, 1, 0, dtype=torch.int64))
        gap, index = neighbours(tasks, count)
        return cls(gap[..., :SPACING_NEIGHBOURS].mean((1, 2)).clamp(min=TINY), index)


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
    own = index == torch.arange(num_tasks)[:, None]
    own[..., -1] |= ~own.any(-1)
    shape = (*index.shape[:2], index.shape[2] - 1)
    return gap[~own].view(shape), index[~own].view(shape)


def _nearest(tasks: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The ``count`` tasks nearest to each task, itself among them."""
    if tasks.shape[1] ** 2 <= MOST_DENSE_PAIRS:
        found = torch.cdist(tasks, tasks).topk(count, largest=False)
        return found.values, found.indices
    from scipy.spatial import cKDTree

    distances, indices = [], []
    for places in tasks.numpy():
        gap, index = cKDTree(places).query(places, k=range(1, count + 1))
        distances.append(torch.from_numpy(np.asarray(gap, dtype=np.float32)))
        indices.append(torch.from_numpy(index))
    return torch.stack(distances), torch.stack(indices)
