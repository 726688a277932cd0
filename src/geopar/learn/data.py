"""Instances for training: drawn online, or labelled ones, as batches."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from geopar.problems import OMDCPDP, Problem
from geopar.problems.batch import Batch, hcvrp_batch, omdcpdp_batch, rotated_copies
from geopar.problems.kinds import Kind
from geopar.problems.setting import Setting

Arrays = dict[str, NDArray[np.generic]]


def draw_size(
    kind: Kind, tasks: tuple[int, int], vehicles: tuple[int, int], rng: np.random.Generator
) -> Setting:
    """A random size; OMDCPDP has an even number of tasks."""
    count = int(rng.integers(tasks[0], tasks[1], endpoint=True))
    if kind == "omdcpdp":
        count -= count % 2
    return Setting(kind, count, int(rng.integers(vehicles[0], vehicles[1], endpoint=True)))


def instance_arrays(problems: list[Problem]) -> Arrays:
    """Instances of one size as arrays, as small as they go."""
    names = {"depot_xy": "depot", "customers_xy": "tasks", "demand": "demand",
             "capacity": "capacity", "speed": "speed"}  # fmt: skip
    if isinstance(problems[0], OMDCPDP):
        names = {"tasks_xy": "tasks", "starts_xy": "starts", "capacity": "capacity"}
    return {
        short: np.stack([getattr(problem, name) for problem in problems]).astype(np.float32)
        for name, short in names.items()
    }


def batch_of(arrays: Arrays, rows: NDArray[np.int64] | slice = slice(None)) -> Batch:
    """Some instances of arrays such as those of a shard."""
    chosen = {name: array[rows] for name, array in arrays.items() if name != "actions"}
    if "depot" in chosen:
        return hcvrp_batch(**chosen)  # type: ignore[arg-type]
    return omdcpdp_batch(**chosen)  # type: ignore[arg-type]


def draw_batch(
    kind: Kind,
    tasks: tuple[int, int],
    vehicles: tuple[int, int],
    count: int,
    rng: np.random.Generator,
) -> Batch:
    """Random instances of one random size."""
    setting = draw_size(kind, tasks, vehicles, rng)
    return batch_of(instance_arrays([setting.generate(rng) for _ in range(count)]))


def turned(batch: Batch, generator: torch.Generator) -> Batch:
    """Each instance turned and perhaps mirrored at random."""
    copies = rotated_copies(batch, 2, generator)
    return copies.select(slice(1, None, 2))


def fixed_batch(setting: Setting, count: int, seed: int) -> Batch:
    """The same instances each time: a number, not a seed of the test sets."""
    rng = np.random.default_rng([seed, setting.num_tasks, setting.num_vehicles])
    return batch_of(instance_arrays([setting.generate(rng) for _ in range(count)]))
