"""Raw features X_A and X_V of the encoder's tokens, free of the user's units."""

from __future__ import annotations

import torch
from torch import Tensor

from geopar.problems.batch import Batch, HCVRPBatch
from geopar.problems.kinds import Kind


def agent_features(batch: Batch) -> Tensor:
    """``(B, M, F)``: start, capacity, and for HCVRP speed."""
    if isinstance(batch, HCVRPBatch):
        capacity = (batch.capacity / batch.capacity.amax(-1, keepdim=True)).float()
        extra = [capacity, batch.speed]
    else:
        # One for the paper's three orders, growing slowly for buses.
        extra = [torch.log2(1.0 + batch.capacity.float()) / 2.0]
    return torch.cat([batch.starts, torch.stack(extra, -1)], -1)


def num_agent_features(kind: Kind) -> int:
    """Of :func:`agent_features`."""
    return 4 if kind == "hcvrp" else 3


def task_features(batch: Batch) -> list[Tensor]:
    """``(B, N or N/2, F)`` for each kind of task.

    HCVRP: place, demand over the largest capacity, distance and direction to the depot. OMDCPDP,
    pickups and deliveries apart: own place and the partner's.
    """
    if isinstance(batch, HCVRPBatch):
        demand = (batch.demand[:, :-1] / batch.capacity.amax(-1, keepdim=True)).float()
        offset = batch.reference[:, None] - batch.tasks
        gap: Tensor = torch.linalg.vector_norm(offset, dim=-1, keepdim=True)
        return [torch.cat([batch.tasks, demand[..., None], gap, offset / gap.clamp(min=1e-9)], -1)]
    pickups, deliveries = batch.tasks.chunk(2, 1)
    return [torch.cat([pickups, deliveries], -1), torch.cat([deliveries, pickups], -1)]


def num_task_features(kind: Kind) -> tuple[int, ...]:
    """Of :func:`task_features`, for each kind of task."""
    return (6,) if kind == "hcvrp" else (4, 4)
