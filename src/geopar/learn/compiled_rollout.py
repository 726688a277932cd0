"""Two passes in compiled loops, for our edge-biased pointer on a CPU.

The first pass writes down every choice: what was seen, how it was scored, what was taken. The
second goes through these alone; what was no choice costs nothing, nor do rollouts that are done,
and nothing is looked at twice. Other networks and assignments go the way of
:mod:`geopar.learn.rollout`.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
import torch
from torch import Tensor

from geopar.model.configuration import AssignmentConfig
from geopar.model.policy import Policy
from geopar.problems.environment import Environment
from geopar.problems.tensors import map_tensors

# Choices of a rollout for each task, and their pairs as a share of what an agent looks at: about
# as many as there are. If there are more, room is made.
CHOICES_PER_TASK, SHARE_ALLOWED = 1.5, 0.8
# So many rollouts are told together, by one thread.
PART = 32

A = TypeVar("A")
B = TypeVar("B")


def can_sample(policy: Policy, environment: Environment[Any], assignment: AssignmentConfig) -> bool:
    """Whether the compiled passes are for this network, device and way of sampling."""
    extras = (
        assignment.time_weight, assignment.makespan_weight, assignment.capacity_weight,
        assignment.exploration,
    )  # fmt: skip
    return (
        not policy.config.pointer
        and environment.batch.device.type == "cpu"
        and not assignment.pool
        and not any(extras)
    )


class Part(NamedTuple):
    """The choices and the story of some rollouts; see :mod:`geopar.model.sample_kernel`."""

    choices: Any
    story: Any


class Parts(list[Part]):
    """All of them; a list of one's own kind can be told when nobody needs it any more."""


@dataclass(frozen=True, eq=False)
class CompiledRollout:
    """Sampled rollouts, with all their choices.

    Parameters
    ----------
    parts
        What was written down.
    final
        The state in which all is done.
    cost, log_prob
        ``(B, R)`` float64, the cost in the user's units.
    index
        ``(B, R')``: which rollouts of each instance count; none for all.
    """

    parts: Parts
    final: Any
    cost: Tensor
    log_prob: Tensor
    index: Tensor | None = None

    def select(self, index: Tensor) -> CompiledRollout:
        """Some rollouts of every instance: ``index`` is ``(B, R')``."""
        own = index if self.index is None else self.index.gather(1, index)
        cost, log_prob = self.cost.gather(1, index), self.log_prob.gather(1, index)
        return replace(self, cost=cost, log_prob=log_prob, index=own)


@torch.no_grad()
def sample_rollouts(
    policy: Policy,
    environment: Environment[Any],
    assignment: AssignmentConfig,
    samples: int,
    generator: torch.Generator,
) -> CompiledRollout:
    """First pass: ``samples`` sampled rollouts of every instance, to their ends."""
    from geopar.model.choice_room import (
        choices_for,
        enlarged,
        give_back,
        story_for,
        workplace_for,
    )
    from geopar.model.fleet_arrays import instances_of, room_for, states_of
    from geopar.model.network_arrays import network_of
    from geopar.model.sample_kernel import TOGETHER, sample

    config, batch = policy.config, environment.batch
    # Its own memory: a fresh state may share some with the environment.
    state = map_tensors(environment.reset(samples), torch.clone)
    count, columns = batch.size * samples, min(config.reach_size, batch.num_tasks) + 1
    limits = torch.iinfo(torch.int64)
    seeds = torch.randint(limits.min, limits.max, (count,), generator=generator)
    log_prob = torch.zeros(batch.size, samples, dtype=torch.float64)
    instances = (
        instances_of(environment, config),
        states_of(environment, state),
        network_of(policy.edge_pointer, config),
        assignment.temperature,
    )

    def roll(begin: int) -> Part:
        end = min(begin + PART, count)
        # What rollouts that go together may add in one step comes on top.
        more = (TOGETHER + 1) * batch.num_vehicles
        expected = int(CHOICES_PER_TASK * (end - begin) * batch.num_tasks)
        pairs = int(SHARE_ALLOWED * columns * expected) + columns * more
        choices = choices_for(config, expected + more, pairs)
        streams = seeds.numpy().view(np.uint64)
        story = story_for(batch, end - begin, log_prob.flatten().numpy(), streams)
        room = room_for(config, environment), workplace_for(config)
        while (begin := sample(*instances, *room, choices, story, begin, end)) < end:
            # Only what is full: room for choices is large, and is handed on as it is.
            if story.filled[2] + TOGETHER > len(story.rollout):
                story = enlarged(story, ("rollout", "action", "order"))
            else:
                choices = enlarged(choices, choices._fields)
        return Part(choices, story)

    parts = Parts(_shared(roll, range(0, count, PART)))
    weakref.finalize(parts, give_back, config, [part.choices for part in parts]).atexit = False
    return CompiledRollout(parts, state, environment.cost(state), log_prob)


def add_gradient(
    policy: Policy,
    assignment: AssignmentConfig,
    rollout: CompiledRollout,
    weight: Tensor,
    entropy: float = 0.0,
) -> float:
    """Second pass: add the gradient of Σ weight · log-probability − entropy; return that sum.

    The weights must be those of the first pass, as policy gradients have it.
    """
    from geopar.model import gradient_kernel
    from geopar.model.choice_room import desk_for
    from geopar.model.network_arrays import add_to_grad, backwards_of, network_of, zero_gradient

    pointer, config = policy.edge_pointer, policy.config
    network, back = network_of(pointer, config), backwards_of(pointer, config)
    shape, index = rollout.final.steps.shape, rollout.index
    weights, bonus = (torch.zeros(shape, dtype=torch.float64) for _ in range(2))
    if index is None:
        index = torch.arange(shape[1]).expand(shape)
    weights.scatter_(1, index, weight.double())
    bonus.scatter_(1, index, torch.full_like(weight, entropy).double())
    factors = weights.flatten().numpy(), bonus.flatten().numpy(), assignment.temperature

    def go_back(part: Part) -> tuple[float, Any]:
        found = zero_gradient(config, np.float64)
        room = desk_for(config), zero_gradient(config, np.float32)
        count = int(part.story.filled[0])
        loss = gradient_kernel.add_gradient(
            network, back, part.choices, count, *factors, *room, found
        )
        return loss, found

    total = float((weight * rollout.log_prob).sum())
    for loss, found in _shared(go_back, rollout.parts):
        total += loss
        add_to_grad(pointer, config, found)
    return total


def _shared(work: Callable[[A], B], items: Iterable[A]) -> list[B]:
    """Done by as many threads as tensor operations would take; the same whatever their number."""
    threads, items = torch.get_num_threads(), list(items)
    if min(threads, len(items)) < 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, items))
