"""Our pointer learns: REINFORCE in compiled loops."""

from __future__ import annotations

from typing import Any

import torch

from geopar.learn.learner import Decoded, Learner, refuse_other_network
from geopar.learn.reinforce import Reinforcement, RolloutConfig, advantages, farthest
from geopar.neural.cards import find_weights, read_card
from geopar.pointer.network import PointerNetwork
from geopar.pointer.rollout import decode_batch
from geopar.pointer.sampling import add_gradient, sample_rollouts
from geopar.pointer.weights import load_pointer
from geopar.problems.batch import Batch, rotated_copies


class PointerLearner(Learner):
    """Our own network."""

    def __init__(self, config: Any) -> None:
        super().__init__(PointerNetwork(config))

    def load(self, weights: str) -> dict[str, Any]:
        """Take over weights by name or path."""
        network = load_pointer(self.network.config.kind, weights)
        if not network.config.same_weights_fit(self.network.config):
            refuse_other_network(weights)
        self.network.load_state_dict(network.state_dict())
        self.network.decoding = network.decoding
        return read_card(find_weights(network.config.kind, weights)).training

    def reinforce(
        self, batch: Batch, config: RolloutConfig, generator: torch.Generator, share: float
    ) -> Reinforcement:
        """Add the policy gradient of some rollouts of each instance."""
        copies = config.augmentations
        turned = rotated_copies(batch, copies, generator) if copies > 1 else batch
        rollout = sample_rollouts(self.network, turned, config.samples, generator)
        cost = rollout.cost.view(batch.size, -1)
        steps = rollout.final.steps.view(cost.shape)
        found = advantages(config, cost, cost.mean(1, keepdim=True), steps, share)
        weight = found.weight.view(rollout.cost.shape)
        index = farthest(config, weight)
        if index is not None:
            rollout, weight = rollout.select(index), weight.gather(1, index)
        bonus = config.entropy * share / weight.numel()
        loss = add_gradient(self.network, rollout, weight, bonus)
        mean_steps = float(steps.double().mean())
        return Reinforcement(loss / share, float(cost.mean()), mean_steps, found.spread)

    def decode(self, batch: Batch) -> Decoded:
        """One greedy pass."""
        return Decoded(*decode_batch(self.network, batch))
