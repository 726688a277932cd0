"""How many training rollouts per second, in two passes and in one, and how many times as fast.

All sample the same distribution and give the same gradients; the second pass of the first way
scores all steps at once, in pieces that stay in the processor's cache, while the others keep a
graph through every step. The plain one pass consists of tensor operations alone, as it would on a
GPU; the other one looks at states in compiled loops, as the two passes do. An update's optimiser
step is not counted: it is the same for all.

    python benchmarks/train_speed.py hcvrp/80/5 --preset default --rollouts 128
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from geopar.learn.data import draw_batch
from geopar.learn.passes import first_pass, second_pass
from geopar.learn.rollout import one_pass
from geopar.model import reach
from geopar.model.configuration import ASSIGNMENT_VARIANTS, PRESETS, AssignmentConfig
from geopar.model.look import Look
from geopar.model.policy import Encoded, Policy
from geopar.model.weights import load_weights
from geopar.problems.setting import Setting


class PlainPolicy(Policy):
    """The same network, which looks at states with tensor operations on a CPU, too."""

    def look(
        self,
        encoded: Encoded,
        state: Any,
        candidates: Tensor | None = None,
        include: Tensor | None = None,
    ) -> Look:
        """Of networks without a sketch."""
        config, scene = self.config, encoded.scene
        if candidates is None:
            candidates = (
                reach.near(config, scene, state, encoded.cache, include)
                if config.reach == "windowed"
                else reach.everything(scene)
            )
        return scene.look(state, candidates, config.edge_pointer)


def best_of(repeats: int, work: Callable[[], None]) -> tuple[float, float]:
    """Least seconds of wall clock and of processor; the first, which compiles, does not count."""
    work()
    wall, cpu = [], []
    for _ in range(repeats):
        begun, spent = time.perf_counter(), time.process_time()
        work()
        wall.append(time.perf_counter() - begun)
        cpu.append(time.process_time() - spent)
    return min(wall), min(cpu)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("setting", nargs="?", default="hcvrp/80/5")
    parser.add_argument("--preset", default="default", choices=tuple(PRESETS))
    parser.add_argument("--weights", help="instead of a preset: a name or file of weights")
    parser.add_argument("--variant", default="plain", choices=("paper", *ASSIGNMENT_VARIANTS))
    parser.add_argument("--rollouts", type=int, default=128)
    parser.add_argument("--samples", type=int, default=8, help="rollouts that share an encoding")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    setting = Setting.parse(options.setting)
    kind, size = setting.kind, (setting.num_tasks, setting.num_vehicles)
    policy = (
        load_weights(kind, options.weights)
        if options.weights
        else Policy(PRESETS[options.preset](kind))
    )
    changes = {} if options.variant == "paper" else ASSIGNMENT_VARIANTS[options.variant]
    assignment = AssignmentConfig.of_paper(kind, **changes)
    count = max(1, options.rollouts // options.samples)
    tasks, vehicles = (size[0],) * 2, (size[1],) * 2
    batch = draw_batch(kind, tasks, vehicles, count, np.random.default_rng(0))
    environment = policy.environment(batch)
    weight = torch.randn(count, options.samples)

    def fresh(network: Policy) -> torch.Generator:
        network.zero_grad()
        return torch.Generator().manual_seed(1)

    def two() -> None:
        rollout = first_pass(policy, environment, assignment, options.samples, fresh(policy))
        second_pass(policy, environment, assignment, rollout, weight)

    def one(network: Policy) -> None:
        generator = fresh(network)
        _, log_prob = one_pass(network, environment, assignment, options.samples, generator)
        (weight * log_prob).sum().backward()  # type: ignore[no-untyped-call]

    ways: dict[str, Callable[[], None]] = {"two passes": two, "one pass": partial(one, policy)}
    if not policy.config.sketches:
        plain = PlainPolicy(policy.config)
        plain.load_state_dict(policy.state_dict())
        ways["plain one pass"] = partial(one, plain)
    rollouts = count * options.samples
    found = {name: best_of(options.repeats, work) for name, work in ways.items()}
    for name, (wall, cpu) in found.items():
        print(
            f"{options.setting} {name:>14}: {rollouts / wall:7.1f} rollouts/s, "
            f"{rollouts / cpu:7.1f} per processor second, {cpu / found['two passes'][1]:.2f}"
        )


if __name__ == "__main__":
    main()
