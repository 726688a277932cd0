"""Building blocks that several peers share."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn

from geopar.neural.layers import FeedForward, join_heads, split_heads


class BatchNorm(nn.Module):
    """Batch normalisation of ``(B, T, d)`` tokens over instances and tokens."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(width)

    def forward(self, x: Tensor) -> Tensor:
        """Running statistics are used and left alone outside of training."""
        result: Tensor = self.norm(x.flatten(0, 1)).view(x.shape)
        return result


class Attention(nn.Module):
    """Multi-head attention of one set to another."""

    def __init__(self, width: int, heads: int, bias: bool = True) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width, bias=bias)
        self.key_value = nn.Linear(width, 2 * width, bias=bias)
        self.out = nn.Linear(width, width, bias=bias)

    def keys(self, seen: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values ``(B, h, T, d/h)`` of ``(B, T, d)`` tokens, to be used many times."""
        key, value = self.key_value(seen).chunk(2, -1)
        return (
            split_heads(key, self.heads).contiguous(),
            split_heads(value, self.heads).contiguous(),
        )

    def attend(
        self,
        x: Tensor,
        keys: tuple[Tensor, Tensor],
        mask: Tensor | None = None,
        scale: float | None = None,
    ) -> Tensor:
        """``(B, Q, d)``: ``x`` looks at the keys; ``mask`` ``(B, Q or 1, T)``, where true, lets it.

        Scores are divided by √(d/h), or multiplied with ``scale``.
        """
        allowed = None if mask is None else mask[:, None]
        query = split_heads(self.query(x), self.heads)
        attended = F.scaled_dot_product_attention(query, *keys, attn_mask=allowed, scale=scale)
        result: Tensor = self.out(join_heads(attended))
        return result

    def forward(self, x: Tensor, seen: Tensor, scale: float | None = None) -> Tensor:
        """``x`` looks at ``seen``."""
        return self.attend(x, self.keys(seen), scale=scale)


class NormedLayer(nn.Module):
    """The attention model's encoder layer: each part added, then batch-normalised.

    Kool, van Hoof & Welling (2019). ``attention`` takes the tokens, and what they look at.
    """

    def __init__(self, attention: nn.Module, width: int, inner: int) -> None:
        super().__init__()
        self.attention = attention
        self.attention_norm = BatchNorm(width)
        self.feedforward = FeedForward(width, inner)
        self.feedforward_norm = BatchNorm(width)

    def forward(self, x: Tensor, seen: Tensor | int) -> Tensor:
        """Refine ``(B, T, d)`` tokens."""
        x = self.attention_norm(x + self.attention(x, seen))
        result: Tensor = self.feedforward_norm(x + self.feedforward(x))
        return result
