"""What is seen of ``(B, R)`` states as tensors, and helpers of both problems' oracles."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from geopar.pointer.columns import Column
from geopar.problems.tensors import take

INF = torch.inf


class Observed(NamedTuple):
    """As :class:`geopar.pointer.observation.Observation`, with ``(B, R)`` in front."""

    candidates: Tensor
    feasible: Tensor
    active: Tensor
    agents: Tensor
    fleet: Tensor
    pairs: Tensor


def table(columns: type[Column], features: dict[Column, Tensor]) -> Tensor:
    """Features by name as the last dimension of a table; each exactly once."""
    assert set(features) == set(columns)
    parts = torch.broadcast_tensors(*(features[column].float() for column in columns))
    return torch.stack(parts, -1)


def squash(x: Tensor) -> Tensor:
    """Any number to (−1, 1), steep near zero."""
    return x / (1.0 + x.abs())


def share_less(value: Tensor) -> Tensor:
    """``(B, R, M)``: the share of the fleet whose value is less."""
    return (value[..., None, :] < value[..., None]).float().mean(-1)


def rows_of(values: Tensor, index: Tensor) -> Tensor:
    """Entries of ``(B, R, P)`` values by ``(B, R, ...)`` index."""
    flat = take(values.flatten(0, 1)[..., None], index.flatten(0, 1))
    return flat[..., 0].unflatten(0, values.shape[:2])


def mean_around(values: Tensor, near: Tensor) -> Tensor:
    """The mean of ``(B, R, N)`` values over ``(B, N, 8)`` neighbours of each task."""
    if not near.shape[-1]:
        return torch.zeros_like(values)
    flat = near.flatten(1)[:, None].expand(-1, values.shape[1], -1)
    return values.gather(-1, flat).unflatten(-1, near.shape[1:]).mean(-1)


def best_rival(candidates: Tensor, value: Tensor, num_tasks: int) -> Tensor:
    """The least value of the *other* agents for each candidate, infinite where there is none.

    Parameters
    ----------
    candidates
        ``(B, R, M, K)``.
    value
        ``(B, R, M, K)``: each agent's own, infinite where the candidate is not for it.
    num_tasks
        N; home is nobody's.
    """
    by_task = torch.full((*value.shape[:3], num_tasks + 1), INF, dtype=value.dtype)
    by_task = by_task.scatter(-1, candidates, value)
    rivals = []
    for m in range(value.shape[2]):
        others = torch.cat([by_task[:, :, :m], by_task[:, :, m + 1 :]], 2)
        empty = torch.full_like(by_task[:, :, 0], INF)
        rivals.append(others.amin(2) if others.shape[2] else empty)
    return torch.stack(rivals, 2).gather(-1, candidates)
