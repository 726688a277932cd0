"""What PARCO's published network for HCVRP has besides ours, as options of :class:`ParcoConfig`.

After Berto et al. (2025) and their public code: a vehicle's token has a part for its depot with a
sinusoidal encoding of the vehicle's index, customers have the angle to the depot as a number, and
loads, speeds and times are those of the instances that it learned from, not relative ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from geopar.paper.config import NetworkConfig
from geopar.paper.encoder import Encoder, Tokens
from geopar.paper.observation import HCVRPObserver, ParcoAgent, ParcoFleet
from geopar.paper.tokens import agent_features, task_features
from geopar.problems.batch import Batch, HCVRPBatch
from geopar.problems.hcvrp.environment import HCVRPState
from geopar.problems.tensors import distance

# Loads of the paper's instances are told in parts of the largest capacity that they can have.
LOAD_UNIT = 40.0
LONGEST_WAVE = 10_000.0


class IndexedAgents(nn.Module):
    """A vehicle's token: its depot with a sinusoid of its index, beside its own features."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.depot = nn.Linear(2, width, bias=False)
        self.index = nn.Linear(width, width, bias=False)
        self.index_weight = nn.Parameter(torch.ones(1))
        self.own = nn.Linear(4, width, bias=False)
        self.merge = nn.Linear(2 * width, width, bias=False)

    def forward(self, features: Tensor) -> Tensor:
        """``(B, M, 4)``: start, capacity, speed."""
        waves = sinusoids(features.shape[1], self.index.in_features).to(features)
        depot = self.depot(features[..., :2]) + self.index_weight * self.index(waves)
        result: Tensor = self.merge(torch.cat([depot, self.own(features)], -1))
        return result


def sinusoids(count: int, width: int) -> Tensor:
    """``(count, width)``: sine and cosine of each position, from fast waves to slow ones.

    Vaswani et al. (2017).
    """
    place = torch.arange(count, dtype=torch.float32)[:, None]
    even = torch.arange(0, width, 2, dtype=torch.float32)
    angle = place * torch.exp(even * (-math.log(LONGEST_WAVE) / width))
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)[:, :width]


class ParcoEncoder(Encoder):
    """The encoder of HCVRP with parts of the published one.

    Parameters
    ----------
    config
        Of the network.
    sinusoid, angle, absolute
        As for :class:`geopar.peers.parco.ParcoConfig`.
    """

    def __init__(
        self, config: NetworkConfig, *, sinusoid: bool, angle: bool, absolute: bool
    ) -> None:
        super().__init__(config)
        self.angle, self.absolute = angle, absolute
        if sinusoid:
            self.agent_embedding = IndexedAgents(config.width)
        if angle:
            self.task_embedding = nn.ModuleList([nn.Linear(5, config.width)])

    def features(self, batch: Batch) -> tuple[Tensor, list[Tensor]]:
        """Of vehicles and customers."""
        assert isinstance(batch, HCVRPBatch)
        agents, (tasks,) = agent_features(batch), task_features(batch)
        if self.absolute:
            # A place fills the unit square, so that one over the scale is the fastest speed.
            speed = batch.speed / batch.scale[:, None].float()
            loads = (batch.capacity / LOAD_UNIT).float()
            agents = torch.cat([batch.starts, torch.stack([loads, speed], -1)], -1)
            demand = (batch.demand[:, :-1, None] / LOAD_UNIT).float()
            tasks = torch.cat([tasks[..., :2], demand, tasks[..., 3:]], -1)
        if self.angle:
            away = batch.tasks - batch.reference[:, None]
            angle = torch.atan2(away[..., 1:], away[..., :1])
            tasks = torch.cat([tasks[..., :4], angle], -1)
        return agents, [tasks]

    def embed(self, batch: Batch) -> Tokens:
        """The tokens before they are refined."""
        agents, parts = self.features(batch)
        pairs = zip(self.task_embedding, parts, strict=True)
        tasks = torch.cat([embed(features) for embed, features in pairs], 1)
        return Tokens(self.agent_embedding(agents), tasks)


@dataclass(frozen=True, eq=False)
class AbsoluteObserver(HCVRPObserver):
    """Sees states of HCVRP in the units of the instances that PARCO learned from."""

    def parco(self, state: HCVRPState) -> tuple[ParcoAgent, ParcoFleet]:
        """Time so far, what fits over 40, time to the depot; the share served."""
        batch = self.batch
        pace = batch.speed[:, None] / batch.scale[:, None, None].float()
        back = distance(state.position, batch.reference[:, None, None]) / pace
        served = 1.0 - state.open.float().sum(-1, keepdim=True) / batch.num_tasks
        agents = ParcoAgent(state.length / pace, state.left / LOAD_UNIT, back)
        return agents, ParcoFleet(served)
