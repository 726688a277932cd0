"""The dynamic parallel pointer decoder (paper, section 4.2), and our edge-biased pointer.

Everything that depends on the instance alone is multiplied out once after encoding
(:class:`Memory`), so that a step gathers rows instead of repeating products.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from geopar.model.configuration import ModelConfig
from geopar.model.encoder import Tokens
from geopar.model.layers import TransformerLayer
from geopar.problems.tensors import take

# Up to so many tasks, keys of a few candidates are cheaper masked than gathered.
MOST_MASKED_TASKS = 256


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
    key, value
        ``(B, h, N + M, d/h)``: for the glimpse; tasks, then each agent's home.
    point
        ``(B, N + M, d)``: for the pointer.
    """

    here: Tensor
    self_query: Tensor
    key: Tensor
    value: Tensor
    point: Tensor


class Pointer(nn.Module):
    """Queries, communication, glimpse and pointer (Eqs. 6 to 9)."""

    def __init__(
        self, config: ModelConfig, agent_features: int, fleet_features: int, task_features: int
    ) -> None:
        super().__init__()
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
        self.talk_norm = nn.RMSNorm(width)
        self.glimpse_query = nn.Linear(width, width)
        self.keys = nn.Linear(width, 3 * width, bias=False)
        self.glimpse_out = nn.Linear(width, width)
        # W_K W_ξ of Eq. 8: dynamic features enter the logit as a term of low rank.
        self.dynamic = nn.Linear(width, task_features, bias=False)

    def remember(self, tokens: Tokens) -> Memory:
        """Multiply out what later steps need."""
        agents, tasks = tokens
        everything = torch.cat([tasks, agents], 1)
        key, value, point = self.keys(everything).chunk(3, -1)
        return Memory(
            here=self.query_here(everything),
            self_query=self.query_self(agents),
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
            # An agent that has nothing to say still needs somebody to look at: itself.
            lonely = ~active.any(-1, keepdim=True)
            audible = (active | lonely).flatten(0, 1)
            heard = query.flatten(0, 1)
            for layer in self.talk:
                heard = layer(heard, audible)
            query = heard.view(query.shape)
        result: Tensor = self.talk_norm(query)
        return result

    def forward(
        self, memory: Memory, query: Tensor, candidates: Tensor, feasible: Tensor, tasks: Tensor
    ) -> Tensor:
        """β·tanh logits (Eq. 8) of ``(B, R, M, K)`` candidates.

        Parameters
        ----------
        memory
            The instance.
        query
            ``(B, R, M, d)``.
        candidates
            ``(B, R, M, K)``, or ``(B, K)`` shared by all; the last column is home.
        feasible
            ``(B, R, M, K)``.
        tasks
            ξ, ``(B, R, N + 1, F)``.
        """
        glimpse = self.glimpse_query(query)
        count = memory.self_query.shape[1]
        num_tasks = memory.point.shape[1] - count
        if candidates.dim() == 2 or num_tasks <= MOST_MASKED_TASKS:
            logits = self._dense(memory, glimpse, candidates, feasible, tasks, num_tasks)
        else:
            logits = self._sparse(memory, glimpse, candidates, feasible, tasks)
        return self.clip * torch.tanh(logits / math.sqrt(query.shape[-1]))

    def _dense(
        self,
        memory: Memory,
        glimpse: Tensor,
        candidates: Tensor,
        feasible: Tensor,
        tasks: Tensor,
        num_tasks: int,
    ) -> Tensor:
        """Keys of all tasks, masked down to the candidates; R·M queries share them."""
        size, rollouts, count, width = glimpse.shape
        if candidates.dim() == 2:
            index = candidates[:, :-1]
            whole = index.shape[1] == num_tasks
            open_to, home_open = feasible[..., :-1], feasible[..., -1]
        else:
            index, whole = candidates, True
            open_to = feasible.new_zeros((*feasible.shape[:-1], num_tasks + 1))
            open_to = open_to.scatter(-1, candidates, feasible)
            open_to, home_open = open_to[..., :-1], feasible[..., -1]
        key, value, point = memory.key, memory.value, memory.point
        if not whole:
            rows = F.pad(index, (0, count))
            rows[:, -count:] = num_tasks + torch.arange(count, device=index.device)
            heads, per_head = key.shape[1], key.shape[3]
            picked = rows[:, None, :, None].expand(-1, heads, -1, per_head)
            key, value = key.gather(2, picked), value.gather(2, picked)
            point = take(point, rows)
        eye = torch.eye(count, dtype=torch.bool, device=glimpse.device)
        own = home_open[..., None] & eye
        allowed = torch.cat([open_to, own], -1).flatten(1, 2)[:, None]
        attended = F.scaled_dot_product_attention(
            self._split(glimpse.flatten(1, 2)), key, value, attn_mask=allowed
        )
        result = self.glimpse_out(attended.transpose(1, 2).reshape(size, rollouts * count, width))
        logits = (result @ point[:, : -count or None].mT).view(size, rollouts, count, -1)
        result = result.view(glimpse.shape)
        to_home = (result * point[:, None, -count:]).sum(-1, keepdim=True)
        if candidates.dim() == 2:
            dynamic = tasks[..., :-1, :]
            if not whole:
                shared = index[:, None].expand(-1, rollouts, -1)
                dynamic = take(tasks.flatten(0, 1), shared.flatten(0, 1)).view(
                    size, rollouts, -1, tasks.shape[-1]
                )
            logits = logits + self.dynamic(result) @ dynamic.mT
            return torch.cat([logits, to_home], -1)
        logits = logits + self.dynamic(result) @ tasks[..., :-1, :].mT
        return torch.cat([logits.gather(-1, candidates[..., :-1]), to_home], -1)

    def _sparse(
        self, memory: Memory, glimpse: Tensor, candidates: Tensor, feasible: Tensor, tasks: Tensor
    ) -> Tensor:
        """Keys of the candidates alone: O(M·K) whatever N is."""
        size, rollouts, count, width = glimpse.shape
        num_tasks = memory.point.shape[1] - count
        homes = num_tasks + torch.arange(count, device=glimpse.device)[:, None]
        rows = torch.where(candidates == num_tasks, homes, candidates)
        # (B, N + M, h, d/h) rows are contiguous per task
        key = take(memory.key.transpose(1, 2).flatten(2), rows)
        value = take(memory.value.transpose(1, 2).flatten(2), rows)
        point = take(memory.point, rows)
        split = (self.heads, width // self.heads)
        scores = (key.unflatten(-1, split) * glimpse.unflatten(-1, split)[..., None, :, :]).sum(-1)
        scores = scores / math.sqrt(split[1])
        weight = scores.masked_fill(~feasible[..., None], -torch.inf).softmax(-2)
        attended = (weight[..., None] * value.unflatten(-1, split)).sum(-3).flatten(-2)
        result = self.glimpse_out(attended)
        dynamic = take(tasks.flatten(0, 1), candidates.flatten(0, 1)).unflatten(0, (size, rollouts))
        logits = (point @ result[..., None])[..., 0]
        return logits + (dynamic @ self.dynamic(result)[..., None])[..., 0]


class EdgePointer(nn.Module):
    """Our edge-biased pointer: what Eq. 4 does for task-task pairs, for agent-task pairs.

    Two small layers over relative features of the pair and the state of the agent, with pooling
    over the candidates between them, so that an agent weighs each against the others. Alone it is
    a local scorer; with the paper's pointer its value is added to the logit.
    """

    def __init__(
        self, config: ModelConfig, agent_features: int, fleet_features: int, pair_features: int
    ) -> None:
        super().__init__()
        width = config.pair_width
        self.clip = config.clip
        self.pair = nn.Linear(pair_features, width, bias=False)
        self.agent = nn.Linear(agent_features + fleet_features, width)
        self.agent_out = nn.Linear(width, width)
        self.task = nn.Linear(config.width, width, bias=False) if config.pointer else None
        self.query = nn.Linear(config.width, width, bias=False) if config.pointer else None
        self.inner = nn.Linear(width, width)
        self.pooled = nn.Linear(2 * width, width, bias=False)
        self.out = nn.Linear(width, 1, bias=False)

    def remember(self, tokens: Tokens) -> Tensor | None:
        """``(B, N + 1, H)``: what the encoder knows of each task, zero for home."""
        return None if self.task is None else F.pad(self.task(tokens.tasks), (0, 0, 0, 1))

    def forward(
        self,
        pairs: Tensor,
        agents: Tensor,
        fleet: Tensor,
        feasible: Tensor,
        query: Tensor | None,
        tasks: Tensor | None,
    ) -> Tensor:
        """Logits ``(B, R, M, K)``, within the clip.

        Parameters
        ----------
        pairs
            ``(B, R, M, K, F)``.
        agents, fleet
            ``(B, R, M, F)`` and ``(B, R, F)``.
        feasible
            ``(B, R, M, K)``.
        query
            ``(B, R, M, d)``: q̄ of the paper's pointer, if there is one.
        tasks
            Rows of :meth:`remember` for the candidates, if there are any.
        """
        together = torch.cat([agents, fleet[:, :, None].expand(*agents.shape[:3], -1)], -1)
        state = self.agent_out(F.relu(self.agent(together)))
        if self.query is not None and query is not None:
            state = state + self.query(query)
        hidden = self.pair(pairs) + state[..., None, :]
        if tasks is not None:
            hidden = hidden + tasks
        hidden = F.relu(hidden)
        seen = feasible[..., None]
        shown = hidden * seen
        count = feasible.sum(-1, keepdim=True).clamp(min=1)
        # Nothing is below zero here, so zeros do not disturb the largest.
        pooled = self.pooled(torch.cat([shown.sum(-2) / count, shown.amax(-2)], -1))
        hidden = F.relu(self.inner(hidden) + pooled[..., None, :])
        logits = self.out(hidden)[..., 0]
        return self.clip * torch.tanh(logits / self.clip)
