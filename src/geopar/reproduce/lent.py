"""The paper's decoding with PARCO's weights: its network is the paper's without windows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from geopar.paper.policy import Policy
from geopar.paper.solver import GeoparSolver
from geopar.peers.parco import Parco
from geopar.problems import Problem


@dataclass(frozen=True)
class LentSolver(GeoparSolver):
    """One pass of PARCO's network, decoded as the paper's."""

    def network(self, problem: Problem) -> tuple[Policy, tuple[str, ...]]:
        """PARCO's."""
        return _load(problem.kind, self.weights, self.device), ()


@lru_cache(maxsize=2)
def _load(kind: str, weights: str | None, device: str) -> Policy:
    return Parco.load(kind, weights or "", device).network
