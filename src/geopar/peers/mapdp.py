"""MAPDP (Zong et al. 2022), as PARCO's authors built it for their tables.

Pickups are fused with their deliveries; a vehicle's query has a message in it that is one linear
map of the states of all vehicles, one after the other. So a network is for one number of vehicles
and knows them by their place in the list. Contested tasks go by a random order of the vehicles,
drawn in each step, also when decoding is greedy.

Different from the original paper: one decoder for all vehicles and no critic, as in PARCO's
version. Which normalisation that version ran with is not known; ours is by root mean square, as in
our other networks, and ``norm="instance"`` has the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import torch
from torch import Tensor, nn

from geopar.errors import Faults, refuse
from geopar.neural.conflicts import Scores
from geopar.neural.layers import TransformerLayer
from geopar.peers import parallel
from geopar.peers.parallel import ParallelConfig, ParallelEncoded, ParallelPeer
from geopar.peers.peer import PeerConfig
from geopar.peers.pickup import (
    NUM_AGENT_FEATURES,
    PickupMemory,
    agent_features,
    as_omdcpdp,
    point,
    where_they_are,
)
from geopar.peers.pointer import GlimpsePointer
from geopar.peers.solver import PeerSolver
from geopar.problems.environment import Environment
from geopar.problems.kinds import Kind

Norm = Literal["rms", "instance"]


@dataclass(frozen=True, slots=True)
class MAPDPConfig(ParallelConfig):
    """Settings of MAPDP.

    Parameters
    ----------
    vehicles
        How many: no other number can be solved.
    norm
        Of the encoder: ``rms`` or ``instance``.
    """

    vehicles: int = 10
    norm: Norm = "rms"

    def __post_init__(self) -> None:
        PeerConfig.__post_init__(self)
        faults = Faults()
        if not isinstance(self.vehicles, int) or self.vehicles < 1:
            faults.add("out-of-range", "vehicles", self.vehicles, "must be a whole number above 0.")
        self.check_choices(faults, {"norm": get_args(Norm)})
        faults.raise_if_any()


class InstanceNorm(nn.Module):
    """Every channel of ``(B, T, d)`` tokens to mean zero and variance one in each instance."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.InstanceNorm1d(width, affine=True)

    def forward(self, x: Tensor) -> Tensor:
        """Normalise over the tokens."""
        result: Tensor = self.norm(x.mT).mT
        return result


class MAPDP(ParallelPeer):
    """The network for one number of vehicles."""

    learner = "mapdp"
    handler = "random"
    Config = MAPDPConfig
    config: MAPDPConfig

    def __init__(self, config: MAPDPConfig) -> None:
        super().__init__(config)
        width = config.width
        self.place = nn.Linear(2, width)
        self.pickup = nn.Linear(2 * width, width)
        self.delivery = nn.Linear(width, width)
        self.start = nn.Linear(width, width)
        self.layers = nn.ModuleList(self._layer() for _ in range(config.layers))
        self.agent = nn.Linear(NUM_AGENT_FEATURES, width, bias=False)
        self.message = nn.Linear(NUM_AGENT_FEATURES * config.vehicles, width, bias=False)
        # One map of [where it is, its state, the message], in parts.
        self.here = nn.Linear(width, width, bias=False)
        self.mix = nn.Linear(2 * width, width, bias=False)
        self.pointer = GlimpsePointer(width, config.heads, config.clip)

    def _layer(self) -> TransformerLayer:
        config = self.config
        layer = TransformerLayer(config.width, config.heads, config.feedforward)
        if config.norm == "instance":
            layer.attention_norm = InstanceNorm(config.width)  # type: ignore[assignment]
            layer.feedforward_norm = InstanceNorm(config.width)  # type: ignore[assignment]
        return layer

    @classmethod
    def recipe(cls, kind: Kind) -> dict[str, Any]:
        """The paper's: 8 turned copies, and one setting for each network; here 100/10."""
        sizes = {"sizes": ("100/10",), "validation": ("100/10",)}
        return {"augmentations": 8, "model": {"vehicles": 10}} | sizes

    @classmethod
    def config_for(cls, kind: Any, num_vehicles: int) -> MAPDPConfig:
        """For this number of vehicles."""
        return MAPDPConfig(kind, vehicles=num_vehicles)

    @classmethod
    def weights_for(cls, num_vehicles: int) -> str:
        """Those for this number of vehicles."""
        return f"{cls.learner}-{num_vehicles}"

    @classmethod
    def how_to_train(cls, kind: str, num_tasks: int, num_vehicles: int) -> str:
        """The command that makes weights for a setting."""
        size = f"{num_tasks}/{num_vehicles}"
        fleet = f"--set model.vehicles={num_vehicles} --set sizes={size} --set validation={size}"
        return f"{super().how_to_train(kind, num_tasks, num_vehicles)} {fleet}"

    def check(self, num_tasks: int, num_vehicles: int) -> None:
        """Refuse another number of vehicles."""
        own = self.config.vehicles
        if num_vehicles != own:
            message = f"these weights of MAPDP are for {own} and no other number."
            hint = f"Train others: {self.how_to_train(self.config.kind, num_tasks, num_vehicles)}"
            refuse("wrong-fleet", "vehicles", num_vehicles, message, hint)

    def remember(self, environment: Environment[Any]) -> PickupMemory:
        """Tokens of tasks and starts through all layers, and what queries take from them."""
        batch = as_omdcpdp(environment)
        pickups, deliveries = self.place(batch.tasks).chunk(2, 1)
        tokens = torch.cat(
            [
                self.pickup(torch.cat([pickups, deliveries], -1)),
                self.delivery(deliveries),
                self.start(self.place(batch.starts)),
            ],
            1,
        )
        for layer in self.layers:
            tokens = layer(tokens)
        nothing = tokens.new_zeros(())
        return PickupMemory(self.here(tokens), self.pointer.remember(tokens), nothing)

    def scores(self, encoded: ParallelEncoded, state: Any) -> Scores:
        """Every vehicle with a message from all."""
        features = agent_features(state)
        message = self.message(features.flatten(2))[:, :, None].expand(*features.shape[:3], -1)
        query = where_they_are(encoded.memory, state) + self.mix(
            torch.cat([self.agent(features), message], -1)
        )
        return point(self.pointer, encoded, state, query)


solver, warm_up = PeerSolver(peer=MAPDP), parallel.warm_up
