"""AM: the attention model (Kool, van Hoof & Welling 2019) for HCVRP, a vehicle, then its node.

The encoder and the node decoder are the published ones. The paper that we follow says that a
vehicle is selected first and that vehicle features are in the decoder's context, and uses one model
for fleets of all sizes; how the vehicle is selected it does not say. Inferred here: a query made of
the mean embedding meets one key for each vehicle, made of its state and of where it is, so that
nothing depends on the number of vehicles. ``selector="earliest"`` takes the vehicle with the least
elapsed time instead, without learning.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import torch
from torch import Tensor, nn

from geopar.errors import Faults
from geopar.peers.blocks import Attention, NormedLayer
from geopar.peers.peer import Chooser, Peer, PeerConfig, Step, log_prob_of
from geopar.peers.pointer import GlimpsePointer, PointerKeys
from geopar.peers.sequential import (
    NUM_NODE_FEATURES,
    NUM_VEHICLE_FEATURES,
    SequentialEnvironment,
    VehicleFeatures,
    as_hcvrp,
    node_features,
    of_vehicle,
)
from geopar.peers.solver import PeerSolver
from geopar.problems.batch import Batch
from geopar.problems.hcvrp.environment import HCVRPState
from geopar.problems.kinds import Kind
from geopar.problems.tensors import take

Selector = Literal["learned", "earliest"]


@dataclass(frozen=True, slots=True)
class AMConfig(PeerConfig):
    """Settings of AM.

    Parameters
    ----------
    selector
        How the vehicle is chosen: ``learned``, or ``earliest``: the least elapsed time.
    """

    selector: Selector = "learned"

    def __post_init__(self) -> None:
        PeerConfig.__post_init__(self)
        faults = Faults()
        self.check_choices(faults, {"selector": get_args(Selector)})
        faults.raise_if_any()


class AMEncoded(NamedTuple):
    """Instances, encoded; what depends on a node alone is multiplied out for all nodes.

    Parameters
    ----------
    environment, features
        Rules, and what does not change of the vehicles.
    keys
        Of the pointer.
    fleet_query
        ``(B, d)``: meets the keys of the vehicles.
    fleet_here
        ``(B, N + 1, F)``: the part of a vehicle's key that comes from where it is.
    context, context_here
        ``(B, d)`` and ``(B, N + 1, d)``: the parts of the node query from the mean and from the
        place.
    """

    environment: SequentialEnvironment
    features: VehicleFeatures
    keys: PointerKeys
    fleet_query: Tensor
    fleet_here: Tensor
    context: Tensor
    context_here: Tensor


class AttentionModel(Peer):
    """The network: one step chooses a vehicle, then its node."""

    learner = "am"
    two_passes = True
    Config = AMConfig
    config: AMConfig

    def __init__(self, config: AMConfig) -> None:
        super().__init__(config)
        width, inner = config.width, config.feedforward
        self.customer_embedding = nn.Linear(NUM_NODE_FEATURES, width)
        self.depot_embedding = nn.Linear(2, width)
        self.layers = nn.ModuleList(
            NormedLayer(Attention(width, config.heads, bias=False), width, inner)
            for _ in range(config.layers)
        )
        if config.selector == "learned":
            self.fleet_query = nn.Linear(width, width, bias=False)
            self.fleet_here = nn.Linear(width, inner, bias=False)
            self.fleet_state = nn.Linear(NUM_VEHICLE_FEATURES, inner)
            self.fleet_key = nn.Linear(inner, width)
        self.context = nn.Linear(width, width, bias=False)
        self.context_here = nn.Linear(width, width, bias=False)
        self.context_state = nn.Linear(NUM_VEHICLE_FEATURES, width, bias=False)
        self.pointer = GlimpsePointer(width, config.heads, config.clip)

    @classmethod
    def recipe(cls, kind: Kind) -> dict[str, Any]:
        """One model for each setting; here the one that the paper takes for all large ones.

        The gradient's clip is that of 2D-Ptr's code, from which the paper's settings seem to come.
        """
        return {
            "baseline": "greedy",
            "augmentations": 1,
            "sizes": ("100/7",),
            "epoch_size": 99_968,
            "milestones": tuple(range(1, 100)),
            "decay": 0.995,
            "clip_norm": 3.0,
        }

    def encode(self, batch: Batch) -> AMEncoded:
        """Three layers over customers and depot."""
        batch = as_hcvrp(batch)
        customers = self.customer_embedding(node_features(batch)[:, :-1])
        tokens = torch.cat([customers, self.depot_embedding(batch.places[:, -1:])], 1)
        for layer in self.layers:
            tokens = layer(tokens, tokens)
        mean = tokens.mean(1)
        learned = self.config.selector == "learned"
        return AMEncoded(
            SequentialEnvironment(batch),
            VehicleFeatures.of(batch),
            self.pointer.remember(tokens),
            self.fleet_query(mean) if learned else mean,
            self.fleet_here(tokens) if learned else tokens,
            self.context(mean),
            self.context_here(tokens),
        )

    def step(self, encoded: AMEncoded, state: HCVRPState, chooser: Chooser) -> Step:
        """Choose a vehicle, then where it goes."""
        environment = encoded.environment
        features = encoded.features.at(state)
        fleet = self.vehicles(encoded, state, features)
        vehicle = chooser(fleet)
        logits = self.nodes(encoded, state, features, vehicle)
        node = chooser(logits)
        action = environment.action(vehicle, node)
        after = environment.step(state, action)
        if not chooser.sampling:
            return Step(after, action, None)
        log_prob = log_prob_of(fleet, vehicle) + log_prob_of(logits, node)
        return Step(after, action, log_prob, torch.stack([vehicle, node], -1))

    def log_prob(self, encoded: AMEncoded, states: HCVRPState, choices: Tensor) -> Tensor:
        """Of vehicles and nodes."""
        features = encoded.features.at(states)
        vehicle, node = choices.unbind(-1)
        fleet = self.vehicles(encoded, states, features)
        logits = self.nodes(encoded, states, features, vehicle)
        return log_prob_of(fleet, vehicle) + log_prob_of(logits, node)

    def vehicles(self, encoded: AMEncoded, state: HCVRPState, features: Tensor) -> Tensor:
        """``(B, R, M)`` logits of the vehicles; the earliest alone when nothing is learned."""
        mask = encoded.environment.vehicle_mask(state)
        if self.config.selector == "earliest":
            first = torch.where(mask, features[..., 0], torch.inf).argmin(-1, keepdim=True)
            return torch.full_like(features[..., 0], -torch.inf).scatter(-1, first, 0.0)
        hidden = take(encoded.fleet_here, state.place) + self.fleet_state(features)
        keys = self.fleet_key(torch.relu(hidden))
        logits = (keys @ encoded.fleet_query[:, None, :, None])[..., 0]
        logits = self.config.clip * torch.tanh(logits / math.sqrt(keys.shape[-1]))
        return logits.masked_fill(~mask, -torch.inf)

    def nodes(
        self, encoded: AMEncoded, state: HCVRPState, features: Tensor, vehicle: Tensor
    ) -> Tensor:
        """``(B, R, N + 1)`` logits of where a vehicle goes."""
        place = state.place.gather(-1, vehicle[..., None])[..., 0]
        query = encoded.context[:, None] + take(encoded.context_here, place)
        query = query + self.context_state(of_vehicle(features, vehicle))
        mask = encoded.environment.node_mask(state, vehicle)
        logits: Tensor = self.pointer(encoded.keys, query, mask)
        return logits


solver = PeerSolver(peer=AttentionModel)
