"""REINFORCE for learned peers, each with its own baseline, in one pass or two.

In one pass gradients are kept all along a rollout. In two, rollouts run without, and then all their
steps are scored at once: a sequential peer has one row for each rollout and step, and a hundred
small products cost several times one large one.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from geopar.learn.baseline import Baseline
from geopar.learn.cuts import Cuts
from geopar.learn.reinforce import Reinforcement
from geopar.peers.peer import Peer, PeerRollout
from geopar.problems.batch import Batch, rotated_copies
from geopar.problems.tensors import concatenate

# So many states are scored at once: the rows of some megabytes.
PIECE = 512


def reinforce_peer(
    peer: Peer,
    batch: Batch,
    baseline: Baseline,
    augmentations: int,
    samples: int,
    relative: bool,
    generator: torch.Generator,
    share: float = 1.0,
) -> Reinforcement:
    """Add the policy gradient of ``augmentations · samples`` rollouts of each instance.

    Parameters are those of :func:`geopar.learn.reinforce.reinforce`.
    """
    copies = rotated_copies(batch, augmentations, generator) if augmentations > 1 else batch
    with torch.set_grad_enabled(not peer.two_passes):
        rollout = peer.rollout(copies, "sample", samples, generator, remember=peer.two_passes)
    cost = rollout.cost.view(batch.size, augmentations * samples)
    level = baseline.level(batch, cost)
    advantage = cost - level
    spread = float((advantage / level).pow(2).mean().sqrt())
    if relative:
        advantage = advantage / level / max(spread, 1e-6)
    weight = advantage.view(rollout.cost.shape).float() * (share / cost.numel())
    if peer.two_passes:
        total = backward(peer, copies, rollout, weight)
    else:
        assert rollout.log_prob is not None
        loss = (weight * rollout.log_prob).sum()
        loss.backward()  # type: ignore[no-untyped-call]
        total = float(loss.detach())
    return Reinforcement(total / share, float(cost.mean()), spread)


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
