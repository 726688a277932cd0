"""Our pointer learns: REINFORCE in compiled loops."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from geopar.learn.learner import Decoded, Learner
from geopar.pointer.network import PointerNetwork
from geopar.pointer.rollout import decode_batch
from geopar.pointer.sampling import SampledRollouts, add_gradient, sample_rollouts
from geopar.problems.batch import Batch


class PointerLearner(Learner):
    """Our network, on a CPU."""

    def __init__(self, config: Any) -> None:
        super().__init__(PointerNetwork(config))

    def roll_out(self, batch: Batch, samples: int, generator: torch.Generator) -> SampledRollouts:
        """Every choice of them is written down."""
        return sample_rollouts(self.network, batch, samples, generator)

    def backward(
        self,
        rollout: SampledRollouts,
        weight: Tensor,
        index: Tensor | None,
        entropy: float,
        share: float,
    ) -> float:
        """From the choices that were written down."""
        if index is not None:
            rollout, weight = rollout.select(index), weight.gather(1, index)
        return add_gradient(self.network, rollout, weight, entropy)

    def decode(self, batch: Batch) -> Decoded:
        """One greedy pass."""
        return Decoded(*decode_batch(self.network, batch))
