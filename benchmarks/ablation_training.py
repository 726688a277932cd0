"""Train the variants of the paper's ablations from one start for the same processor time.

    python benchmarks/ablation_training.py --minutes 60
    python benchmarks/ablation_training.py --minutes 60 --only neither,both
    python benchmarks/ablation_training.py --minutes 15 --problem omdcpdp --only neither

The 2×2: windows or none (the branch of Eq. 5, its gate opened to 0.1 at the start), and the paper's
assignment or PARCO's, in the sampler and in decoding: there all agents draw at once, and of those
who want the same one goes. And both with one, two, four and eight directions of projection. All
begin with the installed ``geopar`` of the problem, whose gate is nearly closed, so that without the
branch it is the same network. Each has its run folder under ``--runs`` and goes on from its last
checkpoint, so the time can be raised later. The best weights by validation, a mean over some fifty
updates, go to ``--out`` as ``hcvrp-geopar-NAME``, where ``geopar reproduce`` finds them:
``ablation`` the 2×2, ``directions`` the others, ``assignment`` that of ``pwin``.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from geopar.neural.cards import read_card, save_weights
from geopar.paper.policy import Policy

COMMON = {
    "batch_size": "64", "augmentations": "1", "samples": "16", "relative": "true", "cut": "1.5",
    "averaging": "0.98", "scored_rollouts": "0.5", "baseline": "state", "learning_rate": "1e-4",
    "milestones": "", "epoch_size": "3840", "validation_count": "256", "validate_every": "60",
    "monitor": "mean",
}  # fmt: skip
OF_PROBLEM = {
    "hcvrp": {
        "sizes": "60-100/3-7", "step_price": "0.018",
        "validation": "60/3,60/5,100/5,100/7,300/12",
    },
    "omdcpdp": {
        "sizes": "50-100/5-15,80-100/10-18,60-100/2-5",
        "validation": "50/5,50/7,100/10,100/15,300/12",
    },
}  # fmt: skip
# Time and room in the soft cost of Eq. 23 are left out, as in the card of the installed weights.
ASSIGNMENT = {
    "variant": "paper", "assignment.temperature": "0.4", "assignment.exploration": "0.01",
    "assignment.time_weight": "0", "assignment.capacity_weight": "0", "decoding.mode": "ca",
    "decoding.time_weight": "0", "decoding.capacity_weight": "0",
}  # fmt: skip
NO_ASSIGNMENT = {
    "variant": "plain", "assignment.temperature": "0.4", "draws": "at-once",
    "decoding.mode": "greedy",
}  # fmt: skip
WINDOWS, NO_WINDOWS = {"gate": "0.1"}, {"model.geometry": "false"}
VARIANTS = {
    "neither": NO_WINDOWS | NO_ASSIGNMENT,
    "ca": NO_WINDOWS | ASSIGNMENT,
    "pwin": WINDOWS | NO_ASSIGNMENT,
    "both": WINDOWS | ASSIGNMENT,
    **{f"q{q}": WINDOWS | ASSIGNMENT | {"model.directions": str(q)} for q in (1, 2, 4, 8)},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, required=True, help="of processor time for each")
    parser.add_argument("--problem", choices=OF_PROBLEM, default="hcvrp")
    parser.add_argument("--only", default=",".join(VARIANTS), help="names, separated by commas")
    parser.add_argument("--start", default="geopar", help="weights that all begin with")
    parser.add_argument("--runs", type=Path, default=Path("runs/ablation"))
    parser.add_argument("--out", type=Path, default=Path("peer-weights"))
    options = parser.parse_args()
    for name in options.only.split(","):
        folder = options.runs / options.problem / name
        training = command(options.problem, name, folder, options.minutes, options.start)
        subprocess.run(training, check=True)
        publish(options.problem, name, folder, options.minutes, options.out)


def command(problem: str, name: str, folder: Path, minutes: float, start: str) -> list[str]:
    """The training command, which goes on where there is something to go on from."""
    begin = ["--resume"] if (folder / "checkpoint.pt").exists() else ["--from", start]
    settings = COMMON | OF_PROBLEM[problem] | VARIANTS[name]
    return [
        *(sys.executable, "-m", "geopar", "train", problem, "--folder", str(folder)),
        *("--cpu-minutes", str(minutes), *begin),
        *(part for name, value in settings.items() for part in ("--set", f"{name}={value}")),
    ]


def publish(problem: str, name: str, folder: Path, minutes: float, out: Path) -> None:
    """Save weights in half the room, with what is known of them."""
    weights = folder / "best.safetensors"
    card = read_card(weights)
    how = f"the variant {name}, {minutes:g} minutes of one core from {problem}-geopar"
    network = Policy.load(problem, str(weights))
    training = card.training | {"how": how, "command": "python benchmarks/ablation_training.py"}
    out.mkdir(parents=True, exist_ok=True)
    target = out / f"{problem}-geopar-{name}.safetensors"
    save_weights(target, network, training, card.validation, half=True)


if __name__ == "__main__":
    main()
