"""A baseline that follows a rollout: what its cost is expected to be, seen from each state.

Compared with the mean of an instance's rollouts alone (Eq. 13), a step is no longer blamed for what
happened before it. The expectation is a ridge regression on how a state differs from those of the
other rollouts of its instance at the same step. It depends on no action from that step on, so
gradients stay unbiased but for what a regression on earlier updates may still have of them.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from geopar.paper.observation import Observer

# Weight of what earlier updates saw, after each update.
MEMORY = 0.97
# Of the ridge, for each row that counts.
RIDGE = 1e-3


class StateBaseline:
    """The regression and what it has seen.

    Attributes
    ----------
    products, targets
        ``(F, F)`` and ``(F,)``: sums of products of the features, and with what was to be found.
    rows
        How many states they are of.
    explained
        The part of the variance of the last update's advantages that was foreseen.
    """

    def __init__(self) -> None:
        self.products: Tensor | None = None
        self.targets: Tensor | None = None
        self.rows = 0.0
        self.explained = 0.0

    @torch.no_grad()
    def advantages(self, observer: Observer, states: list[Any], advantage: Tensor) -> Tensor:
        """``(B, T, R)``: for each step what came of it beyond what was foreseen; then learn.

        Parameters
        ----------
        observer
            Of the instances.
        states
            T states ``(B, R)`` before each step.
        advantage
            ``(B, R)``: of the whole rollouts.
        """
        features = torch.stack([_features(observer, state) for state in states], 1)
        running = torch.stack([~state.done for state in states], 1)
        wanted = advantage.double()[:, None].expand(running.shape)
        foreseen = torch.zeros_like(wanted)
        if self.products is not None and self.targets is not None:
            ridge = RIDGE * self.rows * torch.eye(len(self.targets), dtype=torch.float64)
            foreseen = features @ torch.linalg.solve(self.products + ridge, self.targets)
        left = wanted - foreseen
        before, after = (x[running].square().mean() for x in (wanted, left))
        self.explained = float(1.0 - after / before.clamp(min=1e-12))
        self._learn(features[running], wanted[running])
        return left.masked_fill(~running, 0.0).float()

    def _learn(self, features: Tensor, wanted: Tensor) -> None:
        products, targets = features.mT @ features, features.mT @ wanted
        if self.products is not None and self.targets is not None:
            products, targets = products + MEMORY * self.products, targets + MEMORY * self.targets
        self.products, self.targets = products, targets
        self.rows = MEMORY * self.rows + len(wanted)

    def state(self) -> dict[str, Any]:
        """What a checkpoint must keep."""
        return {"products": self.products, "targets": self.targets, "rows": self.rows}

    def restore(self, state: dict[str, Any]) -> None:
        """The inverse of :meth:`state`."""
        self.products, self.targets = state["products"], state["targets"]
        self.rows = state["rows"]


def _features(observer: Observer, state: Any) -> Tensor:
    """``(B, R, F)`` float64: differences from the instance's other rollouts, by progress."""
    agents, fleet = observer.relative(state)
    shape = state.place.shape
    rows = torch.stack([part.float().expand(shape) for part in agents], -1).double()
    whole = torch.stack([part.float().squeeze(-1) for part in fleet], -1).double()
    seen = torch.cat([whole, rows.mean(2), rows.amax(2), rows.amin(2)], -1)
    apart = seen - seen.mean(1, keepdim=True)
    progress = 1.0 - whole[..., :1]  # the first of the fleet's features is the share still open
    return torch.cat([apart, apart * progress, apart * progress.square()], -1)
