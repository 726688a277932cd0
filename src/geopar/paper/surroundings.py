"""What is open around vehicles and customers, by the projection windows.

The paper leaves open what δ and ξ hold. Embeddings know where all customers are, and nothing of
which are still open; here the windows that Eq. 3 caches tell that to each customer and to each
vehicle at one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import torch
import torch.nn.functional as F
from torch import Tensor

from geopar.paper.windows import WindowCache
from geopar.problems.batch import HCVRPBatch
from geopar.problems.hcvrp.environment import HCVRPState

# Two mean distances to the nearest customer: what is near counts about so far.
REACH = 2.0
# About so many customers are near another.
NEAR_CUSTOMERS = 4.0
# Up to so many customers sums over windows are products with a dense matrix, which is faster.
MOST_DENSE = 512
TINY = 1e-9


class HCVRPAgentAround(NamedTuple):
    """What is around a vehicle; nothing at the depot.

    ``crowd`` is the share of what is near that is open, ``fills`` the load that is open near it
    over its room, squashed, ``rival`` how near the nearest other vehicle on its way is.
    """

    crowd: Tensor
    fills: Tensor
    rival: Tensor


class HCVRPTaskAround(NamedTuple):
    """What is around a customer.

    ``crowd`` is the share of what is near that is open and ``load`` its mean demand over that of
    all; ``reached`` is how near a vehicle on its way is that has room for it, ``farthest`` how far
    out it is among the open ones.
    """

    crowd: Tensor
    load: Tensor
    reached: Tensor
    farthest: Tensor


@dataclass(frozen=True, eq=False)
class Surroundings:
    """How near the customers in each customer's windows are.

    Parameters
    ----------
    batch
        The instances.
    task
        ``(B, N, S)``: the customers in the windows.
    nearness
        ``(B, N, S)``: how much each of them counts, in all 1 for each customer; itself not at all.
    spacing
        ``(B,)``: the mean distance to the nearest customer.
    depot_distance
        ``(B, N)``.
    """

    batch: HCVRPBatch
    task: Tensor
    nearness: Tensor
    spacing: Tensor
    depot_distance: Tensor

    @classmethod
    def of(cls, batch: HCVRPBatch, cache: WindowCache) -> Self:
        """Look at the windows once."""
        counts = cache.stands.clone()
        counts[..., 0] = False
        away = cache.by_task(cache.distance, torch.zeros_like(cache.depot_distance))
        nearest = away.masked_fill(~counts, torch.inf).amin(-1)
        nearest = nearest.masked_fill(nearest.isinf(), 0.0)
        spacing = nearest.mean(-1).clamp(min=TINY)
        nearness = counts / (1.0 + (away / (REACH * spacing[:, None, None])) ** 2)
        nearness = nearness / nearness.sum(-1, keepdim=True).clamp(min=TINY)
        # Several windows bring the same customer, which counts once: the other slots are dropped.
        slots = counts.int().argsort(dim=-1, descending=True, stable=True)
        slots = slots[..., : int(counts.sum(-1).max())]
        return cls(
            batch,
            cache.index.gather(-1, slots),
            nearness.gather(-1, slots),
            spacing.float(),
            cache.depot_distance.float(),
        )

    @cached_property
    def _dense(self) -> Tensor:
        """``(B, N, N)``: what each customer (row) counts at every other (column)."""
        size, tasks = self.task.shape[:2]
        found = self.nearness.new_zeros(size, tasks, tasks)
        return found.scatter_add(2, self.task, self.nearness).mT.contiguous()

    def mean_around(self, value: Tensor) -> Tensor:
        """``(B, R, N)``: for each customer the mean of a value of those in its windows."""
        if value.shape[-1] <= MOST_DENSE:
            return value @ self._dense
        size, rollouts = value.shape[:2]
        index = self.task.flatten(1)[:, None].expand(-1, rollouts, -1)
        seen = value.gather(-1, index).view(size, rollouts, *self.task.shape[1:])
        return (seen * self.nearness[:, None]).sum(-1)

    def seen(self, state: HCVRPState) -> tuple[HCVRPAgentAround, HCVRPTaskAround]:
        """What is open around vehicles and customers in ``(B, R)`` states."""
        home = self.batch.num_tasks
        is_open = state.open[..., :home].float()
        demand = self.batch.demand[:, None, :home].float()
        mean_demand = demand.mean(-1, keepdim=True).clamp(min=TINY)
        crowd, load = self.mean_around(torch.cat([is_open, is_open * demand], 1)).chunk(2, 1)
        at_depot, place = state.place == home, state.place.clamp(max=home - 1)
        load_here = load.gather(-1, place).masked_fill(at_depot, 0.0)
        filling = NEAR_CUSTOMERS * load_here / state.left.float().clamp(min=TINY)
        farthest = (self.depot_distance[:, None] * is_open).amax(-1, keepdim=True)
        agents = HCVRPAgentAround(
            crowd=crowd.gather(-1, place).masked_fill(at_depot, 0.0),
            fills=filling / (1.0 + filling),
            rival=self._nearness_of_rivals(state),
        )
        tasks = HCVRPTaskAround(
            crowd=crowd,
            load=load / mean_demand,
            reached=self._reached(state, demand),
            farthest=self.depot_distance[:, None] / farthest.clamp(min=TINY),
        )
        return agents, tasks

    def _nearness_of_rivals(self, state: HCVRPState) -> Tensor:
        """``(B, R, M)``: of the nearest other vehicle; zero if either is at the depot."""
        driving = state.place != self.batch.num_tasks
        ignored = ~(driving[..., None] & driving[..., None, :])
        ignored |= torch.eye(ignored.shape[-1], dtype=torch.bool, device=ignored.device)
        squared = _squared_distances(state.position, state.position)
        return self._nearness(squared.masked_fill_(ignored, torch.inf).amin(-1))

    def _reached(self, state: HCVRPState, demand: Tensor) -> Tensor:
        """``(B, R, N)``: how near a vehicle on its way with enough room is."""
        driving = state.place != self.batch.num_tasks
        # Only those on their way: late in a plan most of a large fleet are at the depot.
        most = max(int(driving.sum(-1).max()), 1)
        some = driving.int().argsort(dim=-1, descending=True, stable=True)[..., :most]
        room = state.left.float().masked_fill(~driving, -1.0).gather(-1, some)
        position = state.position.gather(-2, some[..., None].expand(-1, -1, -1, 2))
        squared = _squared_distances(position, self.batch.tasks[:, None])
        too_heavy = demand[:, :, None] > room[..., None]
        return self._nearness(squared.masked_fill_(too_heavy, torch.inf).amin(-2))

    def _nearness(self, squared: Tensor) -> Tensor:
        """Of squared distances: from 1, at the same place, to 0, nowhere."""
        return 1.0 / (1.0 + squared.sqrt() / self.spacing[:, None, None])


def _squared_distances(one: Tensor, other: Tensor) -> Tensor:
    """``(…, I, J)``: between each of ``(…, I, 2)`` places and each of ``(…, J, 2)``."""
    x, y = (one[..., :, None, i].float() - other[..., None, :, i].float() for i in (0, 1))
    return x.square_().addcmul_(y, y)


def append(features: Tensor, more: tuple[Tensor, ...], columns: int) -> Tensor:
    """Further features of ``columns`` rows; those that have none are zero there."""
    added = torch.stack(more, -1)
    return torch.cat([features, F.pad(added, (0, 0, 0, columns - added.shape[-2]))], -1)
