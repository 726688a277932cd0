"""REINFORCE for learned peers, each with its own baseline, in one pass or two.

In one pass gradients are kept all along a rollout. In two, rollouts run without, and then all their
steps are scored at once: a sequential peer has one row for each rollout and step, and a hundred
small products cost several times one large one.
"""

from __future__ import annotations

import torch
from torch import Tensor

from geopar.learn.baseline import Baseline
from geopar.learn.reinforce import Reinforcement
from geopar.peers.peer import Peer, PeerRollout
from geopar.problems.batch import Batch, rotated_copies
from geopar.problems.tensors import concatenate


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
    log_prob = score(peer, copies, rollout) if peer.two_passes else rollout.log_prob
    assert log_prob is not None
    loss = (weight * log_prob).sum()
    loss.backward()  # type: ignore[no-untyped-call]
    return Reinforcement(float(loss.detach()) / share, float(cost.mean()), spread)


def score(peer: Peer, batch: Batch, rollout: PeerRollout) -> Tensor:
    """``(B, R)``: log-probabilities of remembered rollouts, with gradients, in a second pass."""
    choices = torch.cat(rollout.choices, 1)
    states = concatenate(rollout.states, dim=1)
    found = peer.log_prob(peer.encode(batch), states, choices)
    return found.view(batch.size, -1, rollout.cost.shape[1]).sum(1)
