"""Learned peers as solvers.

Which weights: those asked for, else what an environment variable such as ``GEOPAR_AM_WEIGHTS``
names (a name, a path, or ``random``), else those that are called like the peer, such as
``hcvrp-am``. ``GEOPAR_WEIGHTS=random`` means everybody's. MAPDP has weights for each number of
vehicles, such as ``omdcpdp-mapdp-7``.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import torch

from geopar.compiled.warming import announced
from geopar.errors import Faults
from geopar.neural.cards import RANDOM, folders
from geopar.neural.one_pass import (
    RANDOM_NOTE,
    WEIGHTS_VARIABLE,
    Construction,
    OnePass,
    best_plans,
    check_copies,
)
from geopar.peers.mapdp import MAPDP, MAPDPConfig, how_to_train
from geopar.peers.parco import Parco, ParcoConfig
from geopar.peers.peer import Peer, PeerMode
from geopar.peers.registry import peer_class
from geopar.peers.weights import load_peer
from geopar.problems import Problem
from geopar.problems.batch import make_batch, symmetric_copies
from geopar.problems.random import generate
from geopar.stop import Budget


@dataclass(frozen=True)
class PeerSolver(OnePass):
    """One pass of a learned peer.

    Parameters
    ----------
    learner
        Its name.
    mode
        ``greedy``, or ``sample``; several samples need the second.
    """

    learner: str = ""
    mode: PeerMode = "greedy"

    def peer_weights(self, problem: Problem) -> str | None:
        """The weights to take; none for those that are called like the peer."""
        variable = f"GEOPAR_{self.learner.upper().replace('-', '_')}_WEIGHTS"
        name = self.weights or os.environ.get(variable)
        if not name and os.environ.get(WEIGHTS_VARIABLE) == RANDOM:
            name = RANDOM
        return name or None

    def network(self, problem: Problem) -> tuple[Peer, tuple[str, ...]]:
        """The peer, and what the user should know about it."""
        name = self.peer_weights(problem)
        peer = _load(self.learner, problem.kind, name, self.device)
        peer.check(problem.num_tasks, problem.num_vehicles)
        return peer, (RANDOM_NOTE,) if name == RANDOM else ()

    @torch.inference_mode()
    def plans(
        self, network: Peer, problems: list[Problem], seed: int, budget: Budget | None
    ) -> Construction:
        """Plans for problems of one size: the best of all copies and samples of each."""
        check_copies(self.augment, self.samples, sampling=self.mode == "sample")
        batch = symmetric_copies(make_batch(problems, self.device), self.augment)
        generator = torch.Generator(self.device).manual_seed(seed)
        rollout = network.rollout(
            batch, self.mode, self.samples, generator, budget=budget, record=True
        )
        assert rollout.recorder is not None
        return best_plans(problems, rollout.recorder, rollout.cost, rollout.steps, self.augment)


@dataclass(frozen=True)
class MAPDPSolver(PeerSolver):
    """One pass of MAPDP, by weights for the number of vehicles that there are."""

    learner: str = MAPDP.learner

    def peer_weights(self, problem: Problem) -> str | None:
        """Those asked for, else those for this fleet."""
        return super().peer_weights(problem) or f"{self.learner}-{problem.num_vehicles}"

    def network(self, problem: Problem) -> tuple[Peer, tuple[str, ...]]:
        """The peer, and what the user should know about it.

        Raises
        ------
        geopar.errors.InputError
            For another problem, when there are no weights for the fleet, or those that were asked
            for are for another.
        """
        peer_class(self.learner, problem.kind)
        name = self.peer_weights(problem)
        if name == RANDOM:
            return _random_mapdp(problem.num_vehicles).to(self.device), (RANDOM_NOTE,)
        if super().peer_weights(problem) is None:
            _check_installed(f"{problem.kind}-{name}", problem)
        return super().network(problem)


def _check_installed(name: str, problem: Problem) -> None:
    if not any((folder / f"{name}.safetensors").is_file() for folder in folders()):
        faults = Faults()
        hint = f"Train some: {how_to_train(problem.num_tasks, problem.num_vehicles)}"
        faults.add("no-weights", "weights", name, "are not installed.", hint)
        faults.raise_now()


@lru_cache(maxsize=8)
def _load(learner: str, kind: str, name: str | None, device: str) -> Peer:
    return load_peer(learner, kind, name, device)


@lru_cache(maxsize=8)
def _random_mapdp(vehicles: int) -> MAPDP:
    """One that has learned nothing, for a fleet."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return MAPDP(MAPDPConfig("omdcpdp", vehicles=vehicles)).eval()


def warm_up(kind: str, announce: Callable[[str], None]) -> None:
    """Compile how parallel peers settle conflicts on a CPU, once; then it is kept on disk."""
    with (
        announced("compiling how conflicts are settled, once, some seconds", announce),
        torch.random.fork_rng(devices=[]),
        torch.inference_mode(),
    ):
        Parco(ParcoConfig(kind, width=8, heads=1, layers=0)).rollout(  # type: ignore[arg-type]
            make_batch([generate(f"{kind}/2/1")])
        )


am = PeerSolver(learner="am")
two_d_ptr = PeerSolver(learner="2d-ptr")
dpn = PeerSolver(learner="dpn")
ham = PeerSolver(learner="ham")
parco = PeerSolver(learner=Parco.learner)
mapdp = MAPDPSolver()
