"""Building blocks: pre-norm transformer layers, dense or along the windows."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from geopar.model.geometry import WindowCache
from geopar.problems.tensors import take

# Sorted tasks are attended block by block: a block sees itself and w more on either side.
BLOCK = 16
# Less than any score, but finite, because a band may be empty for a task and then weighs nothing;
# and not so low that exponentials leave the fast range of a CPU.
NOTHING = -70.0
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
        self.feedforward = FeedForward(width, inner)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """``x`` is ``(B, T, d)``; ``mask``, where true, lets ``(B, T)`` be looked at."""
        x = x + self.attention(self.attention_norm(x), mask)
        result: Tensor = x + self.feedforward(self.feedforward_norm(x))
        return result


class EdgeBias(nn.Module):
    """The three biases of Eq. 4 for every head: edge geometry ψ, source c and rank ρ."""

    FEATURES = 7

    def __init__(self, num_sources: int, heads: int, inner: int) -> None:
        super().__init__()
        self.edge = nn.Sequential(nn.Linear(self.FEATURES, inner), nn.ReLU())
        self.edge_bias = nn.Linear(inner, heads)
        self.source_bias = nn.Parameter(torch.zeros(num_sources, heads))
        self.rank_bias = nn.Parameter(torch.zeros(heads))

    def forward(self, cache: WindowCache, ordering: int) -> Tensor:
        """``(B, h, N, 2w + 1)``: the biases of one ordering's band, hopeless outside it."""
        hidden = self.edge(edge_descriptor(cache, ordering)).flatten(1, 2)
        # Heads first, without moving anything: the bands are large.
        bias = self.edge_bias.weight @ hidden.mT
        bias = bias.unflatten(-1, (-1, 2 * cache.radius + 1))
        constant = self.edge_bias.bias + self.source_bias[ordering + 1]
        constant = constant[:, None] + self.rank_bias[:, None] * cache.offset
        bias = bias + constant[:, None]
        return bias.masked_fill(~cache.kept[:, ordering, None], NOTHING)

    def own(self, cache: WindowCache) -> Tensor:
        """``(B, h, N)``: the biases of the self slots."""
        near = cache.depot_distance
        none = torch.zeros_like(near)
        features = torch.stack([none, none, none, near, near, 2.0 * near, none], -1)
        bias = self.edge_bias(self.edge(features)) + self.source_bias[0]
        return bias.mT


def edge_descriptor(cache: WindowCache, ordering: int) -> Tensor:
    """ψ of one ordering's band, ``(B, N, 2w + 1, 7)``.

    Displacement, distance, both depot distances, the saving, and the distance over the mean
    cached one.
    """
    x, y, near = (
        take(values, cache.order[:, ordering])
        for values in (cache.tasks[..., 0], cache.tasks[..., 1], cache.depot_distance)
    )
    far, gap = cache.band(near), cache.distance[:, ordering]
    near = near[..., None].expand_as(far)
    return torch.stack(
        [
            cache.band(x) - x[..., None],
            cache.band(y) - y[..., None],
            gap,
            near,
            far,
            near + far - gap,
            gap / cache.mean_distance[:, None, None],
        ],
        -1,
    )


def window_attention(q: Tensor, k: Tensor, v: Tensor, cache: WindowCache, bias: EdgeBias) -> Tensor:
    """Attention of every task to its cached slots (Eq. 4), ``(B, N, d)`` each way.

    Each ordering is a band of the sorted tasks, attended block by block; the orderings and the
    self slot are merged by the logarithms of their sums, which gives exactly one softmax over all
    slots, repeats included.

    Parameters
    ----------
    q, k, v
        ``(B, N, d)``.
    cache, bias
        The windows and their biases.
    """
    heads = bias.rank_bias.shape[0]
    scale = (q.shape[-1] // heads) ** -0.5
    packed = torch.cat([q * scale, k, v], -1)
    outs, logs = [v.unflatten(-1, (heads, -1))], []
    alone = (q * k).unflatten(-1, (heads, -1)).sum(-1) * scale
    logs.append(alone + bias.own(cache).mT)
    for ordering in range(cache.num_orderings):
        ranked = take(packed, cache.order[:, ordering])
        out, log = _band_attention(ranked, bias(cache, ordering), cache.radius, heads)
        outs.append(take(out, cache.rank[:, ordering]).unflatten(-1, (heads, -1)))
        logs.append(take(log, cache.rank[:, ordering]))
    weight = torch.stack(logs).softmax(0)
    merged = outs[0] * weight[0][..., None]
    for part in range(1, len(outs)):
        merged = merged + outs[part] * weight[part][..., None]
    return merged.flatten(2)


def _band_attention(packed: Tensor, bias: Tensor, radius: int, heads: int) -> tuple[Tensor, Tensor]:
    """Every rank attends to those within ``radius``; its result and log of the sum of weights."""
    size, tasks = packed.shape[:2]
    blocks = -(-tasks // BLOCK)
    spare, span = blocks * BLOCK - tasks, BLOCK + 2 * radius
    q, k, v = packed.chunk(3, -1)
    q = F.pad(q, (0, 0, 0, spare)).view(size, blocks, BLOCK, heads, -1).transpose(2, 3)
    around = (0, 0, radius, radius + spare)
    # (B, blocks, d, span) views of overlapping stretches
    k, v = (F.pad(part, around).unfold(1, span, BLOCK).unflatten(2, (heads, -1)) for part in (k, v))
    # Row r of a block sees columns r … r + 2w of its span: shift row r of the band by r.
    skewed = F.pad(bias, (0, 0, 0, spare)).unflatten(2, (blocks, BLOCK))
    skewed = F.pad(skewed, (0, BLOCK), value=NOTHING).flatten(3)[..., : BLOCK * span]
    skewed = skewed.unflatten(3, (BLOCK, span)).transpose(1, 2)
    scores = q @ k + skewed
    most = scores.detach().amax(-1, keepdim=True)
    weight = (scores - most).exp()
    total = weight.sum(-1, keepdim=True)
    out = (weight @ v.mT) / total
    log = most + total.log()
    out = out.transpose(2, 3).reshape(size, blocks * BLOCK, -1)[:, :tasks]
    log = log[..., 0].transpose(2, 3).reshape(size, blocks * BLOCK, heads)[:, :tasks]
    return out, log
