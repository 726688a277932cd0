"""Learned peers learn: REINFORCE, each with its own baseline, in one pass or two.

In one pass gradients are kept all along a rollout. In two, rollouts run without, and then all their
steps are scored at once: a sequential peer has one row for each rollout and step, and a hundred
small products cost several times one large one.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from geopar.learn.baseline import make_baseline
from geopar.learn.config import SizeRange, TrainConfig
from geopar.learn.graph_cut import Cuts
from geopar.learn.learner import Decoded, Learner, refuse_other_network
from geopar.learn.reinforce import Reinforcement, RolloutConfig, advantages
from geopar.neural.cards import find_weights, read_card
from geopar.peers.peer import Peer, PeerRollout
from geopar.peers.registry import make_peer
from geopar.peers.weights import load_peer
from geopar.problems.batch import Batch, rotated_copies
from geopar.problems.tensors import concatenate

# So many states are scored at once: the rows of some megabytes.
PIECE = 512


class PeerLearner(Learner):
    """A learned peer and its baseline."""

    def __init__(self, config: TrainConfig, sizes: list[SizeRange]) -> None:
        super().__init__(make_peer(config.learner, config.model_config()))  # type: ignore[arg-type]
        self.config, self.sizes = config, sizes
        self.baseline = make_baseline(self.network, config, sizes)

    def load(self, weights: str) -> dict[str, Any]:
        """Take over weights by name or path."""
        peer = load_peer(self.config.learner, self.config.problem, weights)
        if peer.config != self.network.config:
            refuse_other_network(weights)
        self.network.load_state_dict(peer.state_dict())
        self.baseline = make_baseline(self.network, self.config, self.sizes)
        return read_card(find_weights(self.config.problem, weights)).training

    def reinforce(
        self, batch: Batch, config: RolloutConfig, generator: torch.Generator, share: float
    ) -> Reinforcement:
        """Add the policy gradient of some rollouts of each instance."""
        peer: Peer = self.network
        copies = config.augmentations
        turned = rotated_copies(batch, copies, generator) if copies > 1 else batch
        with torch.set_grad_enabled(not peer.two_passes):
            rollout = peer.rollout(
                turned, "sample", config.samples, generator, remember=peer.two_passes
            )
        cost = rollout.cost.view(batch.size, -1)
        steps = rollout.steps.view(cost.shape)
        found = advantages(config, cost, self.baseline.level(batch, cost), steps, share)
        weight = found.weight.view(rollout.cost.shape)
        if peer.two_passes:
            total = backward(peer, turned, rollout, weight)
        else:
            assert rollout.log_prob is not None
            loss = (weight * rollout.log_prob).sum()
            loss.backward()  # type: ignore[no-untyped-call]
            total = float(loss.detach())
        mean_steps = float(steps.double().mean())
        return Reinforcement(total / share, float(cost.mean()), mean_steps, found.spread)

    @torch.no_grad()
    def decode(self, batch: Batch) -> Decoded:
        """One greedy pass."""
        rollout = self.network.rollout(batch)
        return Decoded(rollout.cost[:, 0], rollout.steps[:, 0])

    def after_update(self, step: int) -> None:
        """Let the network challenge its baseline."""
        self.baseline.after_update(self.network, step)

    def state(self) -> dict[str, Any]:
        """The baseline's."""
        return {"baseline": self.baseline.state()}

    def restore(self, state: dict[str, Any]) -> None:
        """The inverse of :meth:`state`."""
        self.baseline.restore(state["baseline"])


def score(peer: Peer, encoded: Any, rollout: PeerRollout, steps: slice = slice(None)) -> Tensor:
    """``(B, R)``: log-probabilities of remembered rollouts, or of some of their steps."""
    choices = torch.cat(rollout.choices[steps], 1)
    states = concatenate(rollout.states[steps], dim=1)
    found = peer.log_prob(encoded, states, choices)
    return found.view(len(found), -1, rollout.cost.shape[1]).sum(1)


def backward(peer: Peer, batch: Batch, rollout: PeerRollout, weight: Tensor) -> float:
    """Add the gradient of Σ weight · log-probability; return that sum.

    A few steps at a time, whose intermediate results stay in the processor's cache; the encoder is
    passed once, at the end.
    """
    cuts = Cuts()
    encoded = _detached(peer.encode(batch), cuts)
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
