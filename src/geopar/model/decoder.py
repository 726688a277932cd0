"""The dynamic parallel pointer decoder (paper, section 4.2), and our edge-biased pointer.

Everything that depends on the instance alone is multiplied out once after encoding
(:class:`Memory`), so that a step gathers rows instead of repeating products.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from geopar.model.configuration import ModelConfig
from geopar.model.edge_function import ScorePairs, SeePairs
from geopar.model.encoder import Tokens
from geopar.model.layers import (
    NOTHING,
    FeedForward,
    RMSNorm,
    TransformerLayer,
    join_heads,
    split_heads,
)
from geopar.model.look import FeatureSizes, Look
from geopar.problems.tensors import take

# Up to so many tasks, keys of a few candidates are cheaper masked than gathered.
MOST_MASKED_TASKS = 256
# Agent and fleet features without those relative to the fleet: PARCO's.
PLAIN_FEATURES = (3, 1)
# When more agents than this share have a choice, picking them out costs more than it saves.
MOST_BUSY = 0.9


@dataclass(frozen=True, eq=False)
class Memory:
    """What the decoder keeps of an encoded instance.

    Parameters
    ----------
    here
        ``(B, N + M, d)``: the part of a query that comes from where an agent is: a task, or its own
        start.
    self_query
        ``(B, M, d)``: the part that comes from the agent's own embedding.
    listed
        ``(B, T + 1)``: the tasks whose keys are kept, all at first, then home.
    key, value
        ``(B, h, T + M, d/h)``: for the glimpse; the listed tasks, then each agent's home.
    point
        ``(B, T + M, d)``: for the pointer.
    """

    here: Tensor
    self_query: Tensor
    listed: Tensor
    key: Tensor
    value: Tensor
    point: Tensor

    @cached_property
    def flat(self) -> tuple[Tensor, Tensor]:
        """Keys and values as ``(B, T + M, d)``, for gathering."""
        size, _, count, _ = self.key.shape
        key, value = (x.transpose(1, 2).reshape(size, count, -1) for x in (self.key, self.value))
        return key, value

    @property
    def num_tasks(self) -> int:
        """N: also those whose keys are gone."""
        return self.here.shape[1] - self.self_query.shape[1]

    @property
    def num_listed(self) -> int:
        """T: tasks whose keys are kept."""
        return self.listed.shape[1] - 1

    def compact(self, kept: Tensor) -> Memory:
        """The same with the keys of fewer tasks: ``kept`` is ``(B, T')`` columns of ``listed``."""
        size, count = kept.shape[0], self.self_query.shape[1]
        homes = self.num_listed + torch.arange(count, device=kept.device)
        rows = torch.cat([kept, homes.expand(size, -1)], 1)

        def pick(keys: Tensor) -> Tensor:
            flat = take(keys.flatten(0, 1), rows.repeat_interleave(keys.shape[1], 0))
            return flat.view(size, keys.shape[1], *flat.shape[1:])

        return replace(
            self,
            listed=F.pad(self.listed.gather(1, kept), (0, 1), value=self.num_tasks),
            key=pick(self.key),
            value=pick(self.value),
            point=take(self.point, rows),
        )


class Pointer(nn.Module):
    """Queries, communication, glimpse and pointer (Eqs. 6 to 9)."""

    def __init__(self, config: ModelConfig, sizes: FeatureSizes) -> None:
        super().__init__()
        agent_features, fleet_features = sizes.agents, sizes.fleet
        if not config.fleet_features:
            agent_features, fleet_features = PLAIN_FEATURES
        width = config.width
        self.heads, self.clip = config.heads, config.clip
        # W_q of Eq. 6, cut into the parts of its input.
        self.query_here = nn.Linear(width, width, bias=False)
        self.query_self = nn.Linear(width, width, bias=False)
        self.query_agent = nn.Linear(agent_features, width)
        self.query_fleet = nn.Linear(fleet_features, width, bias=False)
        self.talk = nn.ModuleList(
            TransformerLayer(width, config.heads, config.feedforward)
            for _ in range(config.communication)
        )
        self.talk_norm = RMSNorm(width)
        self.glimpse_query = nn.Linear(width, width)
        self.keys = nn.Linear(width, 3 * width, bias=False)
        self.glimpse_out = nn.Linear(width, width)
        # W_K W_ξ of Eq. 8: dynamic features enter the logit as a term of low rank.
        self.dynamic = nn.Linear(width, sizes.dynamic, bias=False)

    def remember(self, tokens: Tokens) -> Memory:
        """Multiply out what later steps need."""
        agents, tasks = tokens
        everything = torch.cat([tasks, agents], 1)
        key, value, point = self.keys(everything).chunk(3, -1)
        listed = torch.arange(tasks.shape[1] + 1, device=tasks.device)
        return Memory(
            here=self.query_here(everything),
            self_query=self.query_self(agents),
            listed=listed.expand(tasks.shape[0], -1),
            key=self._split(key).contiguous(),
            value=self._split(value).contiguous(),
            point=point.contiguous(),
        )

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def queries(
        self, memory: Memory, place: Tensor, agents: Tensor, fleet: Tensor, active: Tensor
    ) -> Tensor:
        """q̄ of every agent (Eqs. 6 and 7), ``(B, R, M, d)``.

        Parameters
        ----------
        memory
            The instance.
        place
            ``(B, R, M)``: where each agent is, N at home.
        agents, fleet
            Dynamic states, ``(B, R, M, F)`` and ``(B, R, F)``.
        active
            ``(B, R, M)``: who takes part in the communication.
        """
        count = memory.self_query.shape[1]
        tasks = memory.here.shape[1] - count
        home = tasks + torch.arange(count, device=place.device)
        query = take(memory.here, torch.where(place == tasks, home, place))
        query = query + memory.self_query[:, None] + self.query_agent(agents)
        query = query + self.query_fleet(fleet)[:, :, None]
        if self.talk:
            heard, audible = query.flatten(0, 1), hearable(active).flatten(0, 1)
            for layer in self.talk:
                heard = layer(heard, audible)
            query = heard.view(query.shape)
        result: Tensor = self.talk_norm(query)
        return result

    def forward(self, memory: Memory, query: Tensor, look: Look) -> Tensor:
        """β·tanh logits (Eq. 8) of the candidates, ``(B, R, M, K)``.

        Parameters
        ----------
        memory
            The instance; candidates that are shared must be the listed ones.
        query
            q̄, ``(B, R, M, d)``.
        look
            The candidates and what may be done.
        """
        glimpse = self.glimpse_query(query)
        if look.candidates.dim() == 2 or memory.num_listed <= MOST_MASKED_TASKS:
            result, logits = self._dense(memory, glimpse, look)
        else:
            result, logits = self._sparse(memory, glimpse, look)
        change = self.dynamic(result)
        if look.candidates.dim() == 2:
            logits = logits + change @ look.dynamic[:, :, 0].mT
        else:
            logits = logits + (look.dynamic @ change[..., None])[..., 0]
        return self.clip * torch.tanh(logits / math.sqrt(query.shape[-1]))

    def _dense(self, memory: Memory, glimpse: Tensor, look: Look) -> tuple[Tensor, Tensor]:
        """Keys of all listed tasks, masked down to the candidates; R·M queries share them."""
        size, rollouts, count, width = glimpse.shape
        allowed = look.feasible
        if look.candidates.dim() == 4:
            allowed = allowed.new_zeros((*allowed.shape[:-1], memory.num_listed + 1))
            allowed = allowed.scatter(-1, look.candidates, look.feasible)
        # Home is the last column, and each agent has its own.
        eye = torch.eye(count, dtype=torch.bool, device=glimpse.device)
        allowed = torch.cat([allowed[..., :-1], allowed[..., -1:] & eye], -1)
        attended = F.scaled_dot_product_attention(
            self._split(glimpse.flatten(1, 2)),
            memory.key,
            memory.value,
            attn_mask=allowed.flatten(1, 2)[:, None],
        )
        result = self.glimpse_out(attended.transpose(1, 2).reshape(size, rollouts * count, width))
        logits = result @ memory.point[:, : memory.num_listed].mT
        logits = logits.view(size, rollouts, count, -1)
        result = result.view(glimpse.shape)
        to_home = (result * memory.point[:, None, memory.num_listed :]).sum(-1, keepdim=True)
        if look.candidates.dim() == 4:
            logits = logits.gather(-1, look.candidates[..., :-1])
        return result, torch.cat([logits, to_home], -1)

    def _sparse(self, memory: Memory, glimpse: Tensor, look: Look) -> tuple[Tensor, Tensor]:
        """Keys of the candidates alone: O(M·K) whatever N is."""
        count, width = glimpse.shape[2:]
        homes = memory.num_tasks + torch.arange(count, device=glimpse.device)[:, None]
        rows = torch.where(look.candidates == memory.num_tasks, homes, look.candidates)
        key, value, point = (take(table, rows) for table in (*memory.flat, memory.point))
        split = (self.heads, width // self.heads)
        # Small products are fastest as sums of elements: one query meets each gathered key once.
        scores = (key.unflatten(-1, split) * glimpse.unflatten(-1, split)[..., None, :, :]).sum(-1)
        scores = (scores / math.sqrt(split[1])).masked_fill(~look.feasible[..., None], -torch.inf)
        attended = (scores.softmax(-2)[..., None] * value.unflatten(-1, split)).sum(-3)
        result = self.glimpse_out(attended.flatten(-2))
        return result, (point * result[..., None, :]).sum(-1)


class CandidateLayer(nn.Module):
    """Attention among the candidates of one agent, biased by how far they are from each other."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.attention_norm = RMSNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        # What a distance, and being very near, are worth to each head.
        self.distance_bias = nn.Parameter(torch.zeros(2, heads))
        self.feedforward_norm = RMSNorm(width)
        self.feedforward = FeedForward(width, 2 * width)

    def forward(self, x: Tensor, apart: Tensor, hidden: Tensor) -> Tensor:
        """Refine ``(A, K, H)`` candidates of A agents.

        ``apart`` is ``(A, 2, K·K)``: how far from each other and how near; ``hidden`` is
        ``(A, K)``: not to be seen.
        """
        q, k, v = (split_heads(part, self.heads) for part in
                   self.qkv(self.attention_norm(x)).chunk(3, -1))  # fmt: skip
        bias = (self.distance_bias.mT @ apart).unflatten(-1, (x.shape[1], -1))
        bias = bias.masked_fill(hidden[:, None, None], NOTHING)
        x = x + self.out(join_heads(F.scaled_dot_product_attention(q, k, v, attn_mask=bias)))
        result: Tensor = x + self.feedforward(self.feedforward_norm(x))
        return result


class EdgePointer(nn.Module):
    """Our edge-biased pointer: what Eq. 4 does for task-task pairs, for agent-task pairs.

    Two small layers over relative features of the pair and the state of the agent, with pooling
    over the candidates between them, so that an agent weighs each against the others. By switches,
    candidates of an agent also attend to each other, and agents exchange what they pooled. Alone it
    is a local scorer; with the paper's pointer its value is added to the logit.
    """

    def __init__(self, config: ModelConfig, sizes: FeatureSizes) -> None:
        super().__init__()
        width = config.pair_width
        self.clip = config.clip
        self.pair = nn.Linear(sizes.pairs, width, bias=False)
        self.agent = nn.Linear(sizes.agents + sizes.fleet, width)
        self.agent_out = nn.Linear(width, width)
        self.task = nn.Linear(config.width, width, bias=False) if config.pointer else None
        self.query = nn.Linear(config.width, width, bias=False) if config.pointer else None
        self.layers = nn.ModuleList(
            CandidateLayer(width, config.pair_heads) for _ in range(config.pair_layers)
        )
        self.talk = nn.ModuleList(
            TransformerLayer(width, config.pair_heads, 2 * width) for _ in range(config.pair_talk)
        )
        self.inner = nn.Linear(width, width)
        self.pooled = nn.Linear(2 * width, width, bias=False)
        self.out = nn.Linear(width, 1, bias=False)

    def remember(self, tokens: Tokens) -> Tensor | None:
        """``(B, N + 1, H)``: what the encoder knows of each task, zero for home."""
        return None if self.task is None else F.pad(self.task(tokens.tasks), (0, 0, 0, 1))

    def forward(
        self,
        look: Look,
        query: Tensor | None,
        tasks: Tensor | None,
        apart: Callable[[], Tensor],
    ) -> Tensor:
        """Logits ``(B, R, M, K)``, within the clip; anything for agents without a choice.

        Parameters
        ----------
        look
            Pairs, agents and fleet.
        query
            ``(B, R, M, d)``: q̄ of the paper's pointer, if there is one.
        tasks
            Rows of :meth:`remember` for the candidates, if there are any.
        apart
            Gives ``(B, R, M, K, K)`` distances between the candidates, in spacings, when needed.
        """
        assert look.pairs is not None
        fleet_size, total = look.active.shape[2], look.active.numel()
        # One row for every agent that has a choice, of whatever state; a few idle ones do no harm.
        busy = look.active.flatten().nonzero()[:, 0]
        everybody = len(busy) > MOST_BUSY * total

        def rows(x: Tensor) -> Tensor:
            flat = x.flatten(0, 2)
            return flat if everybody else flat.index_select(0, busy)

        fleet = look.fleet[:, :, None].expand(*look.agents.shape[:3], -1)
        state = self.agent_out(F.relu(self.agent(rows(torch.cat([look.agents, fleet], -1)))))
        if self.query is not None and query is not None:
            state = state + self.query(rows(query))
        unseen = ~rows(look.feasible)
        known = None if tasks is None else rows(tasks.expand(*look.feasible.shape, -1))
        hidden, mean, largest = SeePairs.apply(
            rows(look.pairs), state, known, self.pair.weight, unseen, torch.is_grad_enabled()
        )
        if self.layers:
            gaps = rows(apart()).flatten(1)
            gaps = torch.stack([torch.log1p(gaps), torch.exp(-gaps)], 1)
            for layer in self.layers:
                hidden = layer(hidden, gaps, unseen)
            hidden = F.relu(hidden.masked_fill(unseen[..., None], 0.0))
            count = (~unseen).sum(-1, keepdim=True).clamp(min=1)
            mean, largest = hidden.sum(1) / count, hidden.amax(1)
        pooled = self.pooled(torch.cat([mean, largest], -1))
        if self.talk:
            heard = pooled
            if not everybody:
                heard = pooled.new_zeros(total, pooled.shape[-1]).index_copy(0, busy, pooled)
            heard = heard.view(-1, fleet_size, pooled.shape[-1])
            for layer in self.talk:
                heard = layer(heard, hearable(look.active).flatten(0, 1))
            heard = heard.flatten(0, 1)
            pooled = heard if everybody else heard.index_select(0, busy)
        score = ScorePairs.apply(
            hidden, pooled, self.inner.weight, self.inner.bias, self.out.weight[0]
        )
        if not everybody:
            score = score.new_zeros(total, score.shape[1]).index_copy(0, busy, score)
        logits = score.view(look.feasible.shape)
        return self.clip * torch.tanh(logits / self.clip)


def hearable(active: Tensor) -> Tensor:
    """Who is heard: the active ones, or all where nobody is, since attention needs somebody."""
    return active | ~active.any(-1, keepdim=True)
