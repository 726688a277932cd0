"""The two layers of the edge-biased pointer, with gradients written out.

They work on one hidden vector for every agent and candidate: the largest tensors of training. Done
by hand, each is written once and read a few times; left to automatic differentiation it is copied
for every sum, mask and maximum.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

_relu_backward = torch.ops.aten.threshold_backward


class SeePairs(torch.autograd.Function):
    """First layer and pooling: h = ReLU(W·pair + state), zero where unseen.

    Takes pairs ``(A, K, F)``, state ``(A, H)``, the weight ``(H, F)`` and what is unseen
    ``(A, K)``; gives h ``(A, K, H)``, its mean over what is seen and its maximum, both ``(A, H)``.
    """

    @staticmethod
    def forward(
        ctx: Any,
        pairs: Tensor,
        state: Tensor,
        weight: Tensor,
        unseen: Tensor,
        learning: bool,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Look at every pair; ``learning`` says whether anybody will ask for gradients."""
        shape = (*pairs.shape[:2], weight.shape[0])
        hidden = (pairs.flatten(0, 1) @ weight.mT).view(shape)
        hidden.add_(state[:, None])
        hidden.masked_fill_(unseen[..., None], 0.0).relu_()
        count = (~unseen).sum(-1, keepdim=True).clamp(min=1)
        mean = hidden.sum(1) / count
        # Nothing is below zero, so the zeros of the unseen do not disturb the largest.
        if not learning:
            return hidden, mean, hidden.amax(1)
        largest, index = hidden.max(1)
        ctx.save_for_backward(pairs, hidden, index, count)
        return hidden, mean, largest

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """Everything that came from one hidden vector, added up before it goes through the ReLU."""
        for_hidden, for_mean, for_largest = gradients
        pairs, hidden, index, count = ctx.saved_tensors
        total = for_hidden + (for_mean / count)[:, None]
        total.scatter_add_(1, index[:, None], for_largest[:, None])
        total = _relu_backward(total, hidden, 0)
        for_weight = total.flatten(0, 1).mT @ pairs.flatten(0, 1)
        return None, total.sum(1), for_weight, None, None


class ScorePairs(torch.autograd.Function):
    """Second layer: out·ReLU(W·h + pooled + bias), ``(A, K)``.

    Takes h ``(A, K, H)``, pooled ``(A, H)``, the weight ``(H, H)``, the bias ``(H,)`` and out
    ``(H,)``.
    """

    @staticmethod
    def forward(
        ctx: Any, hidden: Tensor, pooled: Tensor, weight: Tensor, bias: Tensor, out: Tensor
    ) -> Tensor:
        """Score every pair."""
        inner = (hidden.flatten(0, 1) @ weight.mT).view(*hidden.shape[:2], weight.shape[0])
        inner.add_((pooled + bias)[:, None]).relu_()
        ctx.save_for_backward(hidden, inner, weight, out)
        return inner @ out

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, ...]:
        """Through the ReLU once."""
        (for_score,) = gradients
        hidden, inner, weight, out = ctx.saved_tensors
        for_out = inner.flatten(0, 1).mT @ for_score.flatten()
        for_inner = _relu_backward(for_score[..., None] * out, inner, 0)
        for_pooled = for_inner.sum(1)
        flat = for_inner.flatten(0, 1)
        for_weight = flat.mT @ hidden.flatten(0, 1)
        return (
            (flat @ weight).view(hidden.shape),
            for_pooled,
            for_weight,
            for_pooled.sum(0),
            for_out,
        )
