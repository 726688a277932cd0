"""PARCO (Berto et al. 2025), the base that GeoPAR extends, for both problems.

Its network is the paper's with windows and assignment switched off
(:func:`geopar.paper.config.parco_config`); its environment, its conflict handler and its
loss are in :mod:`geopar.peers.parallel`. Different from the published code, unless options say
otherwise (:mod:`geopar.peers.parco_published`): vehicles carry no sinusoidal encoding of their
index, loads are over the largest capacity instead of over 40, the angle to the depot is a unit
vector. Always: the pointer also sees dynamic features of the tasks (Eq. 8), only active agents are
heard, and the invariance term is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from geopar.errors import Faults
from geopar.neural.conflicts import Scores
from geopar.neural.layers import GatedFeedForward, TransformerLayer
from geopar.paper.config import NetworkConfig, parco_config
from geopar.paper.policy import Encoded, Policy
from geopar.peers import parallel
from geopar.peers.parallel import ParallelConfig, ParallelEncoded, ParallelPeer
from geopar.peers.parco_published import AbsoluteObserver, ParcoEncoder
from geopar.peers.peer import PeerConfig
from geopar.peers.solver import PeerSolver
from geopar.problems.batch import HCVRPBatch
from geopar.problems.environment import Environment
from geopar.problems.kinds import Kind


@dataclass(frozen=True, slots=True)
class ParcoConfig(ParallelConfig):
    """Settings of PARCO.

    Parameters
    ----------
    communication
        Blocks in which agents talk before they point.
    gated
        Feed-forward layers with a gate, as the published ones for HCVRP have.
    sinusoid, angle, absolute
        Of HCVRP, as published: a sinusoid of its index in a vehicle's token; the angle to the depot
        as a number; loads over 40, speeds and times in the units of the paper's instances.
    """

    communication: int = 1
    gated: bool = False
    sinusoid: bool = False
    angle: bool = False
    absolute: bool = False

    def __post_init__(self) -> None:
        PeerConfig.__post_init__(self)
        faults = Faults()
        if self.communication < 0:
            faults.add("out-of-range", "communication", self.communication, "must be 0 or more.")
        for name in ("sinusoid", "angle", "absolute"):
            if getattr(self, name) and self.kind != "hcvrp":
                faults.add("out-of-range", name, True, "is for HCVRP alone.", "Leave it out.")
        faults.raise_if_any()

    def network(self) -> NetworkConfig:
        """The same as settings of the paper's network."""
        return parco_config(
            self.kind,
            width=self.width,
            heads=self.heads,
            layers=self.layers,
            feedforward=self.feedforward,
            clip=self.clip,
            communication=self.communication,
        )


class Parco(ParallelPeer):
    """The paper's network without windows, in PARCO's environment and with its loss."""

    learner = "parco"
    Config = ParcoConfig
    config: ParcoConfig

    def __init__(self, config: ParcoConfig) -> None:
        super().__init__(config)
        self.network = Policy(config.network())
        parts = {name: getattr(config, name) for name in ("sinusoid", "angle", "absolute")}
        if any(parts.values()):
            self.network.encoder = ParcoEncoder(config.network(), **parts)
        if config.gated:
            for layer in (*self.network.encoder.layers, *self.network.decoder.talk):
                assert isinstance(layer, TransformerLayer)
                layer.feedforward = GatedFeedForward(config.width, config.feedforward)

    @classmethod
    def recipe(cls, kind: Kind) -> dict[str, Any]:
        """The settings that our defaults share with it, and 8 turned copies for both problems."""
        return {"augmentations": 8}

    def remember(self, environment: Environment[Any]) -> Encoded:
        """Encode once."""
        encoded = self.network.encode(environment)
        batch = environment.batch
        if self.config.absolute and isinstance(batch, HCVRPBatch):
            return replace(encoded, observer=AbsoluteObserver.of(batch))
        return encoded

    def scores(self, encoded: ParallelEncoded, state: Any) -> Scores:
        """Of all open tasks."""
        return self.network.logits(encoded.memory, state)

    def compacted(self, encoded: ParallelEncoded, state: Any) -> ParallelEncoded:
        """Forget the keys of served tasks, once a fifth of them is."""
        return encoded._replace(memory=self.network.compacted(encoded.memory, state))


solver, warm_up = PeerSolver(peer=Parco), parallel.warm_up
