"""Instances with plans of the search, in shards: files that hold instances of one size.

Shard ``i`` of a :class:`LabelConfig` is determined by it alone: whoever needs one that is not on
disk makes it. So labels may be made ahead, or while training goes on, with the same outcome.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from geopar.learn.teacher import teacher_actions
from geopar.model.sketch import hcvrp_sketch, omdcpdp_sketch
from geopar.plan import flatten
from geopar.problems import HCVRP, OMDCPDP, Problem
from geopar.problems.setting import Kind, Setting

Arrays = dict[str, NDArray[np.generic]]

# Where in the cooling the search begins when it should stay near a plan.
HALF_COOLED = 0.5


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
    sketches
        The search goes on from the sketch that the network will see, and stays nearer to it.
    """

    kind: Kind
    tasks: tuple[int, int]
    vehicles: tuple[int, int]
    per_shard: int = 64
    iterations_per_task: int = 150
    seed: int = 7001
    sketches: int = 0

    @property
    def folder(self) -> str:
        """A name that is the same for the same labels."""
        values = dataclasses.asdict(self)
        if not self.sketches:
            # Labels that were made before there were sketches keep their name.
            del values["sketches"]
        text = json.dumps(values, sort_keys=True)
        return f"{self.kind}-{hashlib.sha256(text.encode()).hexdigest()[:10]}"


def draw_size(
    kind: Kind, tasks: tuple[int, int], vehicles: tuple[int, int], rng: np.random.Generator
) -> Setting:
    """A random size; OMDCPDP has an even number of tasks."""
    count = int(rng.integers(tasks[0], tasks[1], endpoint=True))
    if kind == "omdcpdp":
        count -= count % 2
    return Setting(kind, count, int(rng.integers(vehicles[0], vehicles[1], endpoint=True)))


def plan_by_search(
    problem: Problem, iterations: int, seed: int, sketches: int = 0
) -> list[list[NDArray[np.int64]]]:
    """For each vehicle its trips, as the search leaves them after so many iterations.

    With sketches it begins with the best of so many insertions, half cooled down already.
    """
    begin = HALF_COOLED if sketches else 0.0
    if isinstance(problem, HCVRP):
        from geopar.search import hcvrp

        data = hcvrp.prepare(problem)
        if sketches:
            state = hcvrp.from_routes(data, seed, flatten(hcvrp_sketch(problem, sketches)))
        else:
            state = hcvrp.initial(data, seed)
        parameters = hcvrp.parameters_for(problem.num_tasks, problem.num_vehicles, iterations)
        hcvrp.anneal(data, state, parameters, iterations, begin, 1.0)
        return hcvrp.best_routes(data, state)
    from geopar.search import omdcpdp

    orders = omdcpdp.prepare(problem)
    if sketches:
        routes = [np.concatenate([*trips, []]) for trips in omdcpdp_sketch(problem, sketches)]
        plan = omdcpdp.from_routes(orders, routes, seed)
    else:
        plan = omdcpdp.initial(orders, seed)
    omdcpdp.run(orders, plan, iterations, begin, 1.0)
    return [[route] for route in omdcpdp.best_routes(plan)]


def make_shard(config: LabelConfig, number: int) -> Arrays:
    """Draw and label the instances of one shard."""
    rng = np.random.default_rng([config.seed, number])
    setting = draw_size(config.kind, config.tasks, config.vehicles, rng)
    problems = [setting.generate(rng) for _ in range(config.per_shard)]
    actions = []
    for row, problem in enumerate(problems):
        iterations = config.iterations_per_task * problem.num_tasks
        seed = number * config.per_shard + row
        routes = plan_by_search(problem, iterations, seed, config.sketches)
        actions.append(teacher_actions(problem, routes))
    steps = max(action.shape[1] for action in actions)
    padded = np.stack(
        [
            np.pad(a, ((0, 0), (0, steps - a.shape[1])), constant_values=setting.num_tasks)
            for a in actions
        ]
    )
    return {"actions": padded, **instance_arrays(problems)}


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


class Labels:
    """The shards of a configuration, kept in a folder."""

    def __init__(self, config: LabelConfig, folder: Path) -> None:
        self.config = config
        self.folder = folder / config.folder
        self.folder.mkdir(parents=True, exist_ok=True)
        about = self.folder / "labels.json"
        if not about.exists():
            about.write_text(json.dumps(dataclasses.asdict(config), indent=1) + "\n")
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
        partial = path.with_name(f"{number:05}.{os.getpid()}.tmp")
        with open(partial, "wb") as file:
            np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
        # Whoever reads sees the whole file or none.
        os.replace(partial, path)
        return arrays
