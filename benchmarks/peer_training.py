"""How fast learned peers learn: as published, and by rollouts that share an encoding.

    python benchmarks/peer_training.py --minutes 2
    python benchmarks/peer_training.py --minutes 2 --only 2d-ptr

Each begins untrained and learns one small setting for so many minutes of processor time, with 64
rollouts an update either way: 64 instances against a greedy rollout (AM, 2D-Ptr) or the turned
copies of eight (the others), and eight rollouts of each of eight instances against their mean.
DPN is not here: its rollouts share an encoding as published.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

SETTINGS = {
    "am": "hcvrp/60/3",
    "2d-ptr": "hcvrp/60/3",
    "parco": "hcvrp/60/3",
    "ham": "omdcpdp/50/10",
    "mapdp": "omdcpdp/50/10",
}
COMMON = {
    "learning_rate": "1e-4",
    "milestones": "",
    "clip_norm": "1",
    "relative": "true",
    "epoch_size": "3200",
    "validate_every": "25",
}
GREEDY = {
    "batch_size": "64",
    "augmentations": "1",
    "baseline": "greedy",
    "baseline_instances": "256",
}
COPIES = {"batch_size": "8", "augmentations": "8", "baseline": "shared"}
SHARING = {"batch_size": "8", "augmentations": "1", "samples": "8", "baseline": "shared"}


def train(learner: str, minutes: float, settings: dict[str, str]) -> None:
    """One run in a folder that is thrown away; tell what it reached."""
    kind, _, size = SETTINGS[learner].partition("/")
    own = {"sizes": size, "validation": size}
    if learner == "mapdp":
        own["model.vehicles"] = size.partition("/")[2]
    with tempfile.TemporaryDirectory() as folder:
        command = [
            *(sys.executable, "-m", "geopar", "train", kind, "--model", learner),
            *("--folder", folder, "--cpu-minutes", str(minutes)),
        ]
        for name, value in (COMMON | own | settings).items():
            command += ["--set", f"{name}={value}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        with (Path(folder) / "validation.csv").open(newline="") as lines:
            rows = list(csv.DictReader(lines))
        card = json.loads((Path(folder) / "best.json").read_text())
    way = "sharing" if settings is SHARING else "published"
    print(
        f"{learner:>7} {SETTINGS[learner]:>14} {way:>10}: {rows[-1]['step']:>5} updates, "
        f"{float(rows[0]['objective']):.2f} first, {float(rows[-1]['objective']):.2f} last, "
        f"{card['validation'][size]['objective']:.2f} best",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=2.0, help="of processor time for each")
    parser.add_argument("--only", help="names, separated by commas; all by default")
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else list(SETTINGS)
    if unknown := set(wanted) - set(SETTINGS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; maybe one of {', '.join(SETTINGS)}")
    for learner in wanted:
        published = GREEDY if learner in ("am", "2d-ptr") else COPIES
        for settings in (published, SHARING):
            train(learner, options.minutes, settings)


if __name__ == "__main__":
    main()
