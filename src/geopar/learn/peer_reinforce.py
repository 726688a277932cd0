"""REINFORCE for learned peers: one pass with gradients, and each peer's own baseline."""

from __future__ import annotations

import torch

from geopar.learn.baseline import Baseline
from geopar.learn.reinforce import Reinforcement
from geopar.peers.peer import Peer
from geopar.problems.batch import Batch, rotated_copies


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
    rollout = peer.rollout(copies, "sample", samples, generator)
    cost = rollout.cost.view(batch.size, augmentations * samples)
    level = baseline.level(batch, cost)
    advantage = cost - level
    spread = float((advantage / level).pow(2).mean().sqrt())
    if relative:
        advantage = advantage / level / max(spread, 1e-6)
    assert rollout.log_prob is not None
    weight = advantage.view(rollout.cost.shape).float() * (share / cost.numel())
    loss = (weight * rollout.log_prob).sum()
    loss.backward()  # type: ignore[no-untyped-call]
    return Reinforcement(float(loss.detach()) / share, float(cost.mean()), spread)
