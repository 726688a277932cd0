"""The dynamic parallel pointer decoder (paper, section 4.2).

Everything that depends on the instance alone is multiplied out once after encoding
(:class:`Memory`), so that a step gathers rows instead of repeating products.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from geopar.neural.layers import RMSNorm, TransformerLayer
from geopar.paper.config import NetworkConfig
from geopar.paper.encoder import Tokens
from geopar.paper.observation import Observation, observation_sizes
from geopar.problems.tensors import take


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
        ``(B, T + M, d)``: W_K h of Eq. 8.
    """

    here: Tensor
    self_query: Tensor
    listed: Tensor
    key: Tensor
    value: Tensor
    point: Tensor

    @property
    def num_tasks(self) -> int:
        """N: also those whose keys are gone."""
        return self.here.shape[1] - self.self_query.shape[1]

    @property
    def num_listed(self) -> int:
        """T: tasks whose keys are kept."""
        return self.listed.shape[1] - 1

    @property
    def column(self) -> Tensor:
        """``(B, N + 1)``: the column of each task and of home, −1 for those that are gone."""
        size = self.listed.shape[0]
        columns = torch.arange(self.num_listed + 1, device=self.listed.device).expand(size, -1)
        nowhere = self.listed.new_full((size, self.num_tasks + 1), -1)
        return nowhere.scatter(1, self.listed, columns)

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


class Decoder(nn.Module):
    """Queries, communication, glimpse and pointer (Eqs. 6 to 8)."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        width, sizes = config.width, observation_sizes(config)
        self.heads, self.clip = config.heads, config.clip
        # W_q of Eq. 6, cut into the parts of its input.
        self.query_here = nn.Linear(width, width, bias=False)
        self.query_self = nn.Linear(width, width, bias=False)
        self.query_agent = nn.Linear(sizes.agents, width)
        self.query_fleet = nn.Linear(sizes.fleet, width, bias=False)
        self.talk = nn.ModuleList(
            TransformerLayer(width, config.heads, config.feedforward)
            for _ in range(config.communication)
        )
        self.talk_norm = RMSNorm(width)
        self.glimpse_query = nn.Linear(width, width)
        self.keys = nn.Linear(width, 3 * width, bias=False)
        self.glimpse_out = nn.Linear(width, width)
        self.direct = nn.Linear(width, width, bias=False) if config.direct else None
        # W_K W_ξ of Eq. 8: dynamic features enter the logit as a term of low rank.
        self.dynamic = nn.Linear(width, sizes.tasks, bias=False)

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

    def forward(self, memory: Memory, place: Tensor, seen: Observation) -> Tensor:
        """Logits of the listed tasks and home, ``(B, R, M, T + 1)``, before the mask."""
        return self.point(memory, self.queries(memory, place, seen), seen)

    def queries(self, memory: Memory, place: Tensor, seen: Observation) -> Tensor:
        """q̄ of every agent (Eqs. 6 and 7), ``(B, R, M, d)``.

        ``place`` is ``(B, R, M)``: where each agent is, N at home.
        """
        count, tasks = memory.self_query.shape[1], memory.num_tasks
        home = tasks + torch.arange(count, device=place.device)
        query = take(memory.here, torch.where(place == tasks, home, place))
        query = query + memory.self_query[:, None] + self.query_agent(seen.agents)
        query = query + self.query_fleet(seen.fleet)[:, :, None]
        if self.talk:
            heard, audible = query.flatten(0, 1), hearable(seen.active).flatten(0, 1)
            for layer in self.talk:
                heard = layer(heard, audible)
            query = heard.view(query.shape)
        result: Tensor = self.talk_norm(query)
        return result

    def point(self, memory: Memory, query: Tensor, seen: Observation) -> Tensor:
        """β·tanh logits (Eq. 8) of the listed tasks and home; R·M queries share the keys."""
        size, rollouts, count, width = query.shape
        # Home is the last column, and each agent has its own.
        eye = torch.eye(count, dtype=torch.bool, device=query.device)
        allowed = torch.cat([seen.feasible[..., :-1], seen.feasible[..., -1:] & eye], -1)
        attended = F.scaled_dot_product_attention(
            self._split(self.glimpse_query(query).flatten(1, 2)),
            memory.key,
            memory.value,
            attn_mask=allowed.flatten(1, 2)[:, None],
        )
        result = self.glimpse_out(attended.transpose(1, 2).reshape(size, rollouts * count, width))
        if self.direct is not None:
            result = result + self.direct(query).flatten(1, 2)
        logits = result @ memory.point[:, : memory.num_listed].mT
        result = result.view(query.shape)
        to_home = (result * memory.point[:, None, memory.num_listed :]).sum(-1, keepdim=True)
        logits = torch.cat([logits.view(size, rollouts, count, -1), to_home], -1)
        logits = logits + self.dynamic(result) @ seen.tasks.mT
        return self.clip * torch.tanh(logits / math.sqrt(width))


def hearable(active: Tensor) -> Tensor:
    """Who is heard: the active ones, or all where nobody is, since attention needs somebody."""
    return active | ~active.any(-1, keepdim=True)
