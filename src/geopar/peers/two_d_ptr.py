"""2D-Ptr: the two-dimensional array pointer network (Liu et al. 2024) for HCVRP.

Nodes are encoded once, vehicles anew in every step; one softmax over all vehicle-node pairs. As in
the published code, but for units: loads are over the largest capacity of the instance.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from geopar.peers.blocks import Attention, NormedLayer
from geopar.peers.peer import Chooser, Peer, PeerConfig, Step, log_prob_of
from geopar.peers.sequential import (
    NUM_NODE_FEATURES,
    NUM_VEHICLE_FEATURES,
    SequentialEnvironment,
    VehicleFeatures,
    as_hcvrp,
    node_features,
)
from geopar.peers.solver import PeerSolver
from geopar.problems.batch import Batch
from geopar.problems.hcvrp.environment import HCVRPState
from geopar.problems.kinds import Kind
from geopar.problems.tensors import take


class TwoDPtrEncoded(NamedTuple):
    """Instances, encoded.

    Parameters
    ----------
    environment, features
        Rules, and what does not change of the vehicles.
    nodes
        ``(B, N + 1, d)``.
    here
        ``(B, N + 1, d)``: the part of a vehicle's embedding that comes from where it is.
    seen
        Keys and values of what vehicles look at.
    """

    environment: SequentialEnvironment
    features: VehicleFeatures
    nodes: Tensor
    here: Tensor
    seen: tuple[Tensor, Tensor]


class TwoDPtr(Peer):
    """The network: one step chooses one vehicle and where it goes, by one softmax over pairs."""

    learner = "2d-ptr"
    config: PeerConfig
    two_passes = True

    def __init__(self, config: PeerConfig) -> None:
        super().__init__(config)
        width, inner = config.width, config.feedforward
        self.embedding = nn.Linear(NUM_NODE_FEATURES, width)
        self.depot = nn.Parameter(torch.empty(width).uniform_(-1.0, 1.0) / math.sqrt(width))
        self.layers = nn.ModuleList(
            NormedLayer(Attention(width, config.heads, bias=False), width, inner)
            for _ in range(config.layers)
        )
        self.vehicle_state = nn.Sequential(
            nn.Linear(NUM_VEHICLE_FEATURES, inner), nn.ReLU(), nn.Linear(inner, width)
        )
        # One map of [place, state], cut into its two parts.
        self.join_here = nn.Linear(width, width, bias=False)
        self.join_state = nn.Linear(width, width)
        self.among_vehicles = Attention(width, config.heads)
        self.to_nodes = Attention(width, config.heads)

    @classmethod
    def recipe(cls, kind: Kind) -> dict[str, Any]:
        """The published training; one model for each setting, here the one for all large ones."""
        return {
            "baseline": "greedy",
            "augmentations": 1,
            "sizes": ("100/7",),
            "batch_size": 512,
            "epoch_size": 1_280_000,
            "epochs": 50,
            "milestones": tuple(range(1, 50)),
            "decay": 0.995,
            "clip_norm": 3.0,
        }

    def encode(self, batch: Batch) -> TwoDPtrEncoded:
        """Three layers over customers and depot."""
        batch = as_hcvrp(batch)
        tokens = self.embedding(node_features(batch))
        tokens = torch.cat([tokens[:, :-1], tokens[:, -1:] + self.depot], 1)
        for layer in self.layers:
            tokens = layer(tokens, tokens)
        return TwoDPtrEncoded(
            SequentialEnvironment(batch),
            VehicleFeatures.of(batch),
            tokens,
            self.join_here(tokens),
            self.to_nodes.keys(tokens),
        )

    def step(self, encoded: TwoDPtrEncoded, state: HCVRPState, chooser: Chooser) -> Step:
        """Choose one vehicle-node pair."""
        environment = encoded.environment
        pairs = self.pairs(encoded, state)
        pair = chooser(pairs)
        width = environment.batch.num_tasks + 1
        action = environment.action(pair // width, pair % width)
        log_prob = log_prob_of(pairs, pair) if chooser.sampling else None
        return Step(environment.step(state, action), action, log_prob, pair)

    def log_prob(self, encoded: TwoDPtrEncoded, states: HCVRPState, choices: Tensor) -> Tensor:
        """Log-probabilities of the pairs that were chosen."""
        return log_prob_of(self.pairs(encoded, states), choices)

    def pairs(self, encoded: TwoDPtrEncoded, state: HCVRPState) -> Tensor:
        """``(B, R, M · (N + 1))`` logits of all pairs."""
        mask = encoded.environment.pair_mask(state)
        joined = take(encoded.here, state.place)
        joined = joined + self.join_state(self.vehicle_state(encoded.features.at(state)))
        fleet = joined.flatten(0, 1)
        fleet = fleet + self.among_vehicles(fleet, fleet)
        # All rollouts of an instance look at the same nodes; the depot is always there.
        vehicles = fleet.view(joined.shape).flatten(1, 2)
        visible = state.open.clone()
        visible[..., -1] = True
        visible = visible[:, :, None].expand(mask.shape).flatten(1, 2)
        vehicles = vehicles + self.to_nodes.attend(vehicles, encoded.seen, visible)
        logits = vehicles @ encoded.nodes.mT / math.sqrt(vehicles.shape[-1])
        logits = self.config.clip * torch.tanh(logits)
        return logits.view(mask.shape).masked_fill(~mask, -torch.inf).flatten(2)


solver = PeerSolver(peer=TwoDPtr)
