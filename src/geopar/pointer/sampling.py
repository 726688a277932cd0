"""Sampled rollouts and their gradients: two passes in compiled code.

The first pass writes down every choice: what was seen, how it was scored, what was taken. The
second goes through these alone; what was no choice costs nothing, nor do rollouts that are done,
and nothing is observed twice.
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

from geopar.pointer.network import PointerNetwork
from geopar.problems.batch import Batch
from geopar.problems.environment import make_environment
from geopar.problems.tensors import map_tensors

# Choices of a rollout for each task, and their pairs as a share of what an agent looks at: about
# as many as there are. If there are more, the buffers grow.
CHOICES_PER_TASK, SHARE_FEASIBLE = 1.5, 0.8
# So many rollouts are logged together, by one thread.
ROLLOUTS_PER_PART = 32

A = TypeVar("A")
B = TypeVar("B")


class Part(NamedTuple):
    """The choices and the log of some rollouts; see :mod:`geopar.pointer.sample_kernel`."""

    choices: Any
    log: Any


class Parts(list[Part]):
    """All parts; unlike a plain list it can be watched by ``weakref.finalize``."""


@dataclass(frozen=True, eq=False)
class SampledRollouts:
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

    @property
    def steps(self) -> Tensor:
        """``(B, R)``: how many parallel steps each took, of all rollouts."""
        found: Tensor = self.final.steps
        return found

    def select(self, index: Tensor) -> SampledRollouts:
        """Some rollouts of every instance: ``index`` is ``(B, R')``."""
        own = index if self.index is None else self.index.gather(1, index)
        cost, log_prob = self.cost.gather(1, index), self.log_prob.gather(1, index)
        return replace(self, cost=cost, log_prob=log_prob, index=own)


@torch.no_grad()
def sample_rollouts(
    network: PointerNetwork, batch: Batch, samples: int, generator: torch.Generator
) -> SampledRollouts:
    """First pass: ``samples`` sampled rollouts of every instance, to their ends."""
    from geopar.pointer import buffers
    from geopar.pointer.instances import new_observation, states_of, tables_of
    from geopar.pointer.parameters import forward_weights
    from geopar.pointer.sample_kernel import TOGETHER, sample

    config, environment = network.config, make_environment(batch, inserts=True)
    # Its own memory: a fresh state may share some with the environment.
    state = map_tensors(environment.reset(samples), torch.clone)
    count, columns = batch.size * samples, min(config.reach, batch.num_tasks) + 1
    limits = torch.iinfo(torch.int64)
    seeds = torch.randint(limits.min, limits.max, (count,), generator=generator)
    log_prob = torch.zeros(batch.size, samples, dtype=torch.float64)
    shared = tables_of(batch, config), states_of(batch.kind, state), forward_weights(network)

    def roll_out(begin: int) -> Part:
        end = min(begin + ROLLOUTS_PER_PART, count)
        # What rollouts that go together may add in one step comes on top.
        more = (TOGETHER + 1) * batch.num_vehicles
        expected = int(CHOICES_PER_TASK * (end - begin) * batch.num_tasks)
        pairs = int(SHARE_FEASIBLE * columns * expected) + columns * more
        choices = buffers.reused_choices(config, expected + more, pairs)
        streams = seeds.numpy().view(np.uint64)
        log = buffers.new_sample_log(batch, end - begin, log_prob.flatten().numpy(), streams)
        own = new_observation(config, batch), buffers.new_score_scratch(config)
        while (begin := sample(*shared, *own, choices, log, begin, end)) < end:
            # Only what is full: buffers of choices are large, and are handed on as they are.
            if log.filled[2] + TOGETHER > len(log.rollout):
                log = buffers.enlarged(log, ("rollout", "action", "order"))
            else:
                choices = buffers.enlarged(choices, choices._fields)
        return Part(choices, log)

    parts = Parts(_shared_out(roll_out, range(0, count, ROLLOUTS_PER_PART)))
    kept = [part.choices for part in parts]
    weakref.finalize(parts, buffers.give_back, config, kept).atexit = False
    return SampledRollouts(parts, state, environment.cost(state), log_prob)


def add_gradient(
    network: PointerNetwork, rollout: SampledRollouts, weight: Tensor, entropy: float = 0.0
) -> float:
    """Second pass: add the gradient of Σ weight · log-probability − entropy; return that sum.

    The parameters must be those of the first pass, as policy gradients have it.
    """
    from geopar.pointer import gradient_kernel
    from geopar.pointer.buffers import new_gradient_scratch
    from geopar.pointer.parameters import (
        add_to_grad,
        forward_weights,
        transposed_weights,
        zero_gradient,
    )

    config = network.config
    weights = forward_weights(network), transposed_weights(network)
    shape, index = rollout.final.steps.shape, rollout.index
    factors, bonus = (torch.zeros(shape, dtype=torch.float64) for _ in range(2))
    if index is None:
        index = torch.arange(shape[1]).expand(shape)
    factors.scatter_(1, index, weight.double())
    bonus.scatter_(1, index, torch.full_like(weight, entropy).double())
    each = factors.flatten().numpy(), bonus.flatten().numpy()

    def go_back(part: Part) -> tuple[float, Any]:
        found = zero_gradient(config, np.float64)
        own = new_gradient_scratch(config), zero_gradient(config, np.float32)
        count = int(part.log.filled[0])
        loss = gradient_kernel.add_gradient(*weights, part.choices, count, *each, *own, found)
        return loss, found

    total = float((weight * rollout.log_prob).sum())
    for loss, found in _shared_out(go_back, rollout.parts):
        total += loss
        add_to_grad(network, found)
    return total


def _shared_out(work: Callable[[A], B], items: Iterable[A]) -> list[B]:
    """Done by as many threads as tensor operations would take; the same whatever their number."""
    threads, items = torch.get_num_threads(), list(items)
    if min(threads, len(items)) < 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, items))
