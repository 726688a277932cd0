"""How many training rollouts per second, of any network, by its own way of learning.

An update's optimiser step is not counted: it is the same for all.

    python benchmarks/train_speed.py hcvrp/80/5 --model pointer --rollouts 128
    python benchmarks/train_speed.py hcvrp/80/5 --model geopar
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import torch

from geopar.learn.config import default_config
from geopar.learn.data import draw_batch
from geopar.learn.learner import make_learner
from geopar.learn.reinforce import RolloutConfig
from geopar.problems.setting import Setting


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("setting", nargs="?", default="hcvrp/80/5")
    parser.add_argument("--model", default="pointer", help="geopar, pointer or a peer")
    parser.add_argument("--weights", help="a name or file; untrained if left out")
    parser.add_argument("--rollouts", type=int, default=128)
    parser.add_argument("--samples", type=int, default=8, help="rollouts that share an encoding")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    setting = Setting.parse(options.setting)
    changes = {"samples": str(options.samples), "augmentations": "1", "baseline": "shared"}
    config = default_config(setting.kind, "reinforce", options.model).changed(changes)
    learner = make_learner(config)
    if options.weights:
        learner.load(options.weights)
    count = max(1, options.rollouts // options.samples)
    tasks, vehicles = (setting.num_tasks,) * 2, (setting.num_vehicles,) * 2
    batch = draw_batch(setting.kind, tasks, vehicles, count, np.random.default_rng(0))
    rollout = RolloutConfig(samples=options.samples)
    wall, cpu = [], []
    for _ in range(1 + options.repeats):  # the first compiles, and does not count
        learner.network.zero_grad()
        begun, spent = time.perf_counter(), time.process_time()
        learner.reinforce(batch, rollout, torch.Generator().manual_seed(1), 1.0)
        wall.append(time.perf_counter() - begun)
        cpu.append(time.process_time() - spent)
    rollouts = count * options.samples
    print(
        f"{options.setting} {options.model}: {rollouts / min(wall[1:]):.1f} rollouts/s, "
        f"{rollouts / min(cpu[1:]):.1f} per processor second"
    )


if __name__ == "__main__":
    main()
