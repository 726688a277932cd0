"""Cache-guided conflict-aware assignment (paper, Algorithm 1, Eqs. 10, 12 and 18 to 23).

:func:`make_pool` is Pool, :func:`pool_scores` Score, :func:`sample` Sample and :func:`resolve`
Resolve with TopR; what they leave unserved falls back to staying. :func:`log_prob` gives the
probability with which :func:`sample` executes a given joint action in a given order of agents.

Sampling agent after agent, each from what earlier ones left, is a serial dictatorship; so is the
outcome of everybody proposing at once while each task keeps the earliest proposer and the others
look again (deferred acceptance with one common priority). The second form takes a few rounds of
tensor operations however many agents there are, and draws the same joint action.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor

from geopar.model.configuration import AssignmentConfig
from geopar.model.policy import Encoded, Scores
from geopar.problems.batch import Batch, HCVRPBatch
from geopar.problems.tensors import distance, take

# Loads in the soft cost are counted in fortieths of the largest capacity: the paper's units.
LOAD_UNITS = 40.0
LEAST_SLACK = 1e-4
# Up to so many columns a compiled loop is faster than tensor operations.
MOST_COMPILED_COLUMNS = 256
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
    """

    column: Tensor
    valid: Tensor
    cached: Tensor


class Proposals(NamedTuple):
    """What agents choose from: scores S, −∞ where excluded, and tasks, both ``(B, R, M, P)``."""

    score: Tensor
    task: Tensor


class ConflictRule(NamedTuple):
    """Everybody has so many proposals where at least this share of the favourites is contested."""

    proposals: int
    least_conflict: float


# Who loses stays.
GREEDY = ConflictRule(1, 0.0)


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


def make_pool(
    config: AssignmentConfig,
    encoded: Encoded,
    state: Any,
    scores: Scores,
    training: bool,
    generator: torch.Generator | None = None,
) -> Pool:
    """Pool: the best by logit, by cache and by saving, and in training a few at random.

    The sources come in that order, and of repeats the first stays.
    """
    allowed = scores.logits > -torch.inf
    home = encoded.environment.batch.num_tasks
    log_prob = scores.logits.log_softmax(-1)
    size = scores.logits.shape[-1]
    is_task = allowed & (scores.candidates < home)
    columns, cached = [], []

    def add(ranking: Tensor, count: int, from_cache: bool = False) -> None:
        found = ranking.topk(min(count, size))
        columns.append(torch.where(found.values > -torch.inf, found.indices, -1))
        cached.append(torch.full_like(found.indices, from_cache, dtype=torch.bool))

    add(log_prob, config.from_logits)
    if config.from_cache:
        near, score = cache_scores(encoded, state, scores.candidates)
        retrieval = LOGIT_WEIGHT * log_prob + CACHE_WEIGHT * score  # Eq. 21
        add(torch.where(is_task & near, retrieval, -torch.inf), config.from_cache, True)
    if config.from_savings:
        add(
            torch.where(is_task, savings(encoded, state, scores.candidates), -torch.inf),
            config.from_savings,
        )
    if training and config.from_random:
        noise = torch.rand(allowed.shape, generator=generator, device=allowed.device)
        add(torch.where(allowed, noise, -torch.inf), config.from_random)
    column = torch.cat(columns, -1)
    repeats = (column[..., :, None] == column[..., None, :]).tril(-1).any(-1)
    return Pool(column.clamp(min=0), (column >= 0) & ~repeats, torch.cat(cached, -1))


def savings(encoded: Encoded, state: Any, task: Tensor) -> Tensor:
    """H_save of Eq. 18 for ``(B, R, M, K)`` tasks."""
    batch = encoded.environment.batch
    reference = batch.reference[:, None, None]
    there = take(batch.places, task)
    back = distance(state.position, reference)[..., None]
    away = distance(there, reference[..., None, :])
    return back + away - distance(there, state.position[..., None, :])


def cache_scores(encoded: Encoded, state: Any, task: Tensor) -> tuple[Tensor, Tensor]:
    """Whether ``(B, R, M, K)`` tasks are cached for the agent's place, and their G (Eq. 20).

    From a depot or start every task counts as cached, with G₀.
    """
    cache, home = encoded.cache, encoded.environment.batch.num_tasks
    assert cache is not None
    known = task.clamp(max=home - 1)
    score, near = cache.pair_score(state.place.clamp(max=home - 1), known)
    at_home = (state.place == home)[..., None]
    return near | at_home, torch.where(at_home, cache.depot_score(known), score)


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
    with torch.no_grad():
        weights = (config.time_weight, config.makespan_weight, config.capacity_weight)
        cost = soft_cost(config, encoded, state, task) if any(weights) else None
        bonus = pool is not None and config.geometric_bonus and config.from_cache
        geometry = cache_scores(encoded, state, task)[1] if bonus else None
    total = value
    if pool is not None and geometry is not None:
        # The bonus is the retrieval score (Eq. 22), for those that the cache brought.
        retrieval = LOGIT_WEIGHT * value + CACHE_WEIGHT * geometry
        total = total + config.geometry_weight * torch.where(pool.cached, retrieval, 0.0)
    if cost is not None:
        total = total - cost
    return Proposals(total.masked_fill(~valid, -torch.inf), task)


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
    wish = torch.where(explores, 0.0, score / config.temperature) + gumbel
    wish = wish.masked_fill(score == -torch.inf, -torch.inf)
    return Sampled(_accept(wish, task, -order[..., None].float(), num_tasks), order)


def resolve(proposals: Proposals, num_tasks: int, count: int) -> Tensor:
    """Resolve: agents propose their best ``count``; a contested task goes to the highest score.

    Who loses proposes the next; who has no proposal left stays. Equal scores: the lower number.
    The outcome does not depend on how agents are numbered when scores differ.
    """
    score, task = proposals
    best = score.topk(min(count, score.shape[-1]))
    return _accept(best.values, task.gather(-1, best.indices), best.values, num_tasks)


def settle(proposal: Tensor, priority: Tensor, num_tasks: int) -> Tensor:
    """Everybody has one wish, ``(B, R, M)``; a contested task to the highest priority.

    The others stay. Equal priorities: the lower number.
    """
    claim = priority[..., None]
    return _accept(claim, proposal[..., None], claim, num_tasks)


def _accept(wish: Tensor, task: Tensor, priority: Tensor, num_tasks: int) -> Tensor:
    """Deferred acceptance: agents go down their wishes, a task keeps its highest priority."""
    me = torch.arange(wish.shape[2], device=wish.device)
    lead, fleet = wish.shape[:2], wish.shape[2]
    priority = priority.expand_as(wish)
    while True:
        value, choice = wish.max(-1, keepdim=True)
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
        wish = wish.scatter(-1, choice, refused)


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


def greedy(scores: Scores, num_tasks: int) -> Tensor:
    """Everybody's best action; a contested task to the highest probability, losers stay."""
    logits, candidates = scores
    if logits.device.type != "cpu" or logits.shape[-1] > MOST_COMPILED_COLUMNS:
        value, column = logits.max(-1, keepdim=True)
        value = value - logits.logsumexp(-1, keepdim=True)
        return _accept(value, candidates.gather(-1, column), value, num_tasks)
    from geopar.model import conflict_kernel

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


def predicted_conflict(scores: Scores, num_tasks: int) -> Tensor:
    """``(B, R)``: the share of agents with a task in mind whose favourite somebody else wants."""
    best = scores.logits.argmax(-1, keepdim=True)
    task = scores.candidates.gather(-1, best)[..., 0]
    wants = task < num_tasks
    count = torch.zeros((*task.shape[:2], num_tasks + 1), device=task.device)
    count = count.scatter_add(-1, task, torch.ones_like(task, dtype=count.dtype))
    served = (count[..., :-1] > 0).sum(-1)
    total = wants.sum(-1)
    return (total - served) / total.clamp(min=1)


def conflict_aware(
    config: AssignmentConfig, encoded: Encoded, state: Any, scores: Scores
) -> Tensor:
    """Algorithm 1 at inference: pool, score, top proposals, resolve, fall back."""
    pool = make_pool(config, encoded, state, scores, training=False) if config.pool else None
    proposals = pool_scores(config, encoded, state, scores, pool)
    return resolve(proposals, encoded.environment.batch.num_tasks, config.proposals)


def is_greedy(config: AssignmentConfig, mode: str, batch: Batch) -> bool:
    """Whether everybody just takes the best: also in mode ``ca`` where instances are small."""
    large = batch.num_vehicles >= config.least_agents and batch.num_tasks >= config.least_tasks
    return mode == "greedy" or (mode == "ca" and not large)


def simple_rule(config: AssignmentConfig, mode: str, batch: Batch) -> ConflictRule | None:
    """How conflicts are settled, where that takes nothing but the network's own scores."""
    if is_greedy(config, mode, batch):
        return GREEDY
    if mode == "sample" or not config.is_plain:
        return None
    return ConflictRule(config.proposals, config.least_conflict if mode == "ca" else 0.0)


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
            pool = make_pool(config, encoded, state, scores, True, generator)
        proposals = pool_scores(config, encoded, state, scores, pool)
        return sample(config, proposals, batch.num_tasks, generator).action
    if mode == "ca-always":
        return conflict_aware(config, encoded, state, scores)
    simple = greedy(scores, batch.num_tasks)
    if is_greedy(config, mode, batch):
        return simple
    crowded = predicted_conflict(scores, batch.num_tasks) >= config.least_conflict
    if not bool(crowded.any()):
        return simple
    resolved = conflict_aware(config, encoded, state, scores)
    return torch.where(crowded[..., None], resolved, simple)
