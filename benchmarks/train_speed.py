"""How many training rollouts per second, in two passes and in one.

Both sample the same distribution and give the same gradients; the second pass of the first way
scores all steps at once, in pieces that stay in the processor's cache, while the other keeps a
graph through every step. An update's optimiser step is not counted: it is the same for both.

    python benchmarks/train_speed.py hcvrp/80/5 --preset default --rollouts 128
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
import torch

from geopar.learn.data import draw_batch
from geopar.learn.passes import first_pass, second_pass
from geopar.learn.rollout import one_pass
from geopar.model.configuration import ASSIGNMENT_VARIANTS, PRESETS, AssignmentConfig
from geopar.model.policy import Policy
from geopar.model.weights import load_weights
from geopar.problems.environment import make_environment
from geopar.problems.setting import Setting


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
    environment = make_environment(batch)
    weight = torch.randn(count, options.samples)

    def fresh() -> torch.Generator:
        policy.zero_grad()
        return torch.Generator().manual_seed(1)

    def two() -> None:
        rollout = first_pass(policy, environment, assignment, options.samples, fresh())
        second_pass(policy, environment, assignment, rollout, weight)

    def one() -> None:
        _, log_prob = one_pass(policy, environment, assignment, options.samples, fresh())
        (weight * log_prob).sum().backward()  # type: ignore[no-untyped-call]

    rollouts = count * options.samples
    found = {name: best_of(options.repeats, work) for name, work in (("two", two), ("one", one))}
    for name, (wall, cpu) in found.items():
        print(
            f"{options.setting} {name} pass: {rollouts / wall:7.1f} rollouts/s, "
            f"{rollouts / cpu:7.1f} per processor second"
        )
    print(f"two passes are {found['one'][0] / found['two'][0]:.2f} times as fast")


if __name__ == "__main__":
    main()
