"""Learned peers as solvers.

Which weights: those asked for, else what an environment variable such as ``GEOPAR_AM_WEIGHTS``
names (a name, a path, or ``random``), else those that are called like the peer, such as
``hcvrp-am``. ``GEOPAR_WEIGHTS=random`` means everybody's. MAPDP has weights for each number of
vehicles, such as ``omdcpdp-mapdp-7``.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, get_args

import torch

from geopar.neural.cards import RANDOM, find_weights
from geopar.neural.one_pass import (
    RANDOM_NOTE,
    WEIGHTS_VARIABLE,
    Construction,
    OnePass,
    best_plans,
    check_copies,
)
from geopar.peers.peer import Peer, PeerConfig, PeerMode
from geopar.problems import Problem
from geopar.problems.batch import make_batch, symmetric_copies
from geopar.solver import find_solver
from geopar.stop import Budget


@dataclass(frozen=True)
class PeerSolver(OnePass):
    """One pass of a learned peer.

    Parameters
    ----------
    peer
        Its class.
    mode
        ``greedy``, or ``sample``; several samples need the second.
    """

    peer: type[Peer] = Peer  # type: ignore[type-abstract]
    mode: PeerMode = "greedy"
    modes: ClassVar[tuple[str, ...]] = get_args(PeerMode)

    @property
    def name(self) -> str:
        """What users call it."""
        return self.peer.learner

    def network(self, problem: Problem) -> tuple[Peer, tuple[str, ...]]:
        """The peer, and what the user should know about it.

        Raises
        ------
        geopar.errors.InputError
            For another problem, when there are no weights for it, or those that were asked for are
            for another fleet.
        """
        find_solver(self.peer.learner, problem.kind)
        variable = f"GEOPAR_{self.peer.learner.upper().replace('-', '_')}_WEIGHTS"
        name = self.weights or os.environ.get(variable)
        if not name and os.environ.get(WEIGHTS_VARIABLE) == RANDOM:
            name = RANDOM
        kind, size = problem.kind, (problem.num_tasks, problem.num_vehicles)
        if name == RANDOM:
            config = self.peer.config_for(kind, problem.num_vehicles)
            return _untrained(self.peer, config, self.device), (RANDOM_NOTE,)
        hint = f"Train some: {self.peer.how_to_train(kind, *size)}"
        path = find_weights(kind, name or self.peer.weights_for(problem.num_vehicles), hint)
        peer = _load(self.peer, kind, str(path), self.device)
        peer.check(*size)
        return peer, ()

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


@lru_cache(maxsize=8)
def _load(peer: type[Peer], kind: str, path: str, device: str) -> Peer:
    return peer.load(kind, path, device)


@lru_cache(maxsize=8)
def _untrained(peer: type[Peer], config: PeerConfig, device: str) -> Peer:
    return peer.untrained(config).to(device)
