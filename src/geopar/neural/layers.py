"""Building blocks of the encoders: pre-norm transformer layers."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

TINY = 1e-9


def split_heads(x: Tensor, heads: int) -> Tensor:
    """``(B, T, d)`` to ``(B, h, T, d/h)``."""
    return x.view(*x.shape[:2], heads, x.shape[-1] // heads).transpose(1, 2)


def join_heads(x: Tensor) -> Tensor:
    """``(B, h, T, d/h)`` to ``(B, T, d)``."""
    return x.transpose(1, 2).flatten(2)


class RMSNorm(nn.Module):
    """Divide by the root mean square, times a weight; torch's own is several times slower."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        """Over the last dimension."""
        size = torch.linalg.vector_norm(x, dim=-1, keepdim=True).clamp(min=TINY)
        return x / size * (self.weight * math.sqrt(x.shape[-1]))


class FeedForward(nn.Sequential):
    """Two linear maps with a ReLU between."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__(nn.Linear(width, inner), nn.ReLU(), nn.Linear(inner, width))


class GatedFeedForward(nn.Module):
    """Three linear maps without biases, one gating another by a SiLU (Shazeer 2020)."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.gate = nn.Linear(width, inner, bias=False)
        self.up = nn.Linear(width, inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Of the last dimension."""
        result: Tensor = self.down(F.silu(self.gate(x)) * self.up(x))
        return result


class SelfAttention(nn.Module):
    """Multi-head attention of a set to itself."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """``x`` is ``(B, T, d)``; ``mask``, where true, lets ``(B, T)`` be looked at."""
        q, k, v = (split_heads(part, self.heads) for part in self.qkv(x).chunk(3, -1))
        allowed = None if mask is None else mask[:, None, None]
        attended = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed)
        result: Tensor = self.out(join_heads(attended))
        return result


class TransformerLayer(nn.Module):
    """Pre-norm: attention and feed-forward, each added to what came in."""

    def __init__(self, width: int, heads: int, inner: int) -> None:
        super().__init__()
        self.attention_norm = RMSNorm(width)
        self.attention = SelfAttention(width, heads)
        self.feedforward_norm = RMSNorm(width)
        self.feedforward: nn.Module = FeedForward(width, inner)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """``x`` is ``(B, T, d)``; ``mask``, where true, lets ``(B, T)`` be looked at."""
        x = x + self.attention(self.attention_norm(x), mask)
        result: Tensor = x + self.feedforward(self.feedforward_norm(x))
        return result
