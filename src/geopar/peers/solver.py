"""Learned peers as solvers.

Which weights: those asked for, else what an environment variable such as ``GEOPAR_AM_WEIGHTS``
names (a name, a path, or ``random``), else those that are called like the peer, such as
``hcvrp-am``. ``GEOPAR_WEIGHTS=random`` means everybody's.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache

import torch

from geopar.model.construct import Construction, best_plans
from geopar.model.solver import RANDOM_NOTE, WEIGHTS_VARIABLE, OnePass
from geopar.model.weights import RANDOM
from geopar.peers.peer import Peer, PeerMode
from geopar.peers.weights import load_peer
from geopar.problems import Problem
from geopar.problems.batch import make_batch, symmetric_copies
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

    def weights_name(self, problem: Problem) -> str | None:
        """The weights to take; none for those that are called like the peer."""
        variable = f"GEOPAR_{self.learner.upper().replace('-', '_')}_WEIGHTS"
        name = self.weights or os.environ.get(variable)
        if not name and os.environ.get(WEIGHTS_VARIABLE) == RANDOM:
            name = RANDOM
        return name or None

    def network(self, problem: Problem) -> tuple[Peer, tuple[str, ...]]:
        """The peer, and what the user should know about it."""
        name = self.weights_name(problem)
        peer = _load(self.learner, problem.kind, name, self.device)
        peer.check(problem.num_tasks, problem.num_vehicles)
        return peer, (RANDOM_NOTE,) if name == RANDOM else ()

    @torch.inference_mode()
    def plans(
        self, network: Peer, problems: list[Problem], seed: int, budget: Budget | None
    ) -> Construction:
        """Plans for problems of one size: the best of all copies and samples of each."""
        batch = symmetric_copies(make_batch(problems, self.device), self.augment)
        generator = torch.Generator(self.device).manual_seed(seed)
        rollout = network.rollout(
            batch, self.mode, self.samples, generator, budget=budget, record=True
        )
        assert rollout.recorder is not None
        return best_plans(problems, rollout.recorder, rollout.cost, rollout.steps, self.augment)


@lru_cache(maxsize=8)
def _load(learner: str, kind: str, name: str | None, device: str) -> Peer:
    return load_peer(learner, kind, name, device)


am = PeerSolver(learner="am")
two_d_ptr = PeerSolver(learner="2d-ptr")
dpn = PeerSolver(learner="dpn")
