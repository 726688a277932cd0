"""The dynamic parallel pointer decoder (paper, section 4.2), and our edge-biased pointer.

Everything that depends on the instance alone is multiplied out once after encoding
(:class:`Memory`), so that a step gathers rows instead of repeating products.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from geopar.model.configuration import ModelConfig
from geopar.model.edge_function import ScorePairs, SeePairs
from geopar.model.encoder import Tokens
from geopar.model.layers import RMSNorm, TransformerLayer
from geopar.model.look import FeatureSizes, Look, PlainLook
from geopar.problems.tensors import take

# The states of an agent and of the environment that a query is made of (PARCO's), and ξ of a task.
AGENT_FEATURES, FLEET_FEATURES, DYNAMIC_FEATURES = 3, 1, 3
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

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        width = config.width
        self.heads, self.clip = config.heads, config.clip
        # W_q of Eq. 6, cut into the parts of its input.
        self.query_here = nn.Linear(width, width, bias=False)
        self.query_self = nn.Linear(width, width, bias=False)
        self.query_agent = nn.Linear(AGENT_FEATURES, width)
        self.query_fleet = nn.Linear(FLEET_FEATURES, width, bias=False)
        self.talk = nn.ModuleList(
            TransformerLayer(width, config.heads, config.feedforward)
            for _ in range(config.communication)
        )
        self.talk_norm = RMSNorm(width)
        self.glimpse_query = nn.Linear(width, width)
        self.keys = nn.Linear(width, 3 * width, bias=False)
        self.glimpse_out = nn.Linear(width, width)
        # W_K W_ξ of Eq. 8: dynamic features enter the logit as a term of low rank.
        self.dynamic = nn.Linear(width, DYNAMIC_FEATURES, bias=False)

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

    def queries(self, memory: Memory, place: Tensor, look: PlainLook) -> Tensor:
        """q̄ of every agent (Eqs. 6 and 7), ``(B, R, M, d)``.

        Parameters
        ----------
        memory
            The instance.
        place
            ``(B, R, M)``: where each agent is, N at home.
        look
            Dynamic states, and who takes part in the communication.
        """
        count = memory.self_query.shape[1]
        tasks = memory.here.shape[1] - count
        home = tasks + torch.arange(count, device=place.device)
        query = take(memory.here, torch.where(place == tasks, home, place))
        query = query + memory.self_query[:, None] + self.query_agent(look.agents)
        query = query + self.query_fleet(look.fleet)[:, :, None]
        if self.talk:
            heard, audible = query.flatten(0, 1), hearable(look.active).flatten(0, 1)
            for layer in self.talk:
                heard = layer(heard, audible)
            query = heard.view(query.shape)
        result: Tensor = self.talk_norm(query)
        return result

    def forward(self, memory: Memory, query: Tensor, look: PlainLook) -> Tensor:
        """β·tanh logits (Eq. 8) of the listed tasks and home, ``(B, R, M, T + 1)``.

        All R·M queries share the keys of an instance.

        Parameters
        ----------
        memory
            The instance.
        query
            q̄, ``(B, R, M, d)``.
        look
            What may be done.
        """
        size, rollouts, count, width = query.shape
        # Home is the last column, and each agent has its own.
        eye = torch.eye(count, dtype=torch.bool, device=query.device)
        feasible = look.feasible
        allowed = torch.cat([feasible[..., :-1], feasible[..., -1:] & eye], -1)
        attended = F.scaled_dot_product_attention(
            self._split(self.glimpse_query(query).flatten(1, 2)),
            memory.key,
            memory.value,
            attn_mask=allowed.flatten(1, 2)[:, None],
        )
        result = self.glimpse_out(attended.transpose(1, 2).reshape(size, rollouts * count, width))
        logits = result @ memory.point[:, : memory.num_listed].mT
        logits = logits.view(size, rollouts, count, -1)
        result = result.view(query.shape)
        to_home = (result * memory.point[:, None, memory.num_listed :]).sum(-1, keepdim=True)
        logits = torch.cat([logits, to_home], -1) + self.dynamic(result) @ look.dynamic.mT
        return self.clip * torch.tanh(logits / math.sqrt(width))


class EdgePointer(nn.Module):
    """Our edge-biased pointer: what Eq. 4 does for task-task pairs, for agent-task pairs.

    Two small layers over relative features of the pair and the state of the agent, with pooling
    over the candidates between them, so that an agent weighs each against the others.
    """

    def __init__(self, config: ModelConfig, sizes: FeatureSizes) -> None:
        super().__init__()
        width = config.pair_width
        self.clip = config.clip
        self.pair = nn.Linear(sizes.pairs, width, bias=False)
        self.agent = nn.Linear(sizes.agents + sizes.fleet, width)
        self.agent_out = nn.Linear(width, width)
        self.inner = nn.Linear(width, width)
        self.pooled = nn.Linear(2 * width, width, bias=False)
        self.out = nn.Linear(width, 1, bias=False)

    def forward(self, look: Look) -> Tensor:
        """Logits ``(B, R, M, K)``, within the clip; anything for agents without a choice."""
        total = look.active.numel()
        # One row for every agent that has a choice, of whatever state; a few idle ones do no harm.
        busy = look.active.flatten().nonzero()[:, 0]
        everybody = len(busy) > MOST_BUSY * total

        def rows(x: Tensor) -> Tensor:
            flat = x.flatten(0, 2)
            return flat if everybody else flat.index_select(0, busy)

        fleet = look.fleet[:, :, None].expand(*look.agents.shape[:3], -1)
        state = self.agent_out(F.relu(self.agent(rows(torch.cat([look.agents, fleet], -1)))))
        hidden, mean, largest = SeePairs.apply(
            rows(look.pairs), state, self.pair.weight, ~rows(look.feasible),
            torch.is_grad_enabled(),
        )  # fmt: skip
        pooled = self.pooled(torch.cat([mean, largest], -1))
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
