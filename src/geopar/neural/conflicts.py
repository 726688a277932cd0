"""Who gets a task that several agents want (κ of Eq. 1).

Agents that propose at once, while each task keeps the best proposer and the others look again, end
where agents that choose one after another in order of priority do: deferred acceptance (Gale &
Shapley 1962) with one common priority is a serial dictatorship. This form takes a few rounds of
tensor operations however many agents there are.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

# Up to so many columns a compiled loop is faster than tensor operations.
MOST_COMPILED_COLUMNS = 256


class Scores(NamedTuple):
    """What every agent thinks of every action that it looks at.

    Parameters
    ----------
    logits
        ``(B, R, M, K)``, −∞ where an action is not allowed. Home is the last column.
    candidates
        ``(B, R, M, K)``: the tasks of the columns, N for home. No task twice for one agent among
        those that are allowed.
    """

    logits: Tensor
    candidates: Tensor


def greedy(scores: Scores, num_tasks: int) -> Tensor:
    """Everybody's best action; a contested task to the highest probability, losers stay."""
    logits, candidates = scores
    if logits.device.type != "cpu" or logits.shape[-1] > MOST_COMPILED_COLUMNS:
        value, column = logits.max(-1, keepdim=True)
        value = value - logits.logsumexp(-1, keepdim=True)
        return accept(value, candidates.gather(-1, column), value, num_tasks)
    from geopar.neural import conflict_kernel

    lead, rollouts = logits.shape[:3], logits.shape[1]
    if candidates.stride(2) == 0 and candidates.stride(1) == 0:
        listed = candidates[:, 0, :1]  # one list for all
    else:
        listed = candidates.flatten(0, 1)
    action = torch.empty(lead, dtype=torch.int64)
    conflict_kernel.resolve(
        logits.detach().flatten(0, 1).contiguous().numpy(),
        listed.contiguous().numpy(),
        rollouts,
        num_tasks,
        1,
        action.view(-1, lead[2]).numpy(),
    )
    return action


def settle(proposal: Tensor, priority: Tensor, num_tasks: int) -> Tensor:
    """Everybody proposes one action, ``(B, R, M)``; a contested task to the highest priority.

    The others stay. Equal priorities: the lower number.
    """
    claim = priority[..., None]
    return accept(claim, proposal[..., None], claim, num_tasks)


def accept(preference: Tensor, task: Tensor, priority: Tensor, num_tasks: int) -> Tensor:
    """Deferred acceptance: agents go down their preferences, a task keeps its highest priority.

    Parameters
    ----------
    preference, task
        ``(B, R, M, P)``: what each agent would like, more first, and the tasks; −∞: not at all.
    priority
        The same shape or one that broadcasts to it: who wins.
    num_tasks
        N. Home is for everybody.

    Returns
    -------
    Tensor
        ``(B, R, M)`` actions; N + 1, stay, for who gets nothing.
    """
    me = torch.arange(preference.shape[2], device=preference.device)
    lead, fleet = preference.shape[:2], preference.shape[2]
    priority = priority.expand_as(preference)
    while True:
        value, choice = preference.max(-1, keepdim=True)
        wanted = task.gather(-1, choice)[..., 0]
        action = torch.where(value[..., 0] > -torch.inf, wanted, num_tasks + 1)
        # Home and staying are for everybody: column N takes whoever names them.
        contested = action.clamp(max=num_tasks)
        claim = priority.gather(-1, choice)[..., 0]
        best = claim.new_full((*lead, num_tasks + 1), -torch.inf)
        best = best.scatter_reduce(-1, contested, claim, "amax").gather(-1, contested)
        first = torch.where(claim == best, me, fleet)
        holder = me.new_full((*lead, num_tasks + 1), fleet)
        holder = holder.scatter_reduce(-1, contested, first, "amin").gather(-1, contested)
        lost = (holder != me) & (action < num_tasks)
        if not bool(lost.any()):
            return action
        refused = torch.where(lost[..., None], -torch.inf, value)
        preference = preference.scatter(-1, choice, refused)


def contested_share(scores: Scores, num_tasks: int) -> Tensor:
    """``(B, R)``: the share of agents with a task in mind whose favourite somebody else has too."""
    best = scores.logits.argmax(-1, keepdim=True)
    task = scores.candidates.gather(-1, best)[..., 0]
    count = torch.zeros((*task.shape[:2], num_tasks + 1), device=task.device)
    count = count.scatter_add(-1, task, torch.ones_like(task, dtype=count.dtype))
    served = (count[..., :-1] > 0).sum(-1)
    total = (task < num_tasks).sum(-1)
    return (total - served) / total.clamp(min=1)
