"""Train every learned system for the same processor time, and keep their weights.

    python benchmarks/equal_budget.py --minutes 60
    python benchmarks/equal_budget.py --minutes 20 --only hcvrp-am,hcvrp-parco
    python benchmarks/equal_budget.py --minutes 40 --spent 20

Each has its run folder under ``--runs`` and goes on from its last checkpoint, so the budget can be
raised later. Where there is none any more, ``--spent`` says how much of it the saved weights have
had: the run begins with them, and what comes out is saved only if it is better. MAPDP is one
network for each number of vehicles; they share one budget. The best weights by validation are
saved as float16 with their cards under ``--out``, where ``GEOPAR_WEIGHTS_FOLDER`` may point, but
for ours by reinforcement alone, which are no peer's.

What is the same for all is in :data:`COMMON`; rates and batches are what learned best in runs of a
few minutes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean

from geopar.neural.cards import Card, fill, read_card, save_weights
from geopar.peers.registry import peer_class

COMMON = {"epoch_size": "3200", "milestones": "", "clip_norm": "1", "validate_every": "100"}
SIZES = {
    "hcvrp": {"sizes": "60-100/3-7", "validation": "60/3,60/5,100/5,100/7"},
    "omdcpdp": {"sizes": "50-100/10-50", "validation": "50/5,50/7,100/10,100/15"},
}
SLOW, FAST = {"learning_rate": "1e-4", "relative": "true"}, {"learning_rate": "5e-4"}
# Where vehicles may wait, steps have a price, or they wait for ever.
ALONE = {"augmentations": "1", "step_price": "0.02"}
# Rollouts of one instance share its encoding, and their mean is the baseline: turned copies or a
# greedy rollout, as published, take up to four times as long for the same number of rollouts.
MANY = {"batch_size": "8", "augmentations": "1", "samples": "8", "baseline": "shared"}
OURS = "pointer"


@dataclass(frozen=True)
class Job:
    """One network: what is different about it, and its part of the budget."""

    name: str
    settings: dict[str, str]
    share: float = 1.0

    @property
    def problem(self) -> str:
        """What it learns."""
        return self.name.partition("-")[0]

    @property
    def learner(self) -> str:
        """Which system it is."""
        return self.name.partition("-")[2].removesuffix(f"-{self.settings.get('model.vehicles')}")

    def command(self, folder: Path, minutes: float, start: Path | None) -> list[str]:
        """The training command, which goes on where there is something to go on from."""
        begin = [] if start is None else ["--from", str(start)]
        if (folder / "checkpoint.pt").exists():
            begin = ["--resume"]
        settings = COMMON | SIZES[self.problem] | self.settings
        return [
            *(sys.executable, "-m", "geopar", "train", self.problem, "--model", self.learner),
            *("--folder", str(folder), "--cpu-minutes", str(minutes * self.share)),
            *(part for name, value in settings.items() for part in ("--set", f"{name}={value}")),
            *begin,
        ]


def mapdp(tasks: int, vehicles: int) -> Job:
    size = f"{tasks}/{vehicles}"
    own = {"sizes": size, "validation": size, "model.vehicles": str(vehicles)}
    return Job(f"omdcpdp-mapdp-{vehicles}", SLOW | MANY | own, share=0.25)


JOBS = (
    Job("hcvrp-am", SLOW | MANY),
    Job("hcvrp-2d-ptr", SLOW | MANY),
    Job("hcvrp-dpn", SLOW | MANY | {"samples": "16"}),
    Job("hcvrp-parco", SLOW | MANY),
    Job("hcvrp-pointer", FAST | ALONE | {"batch_size": "16", "samples": "16", "relative": "true"}),
    Job("omdcpdp-parco", SLOW | MANY),
    Job("omdcpdp-ham", SLOW | MANY),
    Job(
        "omdcpdp-pointer", FAST | ALONE | {"batch_size": "16", "samples": "16", "relative": "true"}
    ),
    mapdp(50, 5),
    mapdp(50, 7),
    mapdp(100, 10),
    mapdp(100, 15),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, required=True, help="of processor time for each")
    parser.add_argument("--spent", type=float, default=0.0, help="what saved weights had of it")
    parser.add_argument("--only", help="names, separated by commas; all by default")
    parser.add_argument("--runs", type=Path, default=Path("runs/equal-budget"))
    parser.add_argument("--out", type=Path, default=Path("peer-weights"))
    parser.add_argument("--publish", action="store_true", help="save what there is, train nothing")
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else [job.name for job in JOBS]
    unknown = set(wanted) - {job.name for job in JOBS}
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; maybe one of those in JOBS")
    for job in JOBS:
        folder = options.runs / job.name
        if job.name not in wanted:
            continue
        saved = options.out / f"{job.name}.safetensors"
        start = saved if options.spent and saved.exists() else None
        if not options.publish:
            minutes = options.minutes - (options.spent if start is not None else 0.0)
            subprocess.run(job.command(folder, minutes, start), check=True)
        weights = folder / "best.safetensors"
        if weights.exists():
            publish(job, weights, options.out)


def publish(job: Job, weights: Path, out: Path) -> None:
    """Tell what was reached, and save a peer's weights in half the room."""
    card = read_card(weights)
    reached = {name: round(found["objective"], 2) for name, found in card.validation.items()}
    print(job.name, card.training["updates"], "updates:", reached, flush=True)
    if job.learner == OURS:
        return
    learner = peer_class(card.learner, card.problem)
    peer = learner(learner.Config.from_json(card.architecture))
    fill(peer, weights, card)
    out.mkdir(parents=True, exist_ok=True)
    target = out / f"{job.name}.safetensors"
    if target.exists() and mean_objective(read_card(target)) <= mean_objective(card):
        print(job.name, "was better before; its weights stay as they are.", flush=True)
        return
    save_weights(target, peer, card.training, card.validation, half=True)


def mean_objective(card: Card) -> float:
    """The geometric mean over the settings of the validation."""
    return geometric_mean(found["objective"] for found in card.validation.values())


if __name__ == "__main__":
    main()
