"""Instances for training: drawn online, or labelled ones, as batches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from geopar.problems import Problem
from geopar.problems.batch import Batch, make_batch, rotated_copies
from geopar.problems.kinds import PROBLEM_KINDS, Kind
from geopar.problems.setting import Setting

Arrays = dict[str, NDArray[Any]]


def draw_size(
    kind: Kind, tasks: tuple[int, int], vehicles: tuple[int, int], rng: np.random.Generator
) -> Setting:
    """A random size, of whole orders."""
    count = int(rng.integers(tasks[0], tasks[1], endpoint=True))
    count -= count % PROBLEM_KINDS[kind].tasks_per_order
    return Setting(kind, count, int(rng.integers(vehicles[0], vehicles[1], endpoint=True)))


def instance_arrays(problems: list[Problem]) -> Arrays:
    """Instances of one size as the arrays in which the field publishes them, in float32."""
    rows = [PROBLEM_KINDS[problem.kind].arrays.load().arrays_of(problem) for problem in problems]
    return {name: np.stack([row[name] for row in rows]).astype(np.float32) for name in rows[0]}


def batch_of(kind: Kind, arrays: Arrays, rows: Iterable[int]) -> Batch:
    """Some instances of arrays such as those of a shard."""
    problem_at = PROBLEM_KINDS[kind].arrays.load().problem_at
    return make_batch([problem_at(arrays, row) for row in rows])


# A crop is cut out of an instance of at most so many times as many tasks.
MOST_CROPPED = 50


def draw_batch(
    kind: Kind,
    tasks: tuple[int, int],
    vehicles: tuple[int, int],
    count: int,
    rng: np.random.Generator,
    *,
    cropped: bool = False,
) -> Batch:
    """Random instances of one random size, or crops of larger ones: see :func:`crop`."""
    setting = draw_size(kind, tasks, vehicles, rng)
    if not cropped:
        return make_batch([setting.generate(rng) for _ in range(count)])
    times = MOST_CROPPED ** rng.random(count)
    return make_batch([crop(setting, float(each), rng) for each in times])


def crop(setting: Setting, times: float, rng: np.random.Generator) -> Problem:
    """The requests that lie nearest to one of them, of an instance of so many times as many.

    They lie as densely as in a large instance and far from the depot, as what is left of one does:
    what is learned from them is to tell apart what is near.
    """
    per_request = PROBLEM_KINDS[setting.kind].tasks_per_order
    wanted = setting.num_tasks // per_request
    large = Setting(setting.kind, round(wanted * times) * per_request, setting.num_vehicles)
    problem = large.generate(rng)
    requests = len(problem.request_ids)
    first = problem.tasks_xy[:requests]
    away = np.hypot(*(first - first[rng.integers(requests)]).T)
    kept = np.sort(np.argsort(away, kind="stable")[:wanted])
    return problem.select(kept, np.arange(problem.num_vehicles))


@dataclass(frozen=True, slots=True)
class Source:
    """Random instances of one size, as many as are asked for; see :func:`draw_batch`."""

    kind: Kind
    tasks: int
    vehicles: int
    rng: np.random.Generator
    cropped: bool = False

    def __call__(self, count: int) -> Batch:
        """So many more."""
        size = (self.tasks, self.tasks), (self.vehicles, self.vehicles)
        return draw_batch(self.kind, *size, count, self.rng, cropped=self.cropped)


def turned(batch: Batch, generator: torch.Generator) -> Batch:
    """Each instance turned and perhaps mirrored at random."""
    copies = rotated_copies(batch, 2, generator)
    return copies.select(slice(1, None, 2))


def fixed_batch(setting: Setting, count: int, seed: int) -> Batch:
    """The same instances each time: a number, not a seed of the test sets."""
    rng = np.random.default_rng([seed, setting.num_tasks, setting.num_vehicles])
    return make_batch([setting.generate(rng) for _ in range(count)])
