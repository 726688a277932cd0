"""The paper's network learns: imitation of the search, then REINFORCE through the assignment."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from geopar.learn.data import Arrays, turned
from geopar.learn.imitate import Imitation, imitation_loss
from geopar.learn.learner import Decoded, Learner, refuse_other_network
from geopar.learn.reinforce import Reinforcement, RolloutConfig, advantages, farthest
from geopar.learn.rollout import backward, roll_out
from geopar.learn.state_baseline import StateBaseline
from geopar.neural.cards import find_weights, read_card
from geopar.paper.assignment import assign
from geopar.paper.config import AssignmentConfig
from geopar.paper.observation import make_observer
from geopar.paper.policy import Policy
from geopar.paper.weights import load_policy
from geopar.problems.batch import Batch, rotated_copies


class GeoparLearner(Learner):
    """GeoPAR as published.

    Parameters
    ----------
    config
        Of the network.
    assignment
        How joint actions are sampled.
    follows
        Whether the baseline follows the rollouts from state to state.
    """

    def __init__(self, config: Any, assignment: AssignmentConfig, *, follows: bool = False) -> None:
        super().__init__(Policy(config))
        self.assignment = assignment
        self.baseline = StateBaseline() if follows else None

    def load(self, weights: str) -> dict[str, Any]:
        """Take over weights by name or path."""
        policy = load_policy(self.network.config.kind, weights)
        if policy.config != self.network.config:
            refuse_other_network(weights)
        self.network.load_state_dict(policy.state_dict())
        self.network.decoding = policy.decoding
        return read_card(find_weights(policy.config.kind, weights)).training

    def imitate(
        self,
        shard: Arrays,
        rows: NDArray[np.int64],
        scored_steps: int,
        generator: torch.Generator,
        weight: float,
    ) -> Imitation:
        """Add the gradient of the imitation loss."""
        found = imitation_loss(self.network, shard, rows, scored_steps, generator)
        (weight * found.loss).backward()  # type: ignore[no-untyped-call]
        return found

    def reinforce(
        self, batch: Batch, config: RolloutConfig, generator: torch.Generator, share: float
    ) -> Reinforcement:
        """Add the policy gradient of Eq. 13."""
        copies = config.augmentations
        # One copy alone is turned as well: what is learned must not depend on the compass.
        seen = rotated_copies(batch, copies, generator) if copies > 1 else turned(batch, generator)
        environment = self.network.environment(seen)
        rollout = roll_out(self.network, environment, self.assignment, config.samples, generator)
        cost = rollout.cost.view(batch.size, -1)
        steps = rollout.final.steps.view(cost.shape)
        found = advantages(config, cost, cost.mean(1, keepdim=True), steps, share)
        weight = found.weight.view(rollout.cost.shape)
        index = farthest(config, weight)
        if self.baseline is not None:
            # The regression wants numbers of one size, whatever part of a batch this is.
            scale = share / rollout.cost.numel()
            observer = make_observer(environment.batch)
            weight = scale * self.baseline.advantages(observer, rollout.states, weight / scale)
        if index is not None:
            rollout = rollout.select(index)
            rows = index[:, None].expand(-1, weight.shape[1], -1) if weight.dim() == 3 else index
            weight = weight.gather(-1, rows)
        bonus = config.entropy * share / rollout.cost.numel()
        loss = backward(self.network, environment, self.assignment, rollout, weight, bonus)
        mean_steps = float(steps.double().mean())
        return Reinforcement(loss / share, float(cost.mean()), mean_steps, found.spread)

    @torch.no_grad()
    def decode(self, batch: Batch) -> Decoded:
        """One pass in the network's own mode of decoding."""
        policy: Policy = self.network
        environment = policy.environment(batch)
        encoded, state = policy.encode(environment), environment.reset(1)
        config, mode = policy.decoding.assignment, policy.decoding.mode
        while not bool(state.done.all()):
            encoded = policy.compacted(encoded, state)
            scores = policy.logits(encoded, state)
            state = environment.step(state, assign(config, mode, encoded, state, scores))
        return Decoded(environment.cost(state)[:, 0], state.steps[:, 0])

    def statistics(self) -> dict[str, float]:
        """The mean size of the gate γ of Eq. 5, and what the baseline foresaw."""
        branch, found = self.network.encoder.branch, {}
        if branch is not None:
            found["gate"] = float(branch.gate.detach().abs().mean())
        if self.baseline is not None:
            found["foreseen"] = self.baseline.explained
        return found

    def state(self) -> dict[str, Any]:
        """The baseline's."""
        return {} if self.baseline is None else {"baseline": self.baseline.state()}

    def restore(self, state: dict[str, Any]) -> None:
        """The inverse of :meth:`state`."""
        if self.baseline is not None:
            self.baseline.restore(state["baseline"])
