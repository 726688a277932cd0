"""PARCO (Berto et al. 2025), the base that GeoPAR extends, for both problems.

Its network is the paper's with windows and assignment switched off
(:func:`geopar.paper.config.parco_config`); its environment, its conflict handler and its
loss are in :mod:`geopar.peers.parallel`. Different from the published code: vehicles carry no
sinusoidal encoding of their index, loads are over the largest capacity instead of over 40, the
angle to the depot is a unit vector, the pointer also sees dynamic features of the tasks (Eq. 8),
and the invariance term is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from geopar.errors import refuse
from geopar.neural.conflicts import Scores
from geopar.paper.config import NetworkConfig, parco_config
from geopar.paper.policy import Encoded, Policy
from geopar.peers import parallel
from geopar.peers.parallel import ParallelConfig, ParallelEncoded, ParallelPeer
from geopar.peers.peer import PeerConfig
from geopar.peers.solver import PeerSolver
from geopar.problems.environment import Environment
from geopar.problems.kinds import Kind


@dataclass(frozen=True, slots=True)
class ParcoConfig(ParallelConfig):
    """Settings of PARCO.

    Parameters
    ----------
    communication
        Blocks in which agents talk before they point.
    """

    communication: int = 1

    def __post_init__(self) -> None:
        PeerConfig.__post_init__(self)
        if self.communication < 0:
            refuse("out-of-range", "communication", self.communication, "must be 0 or more.")

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

    @classmethod
    def recipe(cls, kind: Kind) -> dict[str, Any]:
        """The settings that our defaults share with it, and 8 turned copies for both problems."""
        return {"augmentations": 8}

    def remember(self, environment: Environment[Any]) -> Encoded:
        """The encoder of the paper's network."""
        return self.network.encode(environment)

    def scores(self, encoded: ParallelEncoded, state: Any) -> Scores:
        """Of all open tasks."""
        return self.network.logits(encoded.memory, state)

    def compacted(self, encoded: ParallelEncoded, state: Any) -> ParallelEncoded:
        """Forget the keys of served tasks, once a fifth of them is."""
        return encoded._replace(memory=self.network.compacted(encoded.memory, state))


solver, warm_up = PeerSolver(peer=Parco), parallel.warm_up
