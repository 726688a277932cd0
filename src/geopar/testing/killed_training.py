"""``python -m geopar.testing.killed_training --kills 50``: training killed again and again.

Several tiny runs of ``geopar train`` go on side by side. Each is killed at random moments and
resumed, with the interval between checkpoints that is shipped. At the end the checkpoint of each is
compared, bit by bit, with that of a run that went to the same update without being killed.
"""

from __future__ import annotations

import argparse
import random
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

TINY = {
    "model.width": "8", "model.heads": "2", "model.layers": "1", "model.feedforward": "8",
    "monitor": "mean", "sizes": "8-10/2-3", "batch_size": "4", "epoch_size": "8",
    "epochs": "1000000", "milestones": "2", "validation": "8/2", "validation_count": "4",
    "validate_every": "40",
}  # fmt: skip
ROLLOUTS = {"augmentations": "2", "samples": "2"}
LABELS = {"label_shards": "2", "label_iterations": "5"}
# Words for the command line, and settings, of runs that learn in different ways.
RUNS: tuple[tuple[tuple[str, ...], dict[str, str]], ...] = (
    (("hcvrp", "--reinforce"), TINY | ROLLOUTS),
    (("omdcpdp", "--reinforce"), TINY | ROLLOUTS | {"sizes": "8-10/2-3", "averaging": "0.9"}),
    (("hcvrp", "--imitate"), TINY | LABELS),
    (("hcvrp", "--reinforce"), TINY | ROLLOUTS | LABELS | {"teacher_weight": "0.1"}),
    (("omdcpdp", "--reinforce"), TINY | ROLLOUTS | {"seed": "7"}),
)
# Seconds between a start and its kill: starting takes some, a checkpoint comes every 45.
SHORTEST, LONGEST = 2.0, 120.0


def kill_and_resume(number: int, kills: int, seed: int, folder: Path) -> str:
    """One run; what went wrong on the way, if anything."""
    words, settings = RUNS[number % len(RUNS)]
    rng, run = random.Random(f"{seed} {number}"), folder / f"run{number}"
    command = [sys.executable, "-m", "geopar", "train", *words, "--folder", str(run)]
    command += ["--labels", str(folder / f"labels{number}")]
    command += [f"--set={name}={value}" for name, value in settings.items()]
    for _ in range(kills):
        is_there = (run / "checkpoint.pt").exists()
        process = subprocess.Popen(
            [*command, *(["--resume"] if is_there else [])], stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        time.sleep(rng.uniform(SHORTEST, LONGEST))
        process.kill()
        errors = process.communicate()[1]
        if process.returncode != -9:
            return f"it ended by itself: {errors[-2000:]}"
    return ""


def compare(killed: Path, whole: Path, labels: Path) -> tuple[int, list[str]]:
    """How many updates a killed run has kept, and how it differs from one without a kill."""
    from geopar.learn import run as run_module
    from geopar.learn.checkpoint import read_tensors
    from geopar.learn.open_run import open_run, stored_config

    config = stored_config(killed)
    if config is None:
        return 0, ["it has kept nothing"]
    stored = read_tensors(killed / run_module.CHECKPOINT)
    last = int(stored["count"]["step"])
    run = open_run(config, whole, labels)
    _train_to(run, last)
    return last, [*differing(stored, read_tensors(whole / run_module.CHECKPOINT))]


def _train_to(run: Any, last: int) -> None:
    """Train in one go, and save after this update."""
    from geopar.learn import run as run_module

    class EnoughError(Exception):
        """It is there."""

    save, interval = run.save, run_module.CHECKPOINT_SECONDS

    def save_and_see() -> None:
        if run.step >= last:
            save()
            raise EnoughError

    run.save, run_module.CHECKPOINT_SECONDS = save_and_see, -1.0
    try:
        if last:
            run.train()
    except EnoughError:
        pass
    finally:
        run_module.CHECKPOINT_SECONDS = interval


def differing(one: Any, other: Any, name: str = "") -> Iterator[str]:
    """Names of what is not the same to the last bit; how long it took may differ."""
    if name.endswith("seconds"):
        return
    if isinstance(one, dict) and isinstance(other, dict):
        for key in one.keys() | other.keys():
            if key in one and key in other:
                yield from differing(one[key], other[key], f"{name}.{key}")
            else:
                yield f"{name}.{key}"
    elif isinstance(one, list | tuple) and isinstance(other, list | tuple):
        if len(one) != len(other):
            yield name
            return
        for i, (a, b) in enumerate(zip(one, other, strict=True)):
            yield from differing(a, b, f"{name}[{i}]")
    elif hasattr(one, "numpy"):
        if not hasattr(other, "numpy") or one.numpy().tobytes() != other.numpy().tobytes():
            yield name
    elif one != other:
        yield name


def main() -> int:
    """Kill, resume, compare; 1 if anything differs."""
    parser = argparse.ArgumentParser(
        prog="python -m geopar.testing.killed_training",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--kills", type=int, default=50, help="in all runs together")
    parser.add_argument("--runs", type=int, default=len(RUNS), help="side by side")
    parser.add_argument("--seed", type=int, help="of the moments; a new one when left out")
    options = parser.parse_args()
    seed = secrets.randbelow(1 << 40) if options.seed is None else options.seed
    print(f"killed training from seed {seed}", flush=True)
    each = -(-options.kills // options.runs)
    with tempfile.TemporaryDirectory(prefix="geopar-killed-") as folder:
        with ThreadPoolExecutor(options.runs) as threads:
            ended = [
                threads.submit(kill_and_resume, number, each, seed, Path(folder))
                for number in range(options.runs)
            ]
        return max(
            _tell(number, each, one.result(), Path(folder)) for number, one in enumerate(ended)
        )


def _tell(number: int, kills: int, trouble: str, folder: Path) -> int:
    """Compare a run, print what came of it, 1 if that is bad."""
    updates, found = 0, [trouble]
    if not trouble:
        # Labels of its own: those that were made while it was killed are looked at, too.
        updates, found = compare(
            folder / f"run{number}", folder / f"whole{number}", folder / f"whole-labels{number}"
        )
    what = "; ".join(found[:10]) or "the same to the last bit"
    words = " ".join(RUNS[number % len(RUNS)][0])
    print(f"run {number} ({words}): {kills} kills, {updates} updates: {what}", flush=True)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
