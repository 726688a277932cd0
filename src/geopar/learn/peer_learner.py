"""Learned peers learn: REINFORCE, each with its own baseline, in one pass or two.

In one pass gradients are kept all along a rollout. In two, rollouts run without, and then all their
steps are scored at once: a sequential peer has one row for each rollout and step, and a hundred
small products cost several times one large one.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from geopar.learn.baseline import GreedyRollout
from geopar.learn.config import SizeRange, TrainConfig
from geopar.learn.graph_cut import Cuts
from geopar.learn.learner import Decoded, Learner
from geopar.peers.peer import Peer, PeerRollout
from geopar.peers.registry import peer_class
from geopar.problems.batch import Batch
from geopar.problems.tensors import concatenate

# So many states are scored at once: the rows of some megabytes.
PIECE = 512


class PeerLearner(Learner):
    """A learned peer and its baseline."""

    def __init__(self, config: TrainConfig, sizes: list[SizeRange]) -> None:
        super().__init__(peer_class(config.learner, config.problem)(config.model_config()))
        self.config, self.sizes = config, sizes
        self._freeze()

    def _freeze(self) -> None:
        if self.config.baseline == "greedy":
            self.baseline = GreedyRollout(self.network, self.config, self.sizes)

    def load(self, weights: str) -> dict[str, Any]:
        """Take over weights, and begin the baseline with them."""
        history = super().load(weights)
        self._freeze()
        return history

    def roll_out(self, batch: Batch, samples: int, generator: torch.Generator) -> PeerRollout:
        """With gradients, or with all that a second pass needs."""
        peer: Peer = self.network
        with torch.set_grad_enabled(not peer.two_passes):
            return peer.rollout(batch, "sample", samples, generator, remember=peer.two_passes)

    def level(self, batch: Batch, cost: Tensor) -> Tensor:
        """What a frozen copy reaches, or the mean of the rollouts."""
        if self.baseline is None:
            return super().level(batch, cost)
        level: Tensor = self.baseline.level(batch, cost)
        return level

    def backward(
        self,
        rollout: PeerRollout,
        weight: Tensor,
        index: Tensor | None,
        entropy: float,
        share: float,
    ) -> float:
        """In a second pass, or through the first; all rollouts count, and entropy does not."""
        if self.network.two_passes:
            return backward(self.network, rollout, weight)
        assert rollout.log_prob is not None
        loss = (weight * rollout.log_prob).sum()
        loss.backward()  # type: ignore[no-untyped-call]
        return float(loss.detach())

    @torch.no_grad()
    def decode(self, batch: Batch) -> Decoded:
        """One greedy pass."""
        rollout = self.network.rollout(batch)
        return Decoded(rollout.cost[:, 0], rollout.steps[:, 0])

    def after_update(self, step: int) -> None:
        """Let the network challenge its baseline."""
        if self.baseline is not None:
            self.baseline.after_update(self.network, step)


def score(peer: Peer, encoded: Any, rollout: PeerRollout, steps: slice = slice(None)) -> Tensor:
    """``(B, R)``: log-probabilities of remembered rollouts, or of some of their steps."""
    choices = torch.cat(rollout.choices[steps], 1)
    states = concatenate(rollout.states[steps], dim=1)
    found = peer.log_prob(encoded, states, choices)
    return found.view(len(found), -1, rollout.cost.shape[1]).sum(1)


def backward(peer: Peer, rollout: PeerRollout, weight: Tensor) -> float:
    """Add the gradient of Σ weight · log-probability; return that sum.

    A few steps at a time, whose intermediate results stay in the processor's cache; the encoder is
    passed once, at the end.
    """
    cuts = Cuts()
    encoded = _detached(peer.encode(rollout.batch), cuts)
    piece = max(1, PIECE // rollout.cost.numel())
    total = 0.0
    for begin in range(0, len(rollout.choices), piece):
        loss = (weight * score(peer, encoded, rollout, slice(begin, begin + piece))).sum()
        loss.backward()  # type: ignore[no-untyped-call]
        total += float(loss.detach())
    cuts.backward()
    return total


def _detached(value: Any, cuts: Cuts) -> Any:
    """The same with all tensors of nested tuples cut off from what made them."""
    if isinstance(value, Tensor):
        return cuts.cut(value)
    if isinstance(value, tuple):
        parts = [_detached(part, cuts) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value
