"""Cutting a graph in two, so that its costly beginning is passed only once."""

from __future__ import annotations

import torch
from torch import Tensor


class Cuts:
    """Tensors cut off from what made them.

    Gradients of what is worked out from the cut ones gather there, over as many backward passes as
    it takes; then :meth:`backward` takes all of them through what lies before.
    """

    def __init__(self) -> None:
        self._cuts: list[tuple[Tensor, Tensor]] = []

    def cut(self, tensor: Tensor) -> Tensor:
        """The same numbers, made by nobody; as it is if it needs no gradient."""
        if not tensor.requires_grad:
            return tensor
        leaf = tensor.detach().requires_grad_()
        self._cuts.append((tensor, leaf))
        return leaf

    def backward(self) -> None:
        """Pass on what has gathered."""
        used = [(tensor, leaf.grad) for tensor, leaf in self._cuts if leaf.grad is not None]
        if used:
            torch.autograd.backward([tensor for tensor, _ in used], [grad for _, grad in used])
