"""Instances for training: drawn online, or labelled ones, as batches."""

from __future__ import annotations

from collections.abc import Iterable
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


def draw_batch(
    kind: Kind,
    tasks: tuple[int, int],
    vehicles: tuple[int, int],
    count: int,
    rng: np.random.Generator,
) -> Batch:
    """Random instances of one random size."""
    setting = draw_size(kind, tasks, vehicles, rng)
    return make_batch([setting.generate(rng) for _ in range(count)])


def turned(batch: Batch, generator: torch.Generator) -> Batch:
    """Each instance turned and perhaps mirrored at random."""
    copies = rotated_copies(batch, 2, generator)
    return copies.select(slice(1, None, 2))


def fixed_batch(setting: Setting, count: int, seed: int) -> Batch:
    """The same instances each time: a number, not a seed of the test sets."""
    rng = np.random.default_rng([seed, setting.num_tasks, setting.num_vehicles])
    return make_batch([setting.generate(rng) for _ in range(count)])
