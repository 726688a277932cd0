"""How long the paper's network takes: encoding, and a step averaged over a rollout.

Every step is timed as it would be in a rollout (compaction, scores, assignment, environment); then
the vehicles move on by chance among what they see, so that rollouts are as long as those of a
trained network and pass through the same numbers of open tasks. Repeats and takes the fastest,
since other programs only ever make it slower; ``--cpu-time`` counts the process's own time instead
of the clock, which a busy machine disturbs less.

    python benchmarks/policy_speed.py hcvrp/60/3 hcvrp/1000/20 hcvrp/5000/400 --set geometry=false
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable

import torch

from geopar.paper.assignment import Proposals, assign, resolve
from geopar.paper.config import AssignmentConfig, NetworkConfig
from geopar.paper.policy import Policy
from geopar.problems.batch import make_batch
from geopar.problems.random import generate
from geopar.settings import value_of


@torch.inference_mode()
def measure(
    policy: Policy, setting: str, count: int, mode: str, most_steps: int, compact: bool,
    clock: Callable[[], float],
) -> tuple[float, float, int]:  # fmt: skip
    """Seconds to encode, seconds for all steps, and how many steps."""
    environment = policy.environment(make_batch([generate(setting, k) for k in range(count)]))
    config = AssignmentConfig.of_paper(policy.config.kind)
    before = clock()
    encoded = policy.encode(environment)
    encoding = clock() - before
    state, steps, total = environment.reset(), 0, 0.0
    generator = torch.Generator().manual_seed(0)
    while not bool(state.done.all()) and steps < most_steps:
        before = clock()
        if compact:
            encoded = policy.compacted(encoded, state)
        scores = policy.logits(encoded, state)
        action = assign(config, mode, encoded, state, scores)
        environment.step(state, action)
        total += clock() - before
        chance = torch.rand(scores.logits.shape, generator=generator)
        # Home only now and then, and always when it is all there is.
        chance[..., -1] -= 0.9
        chance = chance.masked_fill(scores.logits == -torch.inf, -torch.inf)
        moves = resolve(Proposals(chance, scores.candidates), environment.batch.num_tasks, 8)
        state = environment.step(state, moves)
        steps += 1
    return encoding, total, steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("settings", nargs="+")
    parser.add_argument("--mode", default="greedy")
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", dest="changes")
    parser.add_argument("--count", type=int, default=1, help="instances in one batch")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--most-steps", type=int, default=10**9)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--without-compaction", action="store_true")
    parser.add_argument("--cpu-time", action="store_true")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    clock = time.process_time if arguments.cpu_time else time.perf_counter
    for setting in arguments.settings:
        changes = dict(change.split("=", 1) for change in arguments.changes)
        values = {"kind": setting.partition("/")[0]} | {n: value_of(v) for n, v in changes.items()}
        policy = Policy.untrained(NetworkConfig.from_json(values))
        runs = [
            measure(
                policy, setting, arguments.count, arguments.mode, arguments.most_steps,
                not arguments.without_compaction, clock,
            )
            for _ in range(arguments.repeats)
        ]  # fmt: skip
        encoding, steps = min(run[0] for run in runs), runs[0][2]
        each = min(run[1] for run in runs) / steps
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(
            f"{setting:18} encode {encoding * 1e3:8.1f} ms step {each * 1e3:7.2f} ms"
            f"  {steps:5} steps  {encoding + each * steps:7.2f} s  peak {memory:.2f} GiB",
            flush=True,
        )


if __name__ == "__main__":
    main()
