"""HAM: the heterogeneous attention model (Li et al. 2021), with a fleet that acts in parallel.

Its encoder lets pickups and deliveries look at each other in six ways beside the usual one. The
original plans for one vehicle; the paper's figures can only come from vehicles that act at once in
PARCO's environment, but it does not say how they decide. Here every vehicle has the original's
query (the mean of all tokens, where it stands) with how far it has driven and what it carries
added, they do not talk to each other, and a contested task goes to the highest probability.
Batch normalisation keeps the statistics of training, so sizes far from those fare worse.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn

from geopar.neural.conflicts import Scores
from geopar.neural.layers import join_heads, split_heads
from geopar.peers import parallel
from geopar.peers.blocks import NormedLayer
from geopar.peers.parallel import ParallelConfig, ParallelEncoded, ParallelPeer
from geopar.peers.pickup import (
    NUM_AGENT_FEATURES,
    PickupMemory,
    agent_features,
    as_omdcpdp,
    point,
    where_they_are,
)
from geopar.peers.pointer import GlimpsePointer
from geopar.peers.solver import PeerSolver
from geopar.problems.environment import Environment
from geopar.problems.kinds import Kind
from geopar.problems.omdcpdp.generate import CAPACITY


class HeterogeneousAttention(nn.Module):
    """Attention to all tokens, and from tasks also to partner, own kind and other kind.

    All share keys and values; each way of looking has its own queries, different for pickups and
    deliveries. One softmax goes over everything that a token looks at.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width, bias=False)
        self.key_value = nn.Linear(width, 2 * width, bias=False)
        # Partner, own kind, other kind.
        self.pickup = nn.Linear(width, 3 * width, bias=False)
        self.delivery = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, x: Tensor, half: int) -> Tensor:
        """Of ``(B, N + M, d)`` tokens with ``half`` pickups and as many deliveries first."""
        scale = math.sqrt(self.heads / x.shape[-1])
        query = split_heads(self.query(x), self.heads) * scale
        key, value = (split_heads(part, self.heads) for part in self.key_value(x).chunk(2, -1))
        typed = torch.cat([self.pickup(x[:, :half]), self.delivery(x[:, half : 2 * half])], 1)
        # (B, h, 2, N/2, d/h): by kind, and again with the kinds swapped.
        partner, alike, other = (
            self._by_kind(split_heads(part, self.heads) * scale, half)
            for part in typed.chunk(3, -1)
        )
        own_keys, own_values = self._by_kind(key, half), self._by_kind(value, half)
        their_keys, their_values = own_keys.flip(2), own_values.flip(2)

        usual = query @ key.mT
        scores = torch.cat(
            [
                self._by_kind(usual, half),
                (partner * their_keys).sum(-1, keepdim=True),
                alike @ own_keys.mT,
                other @ their_keys.mT,
            ],
            -1,
        )
        count = x.shape[1]
        parts = [count, 1, half, half]
        usual_weight, partner_weight, alike_weight, other_weight = torch.split(
            scores.softmax(-1), parts, -1
        )
        tasks = (
            usual_weight @ value[:, :, None]
            + partner_weight * their_values
            + alike_weight @ own_values
            + other_weight @ their_values
        )
        starts = usual[:, :, 2 * half :].softmax(-1) @ value
        result: Tensor = self.out(join_heads(torch.cat([tasks.flatten(2, 3), starts], 2)))
        return result

    @staticmethod
    def _by_kind(x: Tensor, half: int) -> Tensor:
        """Rows ``(B, h, N/2 + N/2 + …, k)`` of tasks as ``(B, h, 2, N/2, k)``."""
        rows: Tensor = x[:, :, : 2 * half].unflatten(2, (2, half))  # type: ignore[no-untyped-call]
        return rows


class HAM(ParallelPeer):
    """The network: tokens by kind of task, then a pointer for each vehicle."""

    learner = "ham"

    def __init__(self, config: ParallelConfig) -> None:
        super().__init__(config)
        width = config.width
        # A pickup knows where its order goes, a delivery only where it is; starts have a capacity.
        self.pickup = nn.Linear(4, width)
        self.delivery = nn.Linear(2, width)
        self.start = nn.Linear(3, width)
        self.layers = nn.ModuleList(
            NormedLayer(HeterogeneousAttention(width, config.heads), width, config.feedforward)
            for _ in range(config.layers)
        )
        self.mean = nn.Linear(width, width, bias=False)
        self.here = nn.Linear(width, width, bias=False)
        self.agent = nn.Linear(NUM_AGENT_FEATURES, width, bias=False)
        self.pointer = GlimpsePointer(width, config.heads, config.clip)

    @classmethod
    def recipe(cls, kind: Kind) -> dict[str, Any]:
        """The paper trains it as PARCO: 8 turned copies share their mean as baseline."""
        return {"augmentations": 8}

    def remember(self, environment: Environment[Any]) -> PickupMemory:
        """Tokens of tasks and starts through all layers, and what queries take from them."""
        batch = as_omdcpdp(environment)
        half = batch.num_orders
        pickups, deliveries = batch.tasks[:, :half], batch.tasks[:, half:]
        # One for the paper's vehicles.
        room = batch.capacity[..., None].to(pickups.dtype) / CAPACITY
        tokens = torch.cat(
            [
                self.pickup(torch.cat([pickups, deliveries], -1)),
                self.delivery(deliveries),
                self.start(torch.cat([batch.starts, room], -1)),
            ],
            1,
        )
        for layer in self.layers:
            tokens = layer(tokens, half)
        summary = self.mean(tokens.mean(1, keepdim=True))
        return PickupMemory(self.here(tokens), self.pointer.remember(tokens), summary)

    def scores(self, encoded: ParallelEncoded, state: Any) -> Scores:
        """Every vehicle by itself."""
        memory: PickupMemory = encoded.memory
        query = (
            where_they_are(memory, state)
            + memory.summary[:, None]
            + self.agent(agent_features(state))
        )
        return point(self.pointer, encoded, state, query)


solver, warm_up = PeerSolver(peer=HAM), parallel.warm_up
