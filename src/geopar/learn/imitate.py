"""Imitation: how likely the policy finds what the teacher does, in every state on its way."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from geopar.learn.data import Arrays, batch_of, turned
from geopar.paper.policy import Policy
from geopar.problems.kinds import PROBLEM_KINDS
from geopar.problems.tensors import concatenate, map_tensors


class Imitation(NamedTuple):
    """The loss, and how often the policy's favourite is the teacher's choice."""

    loss: Tensor
    agreement: float


class Replay(NamedTuple):
    """What a teacher did: ``(B, T, …)`` states, ``(B, T, M)`` actions, and which of them count.

    A vehicle that has finished waits step after step. Only the first of these waits counts:
    otherwise they outnumber everything else, and what is learned is to wait.
    """

    states: Any
    actions: Tensor
    counts: Tensor


def replay(environment: Any, actions: Tensor) -> Replay:
    """Follow the teacher's ``(B, T, M)`` actions.

    A vehicle that may not wait at home, although the plan has nothing left for it, stays.
    """
    home = environment.batch.num_tasks
    comes_home = PROBLEM_KINDS[environment.batch.kind].comes_home
    state, states, taken, counts = environment.reset(1), [], [], []
    waited = torch.zeros_like(actions[:, :1], dtype=torch.bool)
    for step in range(actions.shape[1]):
        action = actions[:, step : step + 1]
        waits = (action == home) & ((state.place == home) | (not comes_home))
        counts.append(~(waits & waited))
        waited = waits
        action = torch.where(waits & ~environment.home_allowed(state), home + 1, action)
        states.append(state)
        taken.append(action)
        state = environment.step(state, action)
    if not bool(state.done.all()):
        raise RuntimeError("the teacher's plan leaves tasks open")
    return Replay(concatenate(states, dim=1), torch.cat(taken, 1), torch.cat(counts, 1))


def imitation_loss(
    policy: Policy,
    shard: Arrays,
    rows: NDArray[np.int64],
    most_steps: int,
    generator: torch.Generator,
) -> Imitation:
    """Cross-entropy to the teacher's choices on randomly turned copies of labelled instances.

    Parameters
    ----------
    policy
        The network.
    shard
        Labelled instances.
    rows
        Which of them.
    most_steps
        Of each instance so many random steps are scored, or all when there are no more.
    generator
        Of turns and steps.
    """
    environment = policy.environment(turned(batch_of(policy.config.kind, shard, rows), generator))
    actions = torch.from_numpy(shard["actions"][rows].astype(np.int64)).transpose(1, 2)
    with torch.no_grad():
        states, target, counts = replay(environment, actions.contiguous())
    if target.shape[1] > most_steps:
        kept = torch.randperm(target.shape[1], generator=generator)[:most_steps]
        states = map_tensors(states, lambda t: t[:, kept])
        target, counts = target[:, kept], counts[:, kept]
    scores = policy.logits(policy.encode(environment), states)
    is_target = scores.candidates == target[..., None]
    allowed = scores.logits > -torch.inf
    # A lone option teaches nothing, and a stay was no choice.
    counted = counts & (is_target & allowed).any(-1) & (allowed.sum(-1) > 1)
    log_prob = scores.logits.log_softmax(-1)
    chosen = torch.where(is_target & allowed, log_prob, 0.0).sum(-1)
    total = counted.sum().clamp(min=1)
    favourite = scores.candidates.gather(-1, log_prob.argmax(-1, keepdim=True))[..., 0]
    agreement = ((favourite == target) & counted).sum() / total
    return Imitation(-(chosen * counted).sum() / total, float(agreement))
