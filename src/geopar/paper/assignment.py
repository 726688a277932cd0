"""Cache-guided conflict-aware assignment (paper, Algorithm 1, Eqs. 10, 12, 18, 19 and 21 to 23).

:func:`make_pool` is Pool, :func:`pool_scores` Score, :func:`sample` Sample and :func:`resolve`
Resolve with TopR; what they leave unserved falls back to staying. :func:`log_prob` gives the
probability with which :func:`sample` executes a given joint action in a given order of agents.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor

from geopar.neural.conflicts import Scores, accept, contested_share, greedy
from geopar.paper.config import AssignmentConfig
from geopar.paper.policy import Encoded
from geopar.problems.batch import Batch, HCVRPBatch
from geopar.problems.tensors import distance, take

# Loads in the soft cost are counted in fortieths of the largest capacity: the paper's units.
LOAD_UNITS = 40.0
LEAST_SLACK = 1e-4
LOGIT_WEIGHT, CACHE_WEIGHT = 0.7, 0.3  # of Eq. 21


@dataclass(frozen=True, eq=False)
class Pool:
    """The candidates of every agent, as columns of :class:`Scores`.

    Parameters
    ----------
    column
        ``(B, R, M, P)``.
    valid
        ``(B, R, M, P)``: allowed, and not a repeat of an earlier one.
    cached
        ``(B, R, M, P)``: came from the cache, which earns the geometric bonus.
    geometry
        ``(B, R, M, P)``: G of those, zero for the others.
    """

    column: Tensor
    valid: Tensor
    cached: Tensor
    geometry: Tensor


class Proposals(NamedTuple):
    """What agents choose from: scores S, −∞ where excluded, and tasks, both ``(B, R, M, P)``."""

    score: Tensor
    task: Tensor


class Sampled(NamedTuple):
    """A sampled joint action.

    Parameters
    ----------
    action
        ``(B, R, M)``: a task, N for home, N + 1 for staying.
    order
        ``(B, R, M)``: when each agent had its turn, 0 first.
    """

    action: Tensor
    order: Tensor


@torch.no_grad()
def make_pool(
    config: AssignmentConfig,
    encoded: Encoded,
    state: Any,
    scores: Scores,
    *,
    training: bool,
    generator: torch.Generator | None = None,
) -> Pool:
    """Pool: the best by logit, by cache and by saving, and in training a few at random.

    The sources come in that order, and of repeats the first stays.
    """
    allowed = scores.logits > -torch.inf
    log_prob = scores.logits.log_softmax(-1)
    is_task = allowed.clone()
    is_task[..., -1] = False
    columns = [_best(log_prob, config.from_logits)]
    cached = torch.zeros_like(columns[0][..., :0])
    geometry = log_prob[..., :0]
    if config.from_cache:
        cached, geometry = _from_cache(config, encoded, state, log_prob, is_task)
        columns.append(cached)
    if config.from_savings:
        saved = torch.where(is_task, savings(encoded, state), -torch.inf)
        columns.append(_best(saved, config.from_savings))
    if training and config.from_random:
        noise = torch.rand(allowed.shape, generator=generator, device=allowed.device)
        columns.append(_best(torch.where(allowed, noise, -torch.inf), config.from_random))
    column = torch.cat(columns, -1)
    repeats = (column[..., :, None] == column[..., None, :]).tril(-1).any(-1)
    before, after = columns[0].shape[-1], column.shape[-1]
    after -= before + cached.shape[-1]
    return Pool(
        column.clamp(min=0),
        (column >= 0) & ~repeats,
        torch.nn.functional.pad(torch.ones_like(cached, dtype=torch.bool), (before, after)),
        torch.nn.functional.pad(geometry, (before, after)),
    )


def _best(ranking: Tensor, count: int) -> Tensor:
    """The columns of the ``count`` largest, −1 where there are not so many."""
    found = ranking.topk(min(count, ranking.shape[-1]))
    return torch.where(found.values > -torch.inf, found.indices, -1)


def _from_cache(
    config: AssignmentConfig, encoded: Encoded, state: Any, log_prob: Tensor, is_task: Tensor
) -> tuple[Tensor, Tensor]:
    """CacheK: columns of the best by Eq. 21 among what is cached, and their G.

    An agent looks up the slots of its place; from a depot or start every task counts as cached,
    with G₀.
    """
    cache, memory = encoded.cache, encoded.memory
    home = memory.num_tasks
    at_home = state.place == home
    slots = cache.seen_from(state.place.clamp(max=home - 1))
    columns = take(memory.column, slots.task)
    there = columns.clamp(min=0)
    open_slot = slots.counts & (columns >= 0) & is_task.gather(-1, there)
    retrieval = LOGIT_WEIGHT * log_prob.gather(-1, there) + CACHE_WEIGHT * slots.score  # Eq. 21
    retrieval = torch.where(open_slot, retrieval, -torch.inf)
    count = min(config.from_cache, retrieval.shape[-1])
    best = retrieval.topk(count)
    found = best.values > -torch.inf
    column = torch.where(found, columns.gather(-1, best.indices), -1)
    geometry = slots.score.gather(-1, best.indices)
    if bool(at_home.any()):
        score = cache.depot_score(memory.listed.clamp(max=home - 1))[:, None, None]
        score = score.expand_as(log_prob)[at_home]
        retrieval = LOGIT_WEIGHT * log_prob[at_home] + CACHE_WEIGHT * score
        retrieval = torch.where(is_task[at_home], retrieval, -torch.inf)
        best = retrieval.topk(min(count, retrieval.shape[-1]))
        width = best.indices.shape[-1]
        column[at_home] = -1
        home_column = torch.where(best.values > -torch.inf, best.indices, -1)
        column[..., :width][at_home] = home_column
        geometry[..., :width][at_home] = score.gather(-1, best.indices)
    return column, geometry.masked_fill(column < 0, 0.0)


def savings(encoded: Encoded, state: Any) -> Tensor:
    """H_save of Eqs. 18 and 19 for every agent and listed task, home included, (B, R, M, T + 1)."""
    batch = encoded.environment.batch
    there = take(batch.places, encoded.memory.listed)
    reference = batch.reference[:, None]
    away = distance(there, reference)[:, None, None]
    back = distance(state.position, reference[:, None])[..., None]
    return back + away - _gaps(state.position, there)


def _gaps(position: Tensor, there: Tensor) -> Tensor:
    """Distances ``(B, R, M, T)`` from agents to ``(B, T, 2)`` places."""
    # The matrix form loses half of the digits.
    gap = torch.cdist(position.flatten(1, 2), there, compute_mode="donot_use_mm_for_euclid_dist")
    return gap.unflatten(1, position.shape[1:3])


def soft_cost(config: AssignmentConfig, encoded: Encoded, state: Any, task: Tensor) -> Tensor:
    """Ω of Eq. 23 for ``(B, R, M, P)`` actions; home costs its way, and no load."""
    batch = encoded.environment.batch
    gap = distance(take(batch.places, task), state.position[..., None, :])
    if isinstance(batch, HCVRPBatch):
        time = gap / batch.speed[:, None, :, None]
    else:
        time = torch.where(task == batch.num_tasks, 0.0, gap)
    cost = config.time_weight * time
    cost = cost + config.makespan_weight * (state.length[..., None] + time)
    if config.capacity_weight and isinstance(batch, HCVRPBatch):
        unit = batch.capacity.amax(-1)[:, None, None, None] / LOAD_UNITS
        slack = ((state.left[..., None] - take(batch.demand, task)) / unit).float()
        tight = (-slack).clamp(min=0.0) + 0.1 / slack.clamp(min=LEAST_SLACK)
        cost = cost + config.capacity_weight * torch.where(task < batch.num_tasks, tight, 0.0)
    return cost


def pool_scores(
    config: AssignmentConfig, encoded: Encoded, state: Any, scores: Scores, pool: Pool | None
) -> Proposals:
    """Score: S = ℓ + λ_geo·B_geo − Ω (Eq. 10) of the pool, or of all candidates without one."""
    log_prob = scores.logits.log_softmax(-1)
    if pool is None:
        task, value, valid = scores.candidates, log_prob, scores.logits > -torch.inf
    else:
        task = scores.candidates.gather(-1, pool.column)
        value, valid = log_prob.gather(-1, pool.column), pool.valid
    total = value
    if pool is not None and config.geometric_bonus and config.from_cache:
        # The bonus is the retrieval score (Eq. 22), for those that the cache brought.
        retrieval = LOGIT_WEIGHT * value + CACHE_WEIGHT * pool.geometry
        total = total + config.geometry_weight * torch.where(pool.cached, retrieval, 0.0)
    if config.has_soft_costs:
        with torch.no_grad():
            cost = soft_cost(config, encoded, state, task)
        total = total - cost
    return Proposals(total.masked_fill(~valid, -torch.inf), task)


def best_proposals(proposals: Proposals, count: int) -> Proposals:
    """TopR: the ``count`` best of every agent."""
    best = proposals.score.topk(min(count, proposals.score.shape[-1]))
    return Proposals(best.values, proposals.task.gather(-1, best.indices))


def training_proposals(
    config: AssignmentConfig, encoded: Encoded, state: Any, scores: Scores, pool: Pool | None
) -> Proposals:
    """What the sampler draws from: the scored pool, or its r best."""
    proposals = pool_scores(config, encoded, state, scores, pool)
    return best_proposals(proposals, config.proposals) if config.top_in_training else proposals


def sample(
    config: AssignmentConfig,
    proposals: Proposals,
    num_tasks: int,
    generator: torch.Generator | None = None,
    order: Tensor | None = None,
) -> Sampled:
    """Sample: agents in random order draw from what earlier ones left (Eq. 12).

    An agent explores with probability ε: then all that is left is equally likely. One who finds
    nothing left stays.
    """
    score, task = proposals
    draw: dict[str, Any] = {"generator": generator, "device": score.device}
    if order is None:
        order = torch.rand(score.shape[:3], **draw).argsort(-1).argsort(-1)
    # The largest of log-weights plus Gumbel noise is a draw from them, also after removals.
    gumbel = -torch.empty_like(score).exponential_(generator=generator).log()
    explores = torch.rand(score.shape[:3], **draw)[..., None] < config.exploration
    preference = torch.where(explores, 0.0, score / config.temperature) + gumbel
    preference = preference.masked_fill(score == -torch.inf, -torch.inf)
    return Sampled(accept(preference, task, -order[..., None].float(), num_tasks), order)


def resolve(proposals: Proposals, num_tasks: int, count: int) -> Tensor:
    """Resolve: agents propose their best ``count``; a contested task goes to the highest score.

    Who loses proposes the next; who has no proposal left stays. Equal scores: the lower number.
    The outcome does not depend on how agents are numbered when scores differ.
    """
    best = best_proposals(proposals, count)
    return accept(best.score, best.task, best.score, num_tasks)


def log_prob(
    config: AssignmentConfig, proposals: Proposals, action: Tensor, order: Tensor, num_tasks: int
) -> Tensor:
    """``(B, R, M)``: log-probability of each agent's part in an executed joint action (Eq. 12).

    Their sum over the agents is that of the joint action, given the order. An agent that stays
    because nothing was left counts zero.

    Parameters
    ----------
    config
        Temperature and exploration.
    proposals
        What everybody chose from.
    action, order
        As :func:`sample` gave them, or as a teacher has it.
    num_tasks
        N.
    """
    score, task = proposals
    last = torch.iinfo(order.dtype).max
    taken = order.new_full((*order.shape[:2], num_tasks + 2), last)
    taken = taken.scatter_reduce(-1, action, order, "amin")
    taken[..., num_tasks:] = last
    earlier = taken.gather(-1, task.flatten(2)).view(task.shape) < order[..., None]
    left = (score > -torch.inf) & ~earlier
    chosen = left & (task == action[..., None])
    scaled = (score / config.temperature).masked_fill(~left, -torch.inf)
    # Where an agent has nothing left or stays, any finite number: it is not counted.
    counted = chosen.any(-1)
    scaled = torch.where(counted[..., None], scaled, 0.0)
    log_p = torch.where(chosen, scaled.log_softmax(-1), 0.0).sum(-1)
    if config.exploration > 0.0:
        uniform = math.log(config.exploration) - left.sum(-1).clamp(min=1).log()
        log_p = torch.logaddexp(log_p + math.log1p(-config.exploration), uniform)
    return torch.where(counted, log_p, 0.0)


def conflict_aware(
    config: AssignmentConfig, encoded: Encoded, state: Any, scores: Scores
) -> Tensor:
    """Algorithm 1 at inference: pool, score, top proposals, resolve, fall back."""
    pool = None
    if config.pool:
        pool = make_pool(config, encoded, state, scores, training=False)
    proposals = pool_scores(config, encoded, state, scores, pool)
    return resolve(proposals, encoded.environment.batch.num_tasks, config.proposals)


def is_greedy(config: AssignmentConfig, mode: str, batch: Batch) -> bool:
    """Whether everybody just takes the best: also in mode ``ca`` where instances are small."""
    large = batch.num_vehicles >= config.least_agents and batch.num_tasks >= config.least_tasks
    return mode == "greedy" or (mode == "ca" and not large)


def assign(
    config: AssignmentConfig,
    mode: str,
    encoded: Encoded,
    state: Any,
    scores: Scores,
    generator: torch.Generator | None = None,
) -> Tensor:
    """The executable joint action ``(B, R, M)`` in one of the decoding modes."""
    batch = encoded.environment.batch
    if mode == "sample":
        pool = None
        if config.pool:
            pool = make_pool(config, encoded, state, scores, training=True, generator=generator)
        proposals = training_proposals(config, encoded, state, scores, pool)
        return sample(config, proposals, batch.num_tasks, generator).action
    if mode == "ca-always":
        return conflict_aware(config, encoded, state, scores)
    simple = greedy(scores, batch.num_tasks)
    if is_greedy(config, mode, batch):
        return simple
    # How conflicts are predicted is not published: those of a greedy step are counted.
    crowded = contested_share(scores, batch.num_tasks) >= config.least_conflict
    if not bool(crowded.any()):
        return simple
    resolved = conflict_aware(config, encoded, state, scores)
    return torch.where(crowded[..., None], resolved, simple)
