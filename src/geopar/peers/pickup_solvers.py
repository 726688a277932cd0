"""HAM and MAPDP as solvers.

MAPDP has weights for each number of vehicles, such as ``omdcpdp-mapdp-7``; apart from that see
:mod:`geopar.peers.solver`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import torch

from geopar.errors import Faults
from geopar.model.solver import RANDOM_NOTE
from geopar.model.weights import RANDOM, folders
from geopar.peers.mapdp import MAPDP, MAPDPConfig, how_to_train
from geopar.peers.peer import Peer
from geopar.peers.registry import peer_class
from geopar.peers.solver import PeerSolver
from geopar.problems import Problem


@dataclass(frozen=True)
class MAPDPSolver(PeerSolver):
    """One pass of MAPDP, by weights for the number of vehicles that there are."""

    learner: str = MAPDP.learner

    def weights_name(self, problem: Problem) -> str | None:
        """Those asked for, else those for this fleet."""
        return super().weights_name(problem) or f"{self.learner}-{problem.num_vehicles}"

    def network(self, problem: Problem) -> tuple[Peer, tuple[str, ...]]:
        """The peer, and what the user should know about it.

        Raises
        ------
        geopar.errors.InputError
            For another problem, when there are no weights for the fleet, or those that were asked
            for are for another.
        """
        peer_class(self.learner, problem.kind)
        name = self.weights_name(problem)
        if name == RANDOM:
            return _random_mapdp(problem.num_vehicles).to(self.device), (RANDOM_NOTE,)
        if super().weights_name(problem) is None:
            _check_installed(f"{problem.kind}-{name}", problem)
        return super().network(problem)


def _check_installed(name: str, problem: Problem) -> None:
    if not any((folder / f"{name}.safetensors").is_file() for folder in folders()):
        faults = Faults()
        hint = f"Train some: {how_to_train(problem.num_tasks, problem.num_vehicles)}"
        faults.add("no-weights", "weights", name, "are not installed.", hint)
        faults.raise_now()


@lru_cache(maxsize=8)
def _random_mapdp(vehicles: int) -> MAPDP:
    """One that has learned nothing, for a fleet."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return MAPDP(MAPDPConfig("omdcpdp", vehicles=vehicles)).eval()


ham = PeerSolver(learner="ham")
mapdp = MAPDPSolver()
