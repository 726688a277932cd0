"""Instances with plans of the search, in shards: files that hold instances of one size.

Shard ``i`` of a :class:`LabelConfig` is determined by it alone: whoever needs one that is not on
disk makes it. So labels may be made ahead, or while training goes on, with the same outcome.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from geopar.files.storage import write_files
from geopar.learn.config import TrainConfig, size_ranges
from geopar.learn.data import Arrays, draw_size, instance_arrays
from geopar.learn.teacher import teacher_actions
from geopar.problems import Problem
from geopar.problems.kinds import Kind
from geopar.search.engines import Routes, make_engine
from geopar.spread import Executor

# Of the arrays in a shard.
FORMAT = 2


@dataclass(frozen=True, slots=True)
class LabelConfig:
    """Which instances are labelled, and how long the search looks at each.

    Parameters
    ----------
    kind
        The problem.
    tasks, vehicles
        Least and most, both included; each shard draws one size.
    per_shard
        Instances of one shard.
    iterations_per_task
        The search's effort.
    seed
        Of everything.
    """

    kind: Kind
    tasks: tuple[int, int]
    vehicles: tuple[int, int]
    per_shard: int = 64
    iterations_per_task: int = 150
    seed: int = 7001

    @property
    def folder(self) -> str:
        """A name that is the same for the same labels."""
        text = json.dumps(dataclasses.asdict(self) | {"format": FORMAT}, sort_keys=True)
        return f"{self.kind}-{hashlib.sha256(text.encode()).hexdigest()[:10]}"


def plan_by_search(problem: Problem, iterations: int, seed: int) -> Routes:
    """For each vehicle its trips, as the search leaves them after so many iterations."""
    search = make_engine(problem, None, seed, iterations, threads=1)
    search.advance(iterations, 0.0, 1.0)
    return search.best_routes()


def make_shard(config: LabelConfig, number: int) -> Arrays:
    """Draw and label the instances of one shard."""
    rng = np.random.default_rng([config.seed, number])
    setting = draw_size(config.kind, config.tasks, config.vehicles, rng)
    problems = [setting.generate(rng) for _ in range(config.per_shard)]
    actions = []
    for row, problem in enumerate(problems):
        iterations = config.iterations_per_task * problem.num_tasks
        seed = number * config.per_shard + row
        actions.append(teacher_actions(problem, plan_by_search(problem, iterations, seed)))
    steps = max(action.shape[1] for action in actions)
    padded = np.stack(
        [
            np.pad(a, ((0, 0), (0, steps - a.shape[1])), constant_values=setting.num_tasks)
            for a in actions
        ]
    )
    return {"actions": padded, **instance_arrays(problems)}


class Labels:
    """The shards of a configuration, kept in a folder."""

    def __init__(self, config: LabelConfig, folder: Path) -> None:
        self.config = config
        self.folder = folder / config.folder
        self.folder.mkdir(parents=True, exist_ok=True)
        about = self.folder / "labels.json"
        if not about.exists():
            text = json.dumps(dataclasses.asdict(config), indent=1) + "\n"
            write_files({about: text.encode()})
        self._load = lru_cache(maxsize=512)(self._read)

    def path(self, number: int) -> Path:
        """Where a shard is, or will be."""
        return self.folder / f"{number:05}.npz"

    def count(self) -> int:
        """How many shards from the first one on are there already."""
        number = 0
        while self.path(number).exists():
            number += 1
        return number

    def shard(self, number: int) -> Arrays:
        """Read a shard, or make it."""
        return self._load(number)

    def _read(self, number: int) -> Arrays:
        path = self.path(number)
        if path.exists():
            with np.load(path) as stored:
                return {name: stored[name] for name in stored.files}
        arrays = make_shard(self.config, number)
        self.keep(number, arrays)
        return arrays

    def keep(self, number: int, arrays: Arrays) -> None:
        """Write a shard."""
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
        write_files({self.path(number): buffer.getvalue()})


@dataclass(frozen=True)
class _Task:
    config: LabelConfig
    number: int


def _make(task: _Task) -> Arrays:
    return make_shard(task.config, task.number)


def missing_shards(labels: Sequence[Labels], count: int) -> list[tuple[Labels, int]]:
    """Those of the first ``count`` shards that are not there yet, each with its number."""
    return [
        (one, number) for number in range(count) for one in labels if not one.path(number).exists()
    ]


def make_shards(missing: Sequence[tuple[Labels, int]], executor: Executor) -> Iterator[Path]:
    """Make shards ahead; where each is, as they come.

    They are written here, so that workers need not see the folder.
    """
    tasks = (_Task(labels.config, number) for labels, number in missing)
    for done in executor.run(_make, tasks):
        labels, number = missing[done.number]
        labels.keep(number, done.result())
        yield labels.path(number)


def labels_of(config: TrainConfig, folder: Path) -> list[Labels]:
    """Those that a training run needs, one for each range of sizes; maybe none."""
    if config.method != "imitate" and not config.teacher_weight:
        return []
    iterations = config.label_iterations
    return [
        Labels(
            LabelConfig(config.problem, size.tasks, size.vehicles, iterations_per_task=iterations),
            folder,
        )
        for size in size_ranges(config.label_sizes) or size_ranges(config.sizes)
    ]
