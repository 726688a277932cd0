"""DPN: decoupling partition and navigation (Zheng et al. 2024), carried over to HCVRP.

From the published code for the min-max travelling salesmen: agents drive one after another; an
encoder without norms whose cities look at cities, agents at cities and cities at agents; agent
tokens that are told apart by rotation; a pointer with a distance term and a clip of 50; training
by the mean over random orders of the agents.

There is no published HCVRP version. Inferred: capacity and speed in the agent's token, demand in
the city's, load, speed and time in the query, and a depot token that means *reload*, beside the
agent's own token that means *hand over*. The paper that we follow reports exactly 4N + M steps at
large sizes, a cap that its DPN ran into; we have the same cap, after which a simple rule serves
the rest. Our masks rule out endless loops; ``idle_reload`` lets them in.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from geopar.neural.layers import FeedForward
from geopar.peers.blocks import Attention
from geopar.peers.peer import Chooser, Peer, PeerConfig, Step, log_prob_of
from geopar.peers.sequential import (
    NUM_NODE_FEATURES,
    VehicleFeatures,
    as_hcvrp,
    node_features,
    of_vehicle,
)
from geopar.peers.solver import PeerSolver
from geopar.peers.turns import TurnEnvironment, TurnState
from geopar.problems.batch import Batch
from geopar.problems.kinds import Kind
from geopar.problems.tensors import distance, take

ROTATION_BASE = 1000.0
NUM_AGENT_FEATURES = 2
NUM_SCALARS = 8


@dataclass(frozen=True, slots=True)
class DPNConfig(PeerConfig):
    """Settings of DPN.

    Parameters
    ----------
    idle_reload
        Whether a vehicle may reload at the depot without having left it.
    """

    layers: int = 6
    clip: float = 50.0
    idle_reload: bool = False


class DPNEncoded(NamedTuple):
    """Instances, encoded.

    Parameters
    ----------
    environment, features
        Rules, and what does not change of the vehicles.
    mean, here, own
        The parts of the query from all tokens ``(B, d)``, from the place ``(B, N + 1, d)`` and from
        the agent ``(B, M, d)``.
    seen
        Keys and values of the glimpse.
    node_point, agent_point
        What logits are products with: ``(B, N + 1, d)`` and ``(B, M, d)``.
    away
        ``(B, N + 1)``: distances to the depot.
    total
        ``(B, 1)`` float64: all demand.
    """

    environment: TurnEnvironment
    features: VehicleFeatures
    mean: Tensor
    here: Tensor
    own: Tensor
    seen: tuple[Tensor, Tensor]
    node_point: Tensor
    agent_point: Tensor
    away: Tensor
    total: Tensor


class Branch(nn.Module):
    """Attention and feed-forward, each added with a learned weight instead of being normed."""

    def __init__(self, config: DPNConfig, sharp: bool = False) -> None:
        super().__init__()
        self.attention = Attention(config.width, config.heads, bias=False)
        self.feedforward = FeedForward(config.width, config.feedforward)
        self.weight = nn.Parameter(torch.empty(2).uniform_(-1.0, 1.0))
        # "Sharp": scores are not divided by the root of the width.
        self.scale = 1.0 if sharp else None

    def forward(self, x: Tensor, seen: Tensor) -> Tensor:
        """``x`` looks at ``seen``."""
        x = x + self.weight[0] * self.attention(x, seen, self.scale)
        result: Tensor = x + self.weight[1] * self.feedforward(x)
        return result


class PartitionLayer(nn.Module):
    """Navigation: cities look at cities; partition: agents at cities, then cities at agents."""

    def __init__(self, config: DPNConfig) -> None:
        super().__init__()
        self.navigate = Branch(config)
        self.partition = Branch(config)
        self.partition_back = Branch(config, sharp=True)

    def forward(self, nodes: Tensor, agents: Tensor) -> tuple[Tensor, Tensor]:
        """Both kinds of tokens, refined."""
        nodes = self.navigate(nodes, nodes)
        agents = self.partition(agents, nodes)
        return self.partition_back(nodes, agents), agents


def rotated(x: Tensor) -> Tensor:
    """``(B, M, d)``: pairs of channels turned by angles that grow with the agent's index."""
    count, width = x.shape[1:]
    half = width // 2
    speed = ROTATION_BASE ** (-torch.arange(half, device=x.device) / half)
    angle = torch.arange(count, device=x.device)[:, None] * speed
    one, other, rest = x[..., :half], x[..., half : 2 * half], x[..., 2 * half :]
    cos, sin = angle.cos(), angle.sin()
    return torch.cat([one * cos - other * sin, one * sin + other * cos, rest], -1)


class DPN(Peer):
    """The network: one step of the vehicle whose turn it is."""

    learner = "dpn"
    two_passes = True
    Config = DPNConfig
    config: DPNConfig

    def __init__(self, config: DPNConfig) -> None:
        super().__init__(config)
        width = config.width
        self.customer_embedding = nn.Linear(NUM_NODE_FEATURES, width)
        self.depot_embedding = nn.Linear(2, width)
        self.agent_start = nn.Linear(2, width)
        self.agent_features = nn.Linear(NUM_AGENT_FEATURES, width)
        self.agent_position = nn.Linear(2, width)
        self.turned = nn.Linear(width, width, bias=False)
        self.position_weight = nn.Parameter(torch.ones(1))
        self.layers = nn.ModuleList(PartitionLayer(config) for _ in range(config.layers))
        self.query_mean = nn.Linear(width, width, bias=False)
        # One map of [place, agent, shares and scalars], cut into its parts.
        self.query_here = nn.Linear(width, width, bias=False)
        self.query_own = nn.Linear(width, width, bias=False)
        self.query_scalars = nn.Linear(NUM_SCALARS, width)
        self.glimpse = Attention(width, config.heads, bias=False)
        self.point = nn.Linear(width, width, bias=False)
        self.nearness = nn.Parameter(torch.ones(1))

    @classmethod
    def recipe(cls, kind: Kind) -> dict[str, Any]:
        """60 orders of the agents share a mean; batches of 64 are added up in pairs."""
        return {
            "sizes": ("40-100/3-7",),
            "augmentations": 1,
            "samples": 60,
            "milestones": (),
            "clip_norm": 0.0,
        }

    def encode(self, batch: Batch) -> DPNEncoded:
        """Customers, the depot and the agents through all layers."""
        batch = as_hcvrp(batch)
        features = VehicleFeatures.of(batch)
        depot = batch.places[:, -1:]
        customers = self.customer_embedding(node_features(batch)[:, :-1])
        nodes = torch.cat([customers, self.depot_embedding(depot)], 1)
        static = torch.stack([features.capacity[:, 0], features.speed[:, 0]], -1)
        position = rotated(self.agent_position(depot).expand(-1, batch.num_vehicles, -1))
        agents = self.agent_start(depot) + self.agent_features(static)
        agents = agents + self.position_weight * self.turned(position)
        for layer in self.layers:
            nodes, agents = layer(nodes, agents)
        everything = torch.cat([nodes, agents], 1)
        return DPNEncoded(
            TurnEnvironment(batch, self.config.idle_reload),
            features,
            self.query_mean(everything.mean(1)),
            self.query_here(nodes),
            self.query_own(agents),
            self.glimpse.keys(everything),
            self.point(nodes),
            self.point(agents),
            distance(batch.places, depot),
            batch.demand.sum(-1, keepdim=True),
        )

    def reset(self, encoded: DPNEncoded, rollouts: int, chooser: Chooser) -> TurnState:
        """Agents in the order of their numbers, or when sampling in random orders."""
        batch = encoded.environment.batch
        shape = (batch.size, rollouts, batch.num_vehicles)
        order = torch.arange(shape[-1], device=batch.device).expand(shape)
        if chooser.sampling:
            noise = torch.rand(shape, generator=chooser.generator, device=batch.device)
            order = noise.argsort(-1)
        return encoded.environment.reset(order)

    def step(self, encoded: DPNEncoded, state: TurnState, chooser: Chooser) -> Step:
        """The vehicle whose turn it is serves somebody, reloads or hands over."""
        environment = encoded.environment
        logits = self.logits(encoded, state)
        choice = chooser(logits)
        action = environment.action(state, choice)
        hands_over = choice == logits.shape[-1] - 1
        late = environment.late(state)
        if bool(late.any()):
            action = torch.where(late[..., None], environment.serve(state), action)
            hands_over = hands_over & ~late
        after = environment.step(state, action, hands_over)
        if not chooser.sampling:
            return Step(after, action, None)
        return Step(after, action, log_prob_of(logits, choice).masked_fill(late, 0.0), choice)

    def log_prob(self, encoded: DPNEncoded, states: TurnState, choices: Tensor) -> Tensor:
        """Of customers, reloads and hand-overs; what was served by rule was no choice."""
        found = log_prob_of(self.logits(encoded, states), choices)
        return found.masked_fill(encoded.environment.late(states), 0.0)

    def logits(self, encoded: DPNEncoded, state: TurnState) -> Tensor:
        """``(B, R, N + 2)`` logits of the customers, of reloading and of handing over."""
        fleet, vehicle = state.fleet, state.vehicle
        place = fleet.place.gather(-1, vehicle[..., None])[..., 0]
        query = encoded.mean[:, None] + take(encoded.here, place) + take(encoded.own, vehicle)
        query = query + self.query_scalars(self._scalars(encoded, state))
        result = self.glimpse.attend(query, encoded.seen)
        by_node = result @ encoded.node_point.mT
        by_own = (result * take(encoded.agent_point, vehicle)).sum(-1, keepdim=True)
        products = torch.cat([by_node, by_own], -1) / math.sqrt(result.shape[-1])
        position = of_vehicle(fleet.position, vehicle)[..., None, :]
        gap = distance(encoded.environment.batch.places[:, None], position)
        gap = gap / gap.amax(-1, keepdim=True).clamp(min=1e-9)
        # Handing over leads to the depot as well.
        gap = torch.cat([gap, gap[..., -1:]], -1)
        logits = self.config.clip * torch.tanh(products - self.nearness * gap)
        return logits.masked_fill(~encoded.environment.mask(state), -torch.inf)

    def _scalars(self, encoded: DPNEncoded, state: TurnState) -> Tensor:
        """``(B, R, 8)``: shares that are left, times, distances, load and speed."""
        fleet, batch = state.fleet, encoded.environment.batch
        own = of_vehicle(encoded.features.at(fleet), state.vehicle)
        time, capacity, used, speed = own.unbind(-1)
        demand = torch.where(fleet.open, batch.demand[:, None], 0.0).sum(-1)
        far = torch.where(fleet.open, encoded.away[:, None], 0.0).amax(-1)
        return torch.stack(
            [
                1.0 - state.turn / batch.num_vehicles,
                fleet.open.sum(-1) / batch.num_tasks,
                time,
                encoded.away.amax(-1, keepdim=True).expand(time.shape),
                far,
                capacity - used,
                speed,
                (demand / encoded.total.clamp(min=1e-9)).float(),
            ],
            -1,
        )


solver = PeerSolver(peer=DPN)
