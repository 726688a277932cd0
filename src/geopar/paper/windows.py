"""The projection-window cache (paper, Eqs. 3, 17 and 20).

Tasks are sorted along a few directions; a task's neighbours are those within ``w`` ranks of it in
any ordering. Sorting turns each ordering into a band, so everything about cached pairs is computed
on shifted copies of sorted arrays: O(q·N·(log N + w)) time, O(N·slots) memory, no N×N object.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from geopar.problems.batch import Batch, HCVRPBatch
from geopar.problems.tensors import distance, take

RANK_WEIGHT = 0.1  # of the normalised offset in Eq. 20


def directions(count: int, device: torch.device | None = None) -> Tensor:
    """``(count, 2)`` unit vectors covering half a turn (Eq. 17)."""
    angle = torch.arange(count, dtype=torch.float32, device=device) * (math.pi / max(count, 1))
    return torch.stack([angle.cos(), angle.sin()], -1)


def nearest_direction(count: int, others: int) -> list[int]:
    """For each of ``count`` directions the nearest of ``others``; of two the one before it."""
    whole = count * others

    def gap(one: int, other: int) -> int:
        """In parts of half a turn, after which a direction is itself again."""
        away = abs(one * others - other * count)
        return min(away, whole - away)

    return [min(range(others), key=partial(gap, one)) for one in range(count)]


class Slots(NamedTuple):
    """What is cached for some places: tasks, their scores G, and which slots count.

    All are ``(…, S)``. A task that several orderings bring counts once, with its smallest offset.
    """

    task: Tensor
    score: Tensor
    counts: Tensor


@dataclass(frozen=True, eq=False)
class WindowCache:
    """Who is near whom, by rank along each ordering.

    A *band* is a tensor ``(B, O, N, 2w + 1)``: ordering, rank, offset −w … w. A *slot* tensor is
    ``(B, N, 1 + O(2w + 1))`` by task: the task itself, then the band of each ordering; repeated
    tasks stay.

    Parameters
    ----------
    radius
        ``w``.
    tasks
        ``(B, N, 2)``: where the tasks are.
    depot_distance
        ``(B, N)``: from each task to the reference depot.
    order
        ``(B, O, N)``: the task at each rank.
    rank
        ``(B, O, N)``: the rank of each task.
    kept
        Band of booleans: inside the ordering, and not cut by the truncation to K.
    """

    radius: int
    tasks: Tensor
    depot_distance: Tensor
    order: Tensor
    rank: Tensor
    kept: Tensor

    @property
    def num_orderings(self) -> int:
        """O: directions and task-native orderings."""
        return self.order.shape[1]

    def sorted(self, values: Tensor) -> Tensor:
        """``(B, N)`` or ``(B, N, F)`` values of tasks by ordering and rank: ``(B, O, N[, F])``."""
        return take(values, self.order)

    def band(self, ranked: Tensor) -> Tensor:
        """Values by rank ``(B, O, N)`` seen from every offset: a band, zero outside."""
        return F.pad(ranked, (self.radius, self.radius)).unfold(-1, 2 * self.radius + 1, 1)

    @cached_property
    def distance(self) -> Tensor:
        """Band of distances between the cached pairs."""
        x, y = (self.sorted(self.tasks[..., i]) for i in (0, 1))
        return torch.hypot(self.band(x) - x[..., None], self.band(y) - y[..., None])

    @cached_property
    def mean_distance(self) -> Tensor:
        """``(B,)``: d̄, the mean distance over all cached entries of the instance, self included."""
        count = self.kept.sum((1, 2, 3)) + self.tasks.shape[1]
        total = torch.where(self.kept, self.distance, 0.0).sum((1, 2, 3))
        return (total / count).clamp(min=1e-9)

    @cached_property
    def mean_depot_distance(self) -> Tensor:
        """``(B,)``: d̄₀, the mean distance from the tasks to the reference depot."""
        return self.depot_distance.mean(-1).clamp(min=1e-9)

    @cached_property
    def offset(self) -> Tensor:
        """``(2w + 1,)``: ρ, the normalised absolute offset of each column of a band."""
        columns = torch.arange(-self.radius, self.radius + 1, device=self.tasks.device)
        return columns.abs() / max(self.radius, 1)

    def by_task(self, band: Tensor, own: Tensor) -> Tensor:
        """A band and the values ``(B, N)`` of the self slots as a slot tensor."""
        size, orderings, tasks, width = band.shape
        ranked = band.reshape(size * orderings, tasks, width)
        rows = take(ranked, self.rank.reshape(size * orderings, tasks))
        rows = rows.view(size, orderings, tasks, width).transpose(1, 2).flatten(2)
        return torch.cat([own[..., None], rows], -1)

    @cached_property
    def index(self) -> Tensor:
        """Slots: the cached tasks, N̂_pw of Eq. 3."""
        tasks = torch.arange(self.tasks.shape[1], device=self.tasks.device)
        return self.by_task(self.band(self.order), tasks.expand(self.tasks.shape[0], -1))

    @cached_property
    def valid(self) -> Tensor:
        """Slots: whether each entry is used."""
        return self.by_task(self.kept, torch.ones_like(self.depot_distance, dtype=torch.bool))

    @cached_property
    def stands(self) -> Tensor:
        """Slots: whether an entry stands for its task: of several, the smallest offset."""
        unused = self.index.shape[1]
        gap = self._gap
        key = torch.where(self.valid, self.index, unused) * (self.radius + 1) + gap
        ordered, slot = key.sort(dim=-1, stable=True)
        task = ordered // (self.radius + 1)
        first = F.pad(task[..., 1:] != task[..., :-1], (1, 0), value=True) & (task < unused)
        return torch.zeros_like(first).scatter(-1, slot, first)

    @property
    def _gap(self) -> Tensor:
        """``(slots,)``: the absolute offset of each slot."""
        offset = (self.offset * self.radius).round().long()
        return F.pad(offset.repeat(self.num_orderings), (1, 0))

    @cached_property
    def score(self) -> Tensor:
        """Slots: raw geometry scores G (Eq. 20)."""
        ranked = self.sorted(self.depot_distance)
        away = self.band(ranked) + ranked[..., None]
        mean = self.mean_distance[:, None]
        band = (away - 2.0 * self.distance) / mean[..., None, None] - RANK_WEIGHT * self.offset
        return self.by_task(band, 2.0 * self.depot_distance / mean)

    def seen_from(self, place: Tensor) -> Slots:
        """What is cached for ``(B, …)`` tasks at which agents are."""
        return Slots(*(take(part, place) for part in (self.index, self.score, self.stands)))

    def depot_score(self, task: Tensor) -> Tensor:
        """G₀ of ``(B, …)`` tasks seen from the depot."""
        shape = (-1,) + (1,) * (task.dim() - 1)
        return -take(self.depot_distance, task) / self.mean_depot_distance.view(shape)


def build_cache(
    batch: Batch,
    num_directions: int = 4,
    radius: int = 8,
    auxiliary: bool = False,
    most: int | None = None,
) -> WindowCache:
    """Sort the tasks of every instance along every ordering.

    Parameters
    ----------
    batch
        The instances.
    num_directions, radius
        q and w.
    auxiliary
        Add the task-native ordering: by distance to the depot, or orders side by side.
    most
        K: keep at most so many different tasks for each, the nearest by rank (Eq. 3).
    """
    tasks = batch.tasks
    keys = directions(num_directions, batch.device) @ tasks.mT  # (B, q, N)
    depot_distance = distance(tasks, batch.reference[:, None])
    if auxiliary:
        native = (
            depot_distance
            if isinstance(batch, HCVRPBatch)
            else _pair_key(tasks[:, : batch.num_tasks // 2, 0])
        )
        keys = torch.cat([keys, native[:, None]], 1)
    order = keys.argsort(dim=-1, stable=True)
    ranks = torch.arange(batch.num_tasks, device=batch.device).expand_as(order)
    rank = torch.empty_like(order).scatter_(-1, order, ranks)
    inside = F.pad(torch.ones_like(order[:1, :1], dtype=torch.bool), (radius, radius))
    kept = inside.unfold(-1, 2 * radius + 1, 1).expand(*order.shape, -1)
    cache = WindowCache(radius, tasks, depot_distance, order, rank, kept)
    return cache if most is None else _truncated(cache, most)


def _pair_key(first: Tensor) -> Tensor:
    """Orders sorted by where they begin, each pickup followed by its delivery."""
    place = first.argsort(dim=-1, stable=True).argsort(-1) * 2.0
    return torch.cat([place, place + 1.0], -1)


def _truncated(cache: WindowCache, most: int) -> WindowCache:
    """At most ``most`` different tasks each, the smallest rank distances, itself first."""
    width, stands = 2 * cache.radius + 1, cache.stands
    ranking = torch.where(stands, cache._gap, cache.radius + 1).argsort(dim=-1, stable=True)
    place = torch.empty_like(ranking).scatter_(
        -1, ranking, torch.arange(ranking.shape[-1], device=ranking.device).expand_as(ranking)
    )
    kept = (stands & (place < most))[..., 1:]
    kept = kept.view(*kept.shape[:2], cache.num_orderings, width).transpose(1, 2)
    size, orderings, tasks = cache.order.shape
    ranked = take(
        kept.reshape(size * orderings, tasks, width),
        cache.order.reshape(size * orderings, tasks),
    )
    return replace(cache, kept=ranked.view(size, orderings, tasks, width))
