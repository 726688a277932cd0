"""The attention model's decoder: a glimpse by several heads, then one head that points."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from geopar.neural.layers import join_heads, split_heads


class PointerKeys(NamedTuple):
    """Multiplied out once.

    Keys and values of the glimpse are ``(B, h, T, d/h)``, the keys of pointing ``(B, T, d)``.
    """

    key: Tensor
    value: Tensor
    point: Tensor


class GlimpsePointer(nn.Module):
    """Kool, van Hoof & Welling (2019): masked glimpse, then clip · tanh of products with the keys.

    Parameters
    ----------
    width, heads
        Of tokens and queries, and of the glimpse.
    clip
        Logits are so many times a tanh.
    """

    def __init__(self, width: int, heads: int, clip: float) -> None:
        super().__init__()
        self.heads, self.clip = heads, clip
        self.keys = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)

    def remember(self, tokens: Tensor) -> PointerKeys:
        """Of ``(B, T, d)`` tokens that can be pointed at."""
        key, value, point = self.keys(tokens).chunk(3, -1)
        return PointerKeys(
            split_heads(key, self.heads).contiguous(),
            split_heads(value, self.heads).contiguous(),
            point.contiguous(),
        )

    def forward(self, keys: PointerKeys, query: Tensor, mask: Tensor) -> Tensor:
        """``(B, Q, T)`` logits of ``(B, Q, d)`` queries, −∞ where the mask is false."""
        glimpse = F.scaled_dot_product_attention(
            split_heads(query, self.heads), keys.key, keys.value, attn_mask=mask[:, None]
        )
        result = self.out(join_heads(glimpse))
        logits = result @ keys.point.mT / math.sqrt(query.shape[-1])
        return (self.clip * torch.tanh(logits)).masked_fill(~mask, -torch.inf)


def with_own_homes(mask: Tensor) -> Tensor:
    """``(B, R, M, N + 1)`` masks, home last, as ``(B, R·M, N + M)``: everybody has his own home."""
    own = torch.eye(mask.shape[2], dtype=torch.bool, device=mask.device)
    return torch.cat([mask[..., :-1], mask[..., -1:] & own], -1).flatten(1, 2)


def with_one_home(logits: Tensor, count: int) -> Tensor:
    """The way back: ``(B, R·M, N + M)`` logits as ``(B, R, M, N + 1)``; ``count`` is M."""
    logits = logits.view(logits.shape[0], -1, count, logits.shape[-1])
    home = logits[..., -count:].diagonal(dim1=2, dim2=3)
    return torch.cat([logits[..., :-count], home[..., None]], -1)
