"""The projection-window sparse encoder (paper, section 4.1)."""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from geopar.model.configuration import ModelConfig
from geopar.model.geometry import WindowCache
from geopar.model.layers import (
    EdgeBias,
    FeedForward,
    RMSNorm,
    TransformerLayer,
    join_heads,
    split_heads,
    window_attention,
)
from geopar.model.tokens import agent_features, num_token_features, task_features
from geopar.problems.batch import Batch


class Tokens(NamedTuple):
    """Embeddings: agents ``(B, M, d)`` and tasks ``(B, N, d)``."""

    agents: Tensor
    tasks: Tensor


class GeometryBranch(nn.Module):
    """Sparse edge-biased enhancement (Eqs. 4 and 5): refines the task tokens once.

    A gate that starts at zero lets the network begin as its base.
    """

    def __init__(self, config: ModelConfig, num_orderings: int) -> None:
        super().__init__()
        width = config.width
        self.heads = config.heads
        self.task_norm, self.agent_norm = RMSNorm(width), RMSNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.bias = EdgeBias(num_orderings + 1, config.heads, config.edge_width)
        self.agent_q = nn.Linear(width, width)
        self.agent_kv = nn.Linear(width, 2 * width)
        self.fuse = nn.Linear(2 * width, width)
        self.norm = nn.LayerNorm(width)
        self.gate = nn.Parameter(torch.zeros(width))

    def forward(self, tokens: Tokens, cache: WindowCache) -> Tensor:
        """The refined task tokens."""
        tasks = self.task_norm(tokens.tasks)
        q, k, v = self.qkv(tasks).chunk(3, -1)
        local = window_attention(q, k, v, cache, self.bias)
        query = split_heads(self.agent_q(tasks), self.heads)
        key, value = self.agent_kv(self.agent_norm(tokens.agents)).chunk(2, -1)
        from_agents = F.scaled_dot_product_attention(
            query, split_heads(key, self.heads), split_heads(value, self.heads)
        )
        fused = self.norm(self.fuse(torch.cat([local, join_heads(from_agents)], -1)))
        result: Tensor = tokens.tasks + self.gate * fused
        return result


class WindowedLayer(nn.Module):
    """A transformer layer along the windows: O(N) instead of O(N²).

    A task sees its cached slots and two summaries, the mean agent and the mean task; an agent sees
    itself and the summaries.
    """

    def __init__(self, config: ModelConfig, num_orderings: int) -> None:
        super().__init__()
        width = config.width
        self.heads = config.heads
        self.attention_norm = RMSNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.bias = EdgeBias(num_orderings + 1, config.heads, config.edge_width)
        self.feedforward_norm = RMSNorm(width)
        self.feedforward = FeedForward(width, config.feedforward)

    def forward(self, tokens: Tokens, cache: WindowCache) -> Tokens:
        """Both kinds of tokens, refined."""
        agents, tasks = tokens
        count = agents.shape[1]
        seen = self.attention_norm(torch.cat([agents, tasks], 1))
        means = torch.stack([seen[:, :count].mean(1), seen[:, count:].mean(1)], 1)
        q, k, v = self.qkv(torch.cat([seen, means], 1)).chunk(3, -1)
        extra = torch.cat([k[:, -2:], v[:, -2:]], -1)
        inner = slice(count, -2)
        along = window_attention(q[:, inner], k[:, inner], v[:, inner], cache, self.bias, extra)
        own = self._agents(q[:, :count], k, v, count)
        x = torch.cat([agents, tasks], 1) + self.out(torch.cat([own, along], 1))
        x = x + self.feedforward(self.feedforward_norm(x))
        return Tokens(x[:, :count], x[:, count:])

    def _agents(self, q: Tensor, k: Tensor, v: Tensor, count: int) -> Tensor:
        """Each agent attends to itself and the two summaries."""

        def seen(x: Tensor) -> Tensor:
            means = x[:, None, -2:].expand(-1, count, -1, -1)
            both = torch.cat([x[:, :count, None], means], 2)
            return both.unflatten(-1, (self.heads, -1)).transpose(2, 3)  # (B, M, h, 3, d/h)

        query = q.unflatten(-1, (self.heads, 1, -1))
        return F.scaled_dot_product_attention(query, seen(k), seen(v)).flatten(2)


class Encoder(nn.Module):
    """Tokens, the geometry branch, the layers and a last norm."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        sizes = num_token_features(config.kind)
        self.agent_embedding = nn.Linear(sizes.agents, config.width)
        self.task_embedding = nn.ModuleList(
            nn.Linear(sizes.tasks, config.width) for _ in range(sizes.task_kinds)
        )
        orderings = config.directions + config.auxiliary
        self.branch = GeometryBranch(config, orderings) if config.geometry else None
        self.layers = nn.ModuleList(
            TransformerLayer(config.width, config.heads, config.feedforward)
            if config.attention == "dense"
            else WindowedLayer(config, orderings)
            for _ in range(config.layers)
        )
        self.norm = RMSNorm(config.width)

    def forward(self, batch: Batch, cache: WindowCache | None) -> Tokens:
        """Embed and refine; the cache may be missing when nothing looks along the windows."""
        parts = zip(self.task_embedding, task_features(batch), strict=True)
        tasks = torch.cat([embed(features) for embed, features in parts], 1)
        tokens = Tokens(self.agent_embedding(agent_features(batch)), tasks)
        if self.branch is not None:
            assert cache is not None
            tokens = tokens._replace(tasks=self.branch(tokens, cache))
        if self.config.attention == "windowed":
            for layer in self.layers:
                tokens = layer(tokens, cache)
            return Tokens(self.norm(tokens.agents), self.norm(tokens.tasks))
        x = torch.cat(tokens, 1)
        for layer in self.layers:
            x = layer(x)
        x = self.norm(x)
        return Tokens(x[:, : batch.num_vehicles], x[:, batch.num_vehicles :])
