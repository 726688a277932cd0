"""The projection-window sparse encoder (paper, section 4.1)."""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from geopar.neural.layers import RMSNorm, TransformerLayer, join_heads, split_heads
from geopar.paper.attention import EdgeBias, window_attention
from geopar.paper.config import NetworkConfig
from geopar.paper.tokens import (
    agent_features,
    num_agent_features,
    num_task_features,
    task_features,
)
from geopar.paper.windows import WindowCache
from geopar.problems.batch import Batch


class Tokens(NamedTuple):
    """Embeddings: agents ``(B, M, d)`` and tasks ``(B, N, d)``."""

    agents: Tensor
    tasks: Tensor


class GeometryBranch(nn.Module):
    """Sparse edge-biased enhancement (Eq. 5): refines the task tokens once.

    A gate that starts at zero lets the network begin as its base.
    """

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        width = config.width
        self.heads = config.heads
        self.task_norm, self.agent_norm = RMSNorm(width), RMSNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.bias = EdgeBias(config.num_orderings + 1, config.heads, config.edge_width)
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


class Encoder(nn.Module):
    """Tokens, the geometry branch, dense layers and a last norm."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.agent_embedding: nn.Module = nn.Linear(num_agent_features(config.kind), config.width)
        self.task_embedding = nn.ModuleList(
            nn.Linear(count, config.width) for count in num_task_features(config.kind)
        )
        self.branch = GeometryBranch(config) if config.geometry else None
        self.layers = nn.ModuleList(
            TransformerLayer(config.width, config.heads, config.feedforward)
            for _ in range(config.layers)
        )
        self.norm = RMSNorm(config.width)

    def embed(self, batch: Batch) -> Tokens:
        """The tokens before they are refined."""
        parts = zip(self.task_embedding, task_features(batch), strict=True)
        tasks = torch.cat([embed(features) for embed, features in parts], 1)
        return Tokens(self.agent_embedding(agent_features(batch)), tasks)

    def forward(self, batch: Batch, cache: WindowCache | None) -> Tokens:
        """Embed and refine; the cache may be missing when there is no geometry branch."""
        tokens = self.embed(batch)
        if self.branch is not None:
            assert cache is not None
            tokens = tokens._replace(tasks=self.branch(tokens, cache))
        x = torch.cat(tokens, 1)
        for layer in self.layers:
            x = layer(x)
        x = self.norm(x)
        return Tokens(x[:, : batch.num_vehicles], x[:, batch.num_vehicles :])
