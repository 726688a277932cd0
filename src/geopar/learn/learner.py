"""Who learns: one interface to the paper's network, to ours and to the learned peers.

A learner adds gradients to its network, by imitation or by reinforcement, and decodes instances
for validation. Everything else of a run (instances, optimiser, checkpoints, logs) is the same for
all of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from geopar.errors import Faults
from geopar.learn.config import GEOPAR, POINTER, TrainConfig, size_ranges
from geopar.learn.data import Arrays
from geopar.learn.imitate import Imitation
from geopar.learn.reinforce import Reinforcement, RolloutConfig
from geopar.problems.batch import Batch


class Decoded(NamedTuple):
    """``(B,)`` objectives and parallel steps of one deterministic pass."""

    cost: Tensor
    steps: Tensor


class Learner(ABC):
    """A network and how it learns."""

    def __init__(self, network: nn.Module) -> None:
        self.network: Any = network

    @abstractmethod
    def reinforce(
        self, batch: Batch, config: RolloutConfig, generator: torch.Generator, share: float
    ) -> Reinforcement:
        """Add the policy gradient of some rollouts of each instance, times ``share``."""

    @abstractmethod
    def decode(self, batch: Batch) -> Decoded:
        """One greedy pass over instances of one size."""

    @abstractmethod
    def load(self, weights: str) -> dict[str, Any]:
        """Take over weights by name or path; returns how they came about.

        Raises
        ------
        geopar.errors.InputError
            When they do not fit.
        """

    def imitate(
        self,
        shard: Arrays,
        rows: NDArray[np.int64],
        scored_steps: int,
        generator: torch.Generator,
        weight: float,
    ) -> Imitation:
        """Add the gradient of the imitation loss, times ``weight``."""
        raise NotImplementedError  # the configuration refuses it

    def statistics(self) -> dict[str, float]:
        """What a log should hold of the network itself."""
        return {}

    def after_update(self, step: int) -> None:  # noqa: B027
        """Something to do after so many updates; most have nothing to do."""

    def state(self) -> dict[str, Any]:
        """What a checkpoint must keep besides the network."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:  # noqa: B027
        """The inverse of :meth:`state`; most keep nothing."""


def make_learner(config: TrainConfig) -> Learner:
    """The learner of a configuration, its network drawn from the run's seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        if config.learner == GEOPAR:
            from geopar.learn.geopar_learner import GeoparLearner

            return GeoparLearner(
                config.model_config(),
                config.assignment_config(),
                follows=config.baseline == "state",
            )
        if config.learner == POINTER:
            from geopar.learn.pointer_learner import PointerLearner

            return PointerLearner(config.model_config())
        from geopar.learn.peer_learner import PeerLearner

        return PeerLearner(config, size_ranges(config.sizes))


def refuse_other_network(weights: str) -> None:
    """Say that weights are of a network with other settings.

    Raises
    ------
    geopar.errors.InputError
        Always.
    """
    faults = Faults()
    faults.add(
        "other-network", "from", weights, "holds a network with other settings.",
        "Maybe the same model settings.",
    )  # fmt: skip
    faults.raise_now()
