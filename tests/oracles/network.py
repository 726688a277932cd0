"""The network and its distribution over joint actions, in tensor operations with gradients."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from geopar.pointer.network import PointerNetwork
from oracles.observed import INF, Observed


def logits(network: PointerNetwork, observed: Observed) -> Tensor:
    """``(B, R, M, K)``, −∞ for what is not feasible: the equations of the network's module."""
    fleet = observed.fleet[:, :, None].expand(*observed.agents.shape[:3], -1)
    agent = torch.cat([observed.agents, fleet], -1)
    state = network.agent_out(F.relu(network.agent(agent)))
    feasible = observed.feasible[..., None]
    # What may not be chosen is not described, and may be anything.
    pairs = observed.pairs.masked_fill(~feasible, 0.0)
    hidden = F.relu(network.pair(pairs) + state[..., None, :]) * feasible
    mean = hidden.sum(-2) / feasible.sum(-2).clamp(min=1)
    context = network.pooled(torch.cat([mean, hidden.amax(-2)], -1))
    score = network.out(F.relu(network.inner(hidden) + context[..., None, :]))[..., 0]
    clip = network.config.clip
    return (clip * torch.tanh(score / clip)).masked_fill(~observed.feasible, -INF)


def joint_log_prob(
    logits: Tensor, candidates: Tensor, action: Tensor, order: Tensor, home: int
) -> Tensor:
    """``(B, R)``: the log-probability of joint actions, given in which order agents had turns.

    Each draws from the softmax over what earlier ones left; who has nothing left stays.
    """
    is_taken = torch.zeros(*action.shape[:2], home + 1, dtype=torch.bool)
    total = torch.zeros(action.shape[:2])
    for turn in range(action.shape[2]):
        m = (order == turn).int().argmax(-1)[..., None, None].expand(*logits.shape[:2], 1, 1)
        listed = candidates.gather(2, m.expand(-1, -1, 1, candidates.shape[3]))[:, :, 0]
        mine = logits.gather(2, m.expand(-1, -1, 1, logits.shape[3]))[:, :, 0]
        mine = mine.masked_fill(is_taken.gather(-1, listed), -INF)
        task = action.gather(2, m[..., 0])
        is_stuck = (mine == -INF).all(-1, keepdim=True)
        assert torch.equal(is_stuck, task > home)
        column = (listed == task).int().argmax(-1, keepdim=True)
        value = mine.masked_fill(is_stuck, 0.0).log_softmax(-1).gather(-1, column)
        total = total + value.masked_fill(is_stuck, 0.0)[..., 0]
        is_taken = is_taken.scatter(-1, task.clamp(max=home), task < home)
        is_taken[..., home] = False
    return total
