"""The paper's network learns: imitation of the search, then REINFORCE through the assignment."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from geopar.learn.data import Arrays, turned
from geopar.learn.distil import Distilled, distillation_loss
from geopar.learn.imitate import Imitation, imitation_loss
from geopar.learn.learner import Decoded, Learner
from geopar.learn.rollout import Rollout, backward, roll_out
from geopar.learn.state_baseline import StateBaseline
from geopar.paper.assignment import assign
from geopar.paper.config import AssignmentConfig, Decoding
from geopar.paper.observation import make_observer
from geopar.paper.policy import Policy
from geopar.paper.weights import is_without_direct, refitted, with_direct
from geopar.pointer.network import PointerNetwork
from geopar.problems.batch import Batch


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
    gate
        γ of Eq. 5 to begin with; zero leaves it as it is.
    decoding
        How its weights decode; None leaves that as it is.
    at_once
        Whether agents draw all at once instead of in turn.
    """

    def __init__(
        self,
        config: Any,
        assignment: AssignmentConfig,
        *,
        follows: bool = False,
        gate: float = 0.0,
        decoding: Decoding | None = None,
        at_once: bool = False,
    ) -> None:
        super().__init__(Policy(config))
        self._gate, self._decoding = gate, decoding
        self._begin()
        self.assignment, self.at_once = assignment, at_once
        self.baseline: StateBaseline | None = StateBaseline() if follows else None

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

    def _begin(self) -> None:
        """Set what a run sets at its beginning, whatever it begins with."""
        if self._decoding is not None:
            self.network.decoding = self._decoding
        branch = self.network.encoder.branch
        if self._gate and branch is not None:
            torch.nn.init.constant_(branch.gate, self._gate)

    def load(self, weights: str) -> dict[str, Any]:
        """Take over weights; gate and decoding are as they were told."""
        found = super().load(weights)
        self._begin()
        return found

    def fitting(self, found: Policy) -> Policy:
        """Weights may go on with a direct term of Eq. 8, and with other windows or none."""
        if is_without_direct(found.config, self.network.config):
            return with_direct(found)
        return refitted(found, self.network.config)

    def distil(
        self,
        batch: Batch,
        teacher: PointerNetwork,
        samples: int,
        scored_steps: int,
        generator: torch.Generator,
    ) -> Distilled:
        """Add the gradient of the distance to a teacher, in states of this network's rollouts."""
        rollout = self.roll_out(self.copies(batch, 1, generator), samples, generator)
        found = distillation_loss(self.network, teacher, rollout, scored_steps, generator)
        found.loss.backward()  # type: ignore[no-untyped-call]
        return found

    def copies(self, batch: Batch, count: int, generator: torch.Generator) -> Batch:
        """One copy alone is turned as well: what is learned must not depend on the compass."""
        return super().copies(batch, count, generator) if count > 1 else turned(batch, generator)

    def roll_out(self, batch: Batch, samples: int, generator: torch.Generator) -> Rollout:
        """Through the assignment."""
        environment = self.network.environment(batch)
        return roll_out(
            self.network, environment, self.assignment, samples, generator, at_once=self.at_once
        )

    def backward(
        self, rollout: Rollout, weight: Tensor, index: Tensor | None, entropy: float, share: float
    ) -> float:
        """The policy gradient of Eq. 13."""
        if self.baseline is not None:
            # The regression wants numbers of one size, whatever part of a batch this is.
            scale = share / rollout.cost.numel()
            observer = make_observer(rollout.environment.batch)
            weight = scale * self.baseline.advantages(observer, rollout.states, weight / scale)
        if index is not None:
            rollout = rollout.select(index)
            rows = index[:, None].expand(-1, weight.shape[1], -1) if weight.dim() == 3 else index
            weight = weight.gather(-1, rows)
        return backward(self.network, self.assignment, rollout, weight, entropy)

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
