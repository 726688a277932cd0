"""The mean of a network's weights over updates: what single updates add by chance is gone from it.

Polyak and Juditsky, "Acceleration of stochastic approximation by averaging" (1992), with weights
that fade, as is usual since.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

# After t updates a mean remembers t / (t + WARM_UP) at most, so that a short run is not mostly the
# weights that it began with.
WARM_UP = 10


class Averaged:
    """A fading mean of a network's parameters.

    Parameters
    ----------
    network
        Whose.
    memory
        What earlier updates count beside the next one, 0 to 1; zero: there is no mean.
    """

    def __init__(self, network: nn.Module, memory: float) -> None:
        self._network, self._memory = network, memory
        self._mean: dict[str, Tensor] = {}
        self.restart()

    def restart(self) -> None:
        """Begin with the weights as they are."""
        if self._memory:
            state = self._network.state_dict()
            self._mean = {name: tensor.detach().clone() for name, tensor in state.items()}

    @torch.no_grad()
    def add(self, step: int) -> None:
        """The weights after update ``step`` count too."""
        if not self._memory:
            return
        memory = min(self._memory, step / (WARM_UP + step))
        for name, tensor in self._network.state_dict().items():
            mean = self._mean[name]
            if mean.is_floating_point():
                mean.lerp_(tensor, 1.0 - memory)
            else:
                mean.copy_(tensor)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Within, the network has the mean weights."""
        if not self._memory:
            yield
            return
        own = {name: tensor.clone() for name, tensor in self._network.state_dict().items()}
        self._network.load_state_dict(self._mean)
        try:
            yield
        finally:
            self._network.load_state_dict(own)

    def state(self) -> dict[str, Any]:
        """What a checkpoint must keep."""
        return self._mean

    def restore(self, state: dict[str, Any]) -> None:
        """The inverse of :meth:`state`."""
        if self._memory and state:
            self._mean = dict(state)
