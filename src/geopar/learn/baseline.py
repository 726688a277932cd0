"""The baseline of AM and 2D-Ptr: what a sampled rollout is compared with.

It is what a frozen copy of the network reaches in one greedy pass (Kool, van Hoof & Welling 2019):
after each epoch the network challenges it and takes its place when it is better by a paired
one-sided t-test. In the first epoch, when the copy has learned nothing, the mean of the batch
stands in for it, in units of each instance's lower bound. (Published: a moving mean of all costs.
With instances of different sizes and fleets that mean says nothing of any of them, and AM became
worse than it was untrained.)
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike
from scipy import stats
from torch import Tensor

from geopar.learn.config import SizeRange, TrainConfig
from geopar.learn.data import draw_batch
from geopar.peers.peer import Peer
from geopar.problems.batch import Batch

SIGNIFICANCE = 0.05
# Sets a baseline's instances apart from those of training.
STREAM = 7_919
AT_ONCE = 128


def is_better(candidate: ArrayLike, current: ArrayLike, significance: float = SIGNIFICANCE) -> bool:
    """Whether costs of the same instances are lower, by a paired one-sided t-test."""
    found, before = np.asarray(candidate, dtype=np.float64), np.asarray(current, dtype=np.float64)
    gain = before - found
    if gain.mean() <= 0.0 or gain.size < 2:
        return False
    # Without any spread there is no t, and no doubt either.
    if np.ptp(gain) == 0.0:
        return True
    return float(stats.ttest_rel(found, before, alternative="less").pvalue) < significance


class GreedyRollout:
    """A frozen copy of the network, challenged after each epoch.

    Every process of a run does the same here: the instances depend on the seed and on how often
    the copy was replaced.
    """

    def __init__(self, peer: Peer, config: TrainConfig, sizes: list[SizeRange]) -> None:
        self.config, self.sizes = config, sizes
        self.frozen = copy.deepcopy(peer).eval().requires_grad_(False)
        self.epochs, self.replaced = 0, 0
        self._instances: list[Batch] | None = None
        self._reached: Tensor | None = None

    def level(self, batch: Batch, cost: Tensor) -> Tensor:
        """What the copy reaches, or in the first epoch what the batch does in the mean."""
        if self.epochs == 0:
            scale = instance_scales(batch)[:, None]
            return scale * (cost / scale).mean()
        return greedy_costs(self.frozen, [batch])[:, None]

    def after_update(self, peer: Peer, step: int) -> None:
        """At the end of an epoch let the network challenge the copy."""
        if step % self.config.steps_per_epoch == 0:
            self.challenge(peer)
            self.epochs += 1

    def challenge(self, peer: Peer) -> bool:
        """Take the network's place for the copy's if it is better; draw new instances then."""
        if self._instances is None or self._reached is None:
            self._instances = self._draw()
            self._reached = greedy_costs(self.frozen, self._instances)
        found = greedy_costs(peer, self._instances)
        if not is_better(found.numpy(), self._reached.numpy()):
            return False
        self.frozen.load_state_dict(peer.state_dict())
        self.replaced += 1
        self._instances = self._reached = None
        return True

    def _draw(self) -> list[Batch]:
        """Instances of the sizes of training."""
        config, left, found = self.config, self.config.baseline_instances, []
        rng = np.random.default_rng([config.seed, STREAM, self.replaced])
        while left:
            size = self.sizes[int(rng.integers(len(self.sizes)))]
            count = min(left, AT_ONCE)
            found.append(draw_batch(config.problem, size.tasks, size.vehicles, count, rng))
            left -= count
        return found

    def state(self) -> dict[str, Any]:
        """The copy, and where it stands."""
        return {
            "frozen": self.frozen.state_dict(),
            "epochs": self.epochs,
            "replaced": self.replaced,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """The inverse of :meth:`state`."""
        self.frozen.load_state_dict(state["frozen"])
        self.epochs, self.replaced = state["epochs"], state["replaced"]
        self._instances = self._reached = None


def instance_scales(batch: Batch) -> Tensor:
    """``(B,)``: what costs of each instance are measured in; all alike where no bound is known."""
    bounds = batch.lower_bounds()
    return batch.scale.new_ones(batch.size) if bounds is None else bounds


@torch.no_grad()
def greedy_costs(peer: Peer, batches: list[Batch]) -> Tensor:
    """One greedy pass over all instances."""
    was_training = peer.training
    peer.eval()
    costs = torch.cat([peer.rollout(batch).cost[:, 0] for batch in batches])
    peer.train(was_training)
    return costs
