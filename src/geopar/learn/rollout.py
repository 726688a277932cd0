"""Two-pass rollouts: roll out without gradients, then score all steps in one batched pass.

Autograd keeps nothing during the first pass, and the second has few large products instead of
many small ones. Both see the same states, candidates and orders of agents, so the log-probability
is the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from geopar.learn.at_once import sample_at_once
from geopar.learn.graph_cut import Cuts
from geopar.paper.assignment import Pool, log_prob, make_pool, sample, training_proposals
from geopar.paper.config import AssignmentConfig
from geopar.paper.policy import Encoded, Policy
from geopar.problems.environment import Environment
from geopar.problems.tensors import concatenate, map_tensors

# So many agent-candidate pairs are scored at once: measured, more leave the cache.
PIECE = 40_000


@dataclass(frozen=True, eq=False)
class Rollout:
    """What happened, step by step; everything is ``(B, R, …)`` for each step.

    Parameters
    ----------
    environment
        Of the instances.
    states
        Before each step.
    actions
        Executed joint actions.
    drawn, orders
        What agents drew, and when each had its turn. Where they draw in turn it is what they do;
        where all draw at once, who loses a conflict stays instead.
    pools
        What they chose from; none without a pool.
    final
        The state in which all is done.
    cost
        ``(B, R)`` float64, in the user's units.
    """

    environment: Environment[Any]
    states: list[Any]
    actions: list[Tensor]
    drawn: list[Tensor]
    orders: list[Tensor]
    pools: list[Pool] | None
    final: Any
    cost: Tensor

    @property
    def steps(self) -> Tensor:
        """``(B, R)``: how many parallel steps each took."""
        found: Tensor = self.final.steps
        return found

    def select(self, index: Tensor) -> Rollout:
        """Some rollouts of every instance: ``index`` is ``(B, R')``."""
        rows = torch.arange(index.shape[0])[:, None]

        def pick(tensor: Tensor) -> Tensor:
            return tensor[rows, index]

        def each(parts: list[Any]) -> list[Any]:
            return [map_tensors(part, pick) for part in parts]

        def every(parts: list[Tensor]) -> list[Tensor]:
            return [pick(part) for part in parts]

        return Rollout(
            self.environment,
            each(self.states),
            every(self.actions),
            every(self.drawn),
            every(self.orders),
            None if self.pools is None else each(self.pools),
            map_tensors(self.final, pick),
            pick(self.cost),
        )


@torch.no_grad()
def roll_out(
    policy: Policy,
    environment: Environment[Any],
    assignment: AssignmentConfig,
    samples: int,
    generator: torch.Generator,
    *,
    at_once: bool = False,
) -> Rollout:
    """First pass: ``samples`` sampled rollouts of every instance, to their ends.

    Agents draw in turn (Eq. 12), or all at once: see :mod:`geopar.learn.at_once`.
    """
    encoded = policy.encode(environment)
    num_tasks = environment.batch.num_tasks
    states, actions, drawn, orders = [], [], [], []
    pools: list[Pool] = []
    state = environment.reset(samples)
    while not bool(state.done.all()):
        scores = policy.logits(encoded, state)
        pool = None
        if assignment.pool:
            pool = make_pool(assignment, encoded, state, scores, training=True, generator=generator)
            pools.append(pool)
        proposals = training_proposals(assignment, encoded, state, scores, pool)
        if at_once:
            wanted, action, order = sample_at_once(assignment, proposals, num_tasks, generator)
        else:
            action, order = sample(assignment, proposals, num_tasks, generator)
            wanted = action
        states.append(state)
        actions.append(action)
        drawn.append(wanted)
        orders.append(order)
        state = environment.step(state, action)
    kept = pools if assignment.pool else None
    cost = environment.cost(state)
    return Rollout(environment, states, actions, drawn, orders, kept, state, cost)


def score(
    policy: Policy,
    encoded: Encoded,
    assignment: AssignmentConfig,
    rollout: Rollout,
    steps: slice = slice(None),
) -> tuple[Tensor, Tensor]:
    """Second pass: log-probabilities ``(B, T, R)`` with gradients (Eqs. 12, 13), of some steps.

    Also the scores ``(B, T·R, M, K)`` that the agents chose by.
    """
    samples = rollout.cost.shape[1]
    drawn = torch.cat(rollout.drawn[steps], 1)
    states = concatenate(rollout.states[steps], dim=1)
    pool = None if rollout.pools is None else concatenate(rollout.pools[steps], dim=1)
    scores = policy.logits(encoded, states)
    proposals = training_proposals(assignment, encoded, states, scores, pool)
    joint = log_prob(
        assignment,
        proposals,
        drawn,
        torch.cat(rollout.orders[steps], 1),
        encoded.environment.batch.num_tasks,
    )
    return joint.sum(-1).view(drawn.shape[0], -1, samples), proposals.score


def entropy_of(score: Tensor) -> Tensor:
    """The sum of the entropies of all choices from ``(…, K)`` scores, −∞ where excluded."""
    allowed = score > -torch.inf
    # Who has nothing to choose from has no distribution either.
    chooses = allowed.sum(-1, keepdim=True) > 1
    allowed = allowed & chooses
    log_prob = torch.where(chooses, score, 0.0).log_softmax(-1).masked_fill(~allowed, 0.0)
    return -(log_prob.exp() * log_prob * allowed).sum()


def backward(
    policy: Policy,
    assignment: AssignmentConfig,
    rollout: Rollout,
    weight: Tensor,
    entropy: float = 0.0,
) -> float:
    """Add the gradient of Σ weight · log-probability − entropy; return that sum.

    The second pass goes in pieces of a few steps, whose intermediate results stay in the
    processor's cache; the encoder is passed once, at the end.

    Parameters
    ----------
    policy, assignment, rollout
        What was rolled out, and how.
    weight
        ``(B, R)`` of the rollouts, or ``(B, T, R)`` of their steps.
    entropy
        What the entropy of one choice is worth.
    """
    encoded, cuts = policy.encode(rollout.environment), Cuts()
    # The same encoding cut off from the encoder.
    detached = replace(encoded, memory=map_tensors(encoded.memory, cuts.cut))
    agents = rollout.actions[0].numel() if rollout.actions else 1
    width = encoded.environment.batch.num_tasks + 1
    piece = max(1, PIECE // (agents * width))
    total = 0.0
    for begin in range(0, len(rollout.actions), piece):
        steps = slice(begin, begin + piece)
        part, choices = score(policy, detached, assignment, rollout, steps)
        factor = weight[:, None] if weight.dim() == 2 else weight[:, steps]
        loss = (factor * part).sum()
        if entropy:
            loss = loss - entropy * entropy_of(choices)
        loss.backward()  # type: ignore[no-untyped-call]
        total += float(loss.detach())
    cuts.backward()
    return total
