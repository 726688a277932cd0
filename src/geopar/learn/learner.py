"""Who learns: one interface to the paper's network, to ours and to the learned peers.

A learner adds gradients to its network by reinforcement and decodes instances for validation; that
of the paper's network imitates as well. Everything else of a run (instances, optimiser,
checkpoints, logs) is the same for all of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import torch
from torch import Tensor

from geopar.errors import refuse
from geopar.learn.config import GEOPAR, POINTER, TrainConfig, size_ranges
from geopar.learn.reinforce import Reinforcement, RolloutConfig, advantages, farthest
from geopar.neural.cards import find_weights, read_card
from geopar.neural.network import Network
from geopar.problems.batch import Batch, rotated_copies


class Decoded(NamedTuple):
    """``(B,)`` objectives and parallel steps of one deterministic pass."""

    cost: Tensor
    steps: Tensor


class Learner(ABC):
    """A network and how it learns."""

    def __init__(self, network: Network) -> None:
        self.network: Any = network
        # What learns beside it, if anything: it has ``state`` and ``restore``.
        self.baseline: Any = None

    @abstractmethod
    def roll_out(self, batch: Batch, samples: int, generator: torch.Generator) -> Any:
        """Sampled rollouts of each instance, with ``cost`` and ``steps`` of each, ``(B, R)``."""

    @abstractmethod
    def backward(
        self, rollout: Any, weight: Tensor, index: Tensor | None, entropy: float, share: float
    ) -> float:
        """Add the gradient of Σ weight · log-probability − entropy; return that sum.

        Parameters
        ----------
        rollout
            Of :meth:`roll_out`.
        weight
            ``(B, R)``, for this share of an update.
        index
            ``(B, R')``: which rollouts count; none for all.
        entropy
            What the entropy of one choice is worth.
        share
            The part of the update that these rollouts are.
        """

    @abstractmethod
    def decode(self, batch: Batch) -> Decoded:
        """One greedy pass over instances of one size."""

    def copies(self, batch: Batch, count: int, generator: torch.Generator) -> Batch:
        """Each instance and turned copies of it, so many in all."""
        return rotated_copies(batch, count, generator) if count > 1 else batch

    def level(self, batch: Batch, cost: Tensor) -> Tensor:
        """``(B, 1)``: what ``(B, R)`` costs are compared with; their mean (Eq. 13)."""
        return cost.mean(1, keepdim=True)

    def reinforce(
        self, batch: Batch, config: RolloutConfig, generator: torch.Generator, share: float
    ) -> Reinforcement:
        """Add the policy gradient of some rollouts of each instance, times ``share``."""
        turned = self.copies(batch, config.augmentations, generator)
        rollout = self.roll_out(turned, config.samples, generator)
        cost = rollout.cost.view(batch.size, -1)
        steps = rollout.steps.view(cost.shape)
        found = advantages(config, cost, self.level(batch, cost), steps, share)
        weight = found.weight.view(rollout.cost.shape)
        index = farthest(config, weight)
        kept = weight.numel() if index is None else index.numel()
        loss = self.backward(rollout, weight, index, config.entropy * share / kept, share)
        mean_steps = float(steps.double().mean())
        return Reinforcement(loss / share, float(cost.mean()), mean_steps, found.spread)

    def load(self, weights: str) -> dict[str, Any]:
        """Take over weights by name or path; returns how they came about."""
        own, kind = self.network, self.network.config.kind
        found = self.fitting(type(own).load(kind, weights))
        if not own.takes_weights_of(found):
            message, hint = "holds a network with other settings.", "Maybe the same model settings."
            refuse("other-network", "from", weights, message, hint)
        own.load_state_dict(found.state_dict())
        own.decoding = found.decoding
        return read_card(find_weights(kind, weights)).training

    def fitting(self, found: Any) -> Any:
        """A network with weights to begin with, as one of this learner's settings if it can be."""
        return found

    def statistics(self) -> dict[str, float]:
        """What a log should hold of the network itself."""
        return {}

    def after_update(self, step: int) -> None:  # noqa: B027
        """Something to do after so many updates; most have nothing to do."""

    def state(self) -> dict[str, Any]:
        """What a checkpoint must keep besides the network: the baseline."""
        return {} if self.baseline is None else {"baseline": self.baseline.state()}

    def restore(self, state: dict[str, Any]) -> None:
        """The inverse of :meth:`state`."""
        if self.baseline is not None:
            self.baseline.restore(state["baseline"])


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
                gate=config.gate,
                decoding=config.decoding_config(),
                at_once=config.draws == "at-once",
            )
        if config.learner == POINTER:
            from geopar.learn.pointer_learner import PointerLearner

            return PointerLearner(config.model_config())
        from geopar.learn.peer_learner import PeerLearner

        return PeerLearner(config, size_ranges(config.sizes))
