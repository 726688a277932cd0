"""What the features of both problems share: squashing, rivals, how open a neighbourhood is."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from geopar.model.neighbours import neighbours
from geopar.problems.tensors import take

TINY = 1e-6
# The neighbourhood of a task: how many others, and of how many the spacing is the mean distance.
NEIGHBOURS = 8
# Among how many neighbours an agent looks for where it could go on to.
ONWARD_NEIGHBOURS = 16
SPACING_NEIGHBOURS = 4
# Up to so many tasks a matrix product counts open neighbours faster than a gather.
MOST_DENSE_TASKS = 256


def squash(x: Tensor) -> Tensor:
    """Any number to (−1, 1), steep near zero."""
    return x / (1.0 + x.abs())


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """The fixed neighbourhoods of the tasks, and the spacing of the instance.

    Parameters
    ----------
    spacing
        ``(B,)``: the mean distance between neighbouring tasks.
    index
        ``(B, N, count)``: the nearest other tasks; fewer when there are fewer. The first eight
        are the neighbourhood.
    weight
        ``(B, N, N)``: one over their number where a column's task is near a row's, for small N.
    """

    spacing: Tensor
    index: Tensor
    weight: Tensor | None

    @classmethod
    def of(cls, tasks: Tensor, count: int = NEIGHBOURS) -> Neighbourhood:
        """For ``(B, N, 2)`` places, with so many neighbours of each, eight or more."""
        size, num_tasks = tasks.shape[:2]
        if num_tasks == 1:
            nobody = torch.zeros(size, 1, 0, dtype=torch.int64, device=tasks.device)
            return cls(torch.ones(size, device=tasks.device), nobody, None)
        gap, index = neighbours(tasks, count)
        spacing = gap[..., :SPACING_NEIGHBOURS].mean((1, 2)).clamp(min=TINY)
        weight = None
        if num_tasks <= MOST_DENSE_TASKS:
            near = index[..., :NEIGHBOURS]
            weight = torch.zeros(size, num_tasks, num_tasks, device=tasks.device)
            weight.scatter_(-1, near, 1.0 / near.shape[-1])
        return cls(spacing, index, weight)

    def share_of(self, values: Tensor) -> Tensor:
        """The mean of ``(B, R, N)`` values over each task's neighbours."""
        near = self.index[..., :NEIGHBOURS]
        if not near.shape[-1]:
            return torch.zeros_like(values)
        if self.weight is not None:
            return values @ self.weight.mT
        flat = near.flatten(1)[:, None].expand(-1, values.shape[1], -1)
        return values.gather(-1, flat).unflatten(-1, near.shape[1:]).mean(-1)


def rival_distance(candidates: Tensor, gap: Tensor, num_tasks: int) -> Tensor:
    """How near the nearest *other* agent is to each candidate, infinite when there is none.

    Parameters
    ----------
    candidates
        ``(B, R, M, K)``.
    gap
        ``(B, R, M, K)``: each agent's own distance, infinite where the candidate is not for it.
    num_tasks
        N; home is nobody's.
    """
    where, flat = candidates.flatten(2), gap.flatten(2)
    nobody = flat.new_full((*flat.shape[:2], num_tasks + 1), torch.inf)
    first = nobody.scatter_reduce(-1, where, flat, "amin").gather(-1, where)
    leads = flat == first
    count = torch.zeros_like(nobody).scatter_add(-1, where, leads.to(flat.dtype))
    second = nobody.scatter_reduce(-1, where, flat.masked_fill(leads, torch.inf), "amin")
    alone = leads & (count.gather(-1, where) < 1.5)
    return torch.where(alone, second.gather(-1, where), first).view(gap.shape)


def share_before(value: Tensor) -> Tensor:
    """``(B, R, M)``: the share of the fleet whose value is less."""
    return (value[..., None, :] < value[..., None]).float().mean(-1)


def rows_of(table: Tensor, index: Tensor) -> Tensor:
    """Rows of a ``(B, R, P, F)`` table by ``(B, R, ...)`` index."""
    lead = table.shape[:2]
    return take(table.flatten(0, 1), index.flatten(0, 1)).unflatten(0, lead)
