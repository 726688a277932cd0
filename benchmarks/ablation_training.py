"""Train the variants of the paper's ablations from one start for the same processor time.

    python benchmarks/ablation_training.py --minutes 60
    python benchmarks/ablation_training.py --minutes 60 --only neither,both

The 2×2: windows or none (the branch of Eq. 5, its gate opened to 0.1 at the start), and the paper's
assignment or none, in the sampler and in decoding. And both with one, two and eight directions of
projection instead of four. All begin with the installed ``hcvrp-geopar``, whose gate is nearly
closed, so that without the branch it is the same network. Each has its run folder under ``--runs``
and goes on from its last checkpoint, so the time can be raised later. The best weights by
validation, a mean over some fifty updates, go to ``--out`` as ``hcvrp-geopar-NAME``, where
``geopar reproduce`` finds them: ``ablation`` the 2×2, ``directions`` the others, ``assignment``
that of ``pwin``.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from geopar.neural.cards import read_card, save_weights
from geopar.paper.policy import Policy

COMMON = {
    "sizes": "60-100/3-7", "step_price": "0.018", "batch_size": "64", "augmentations": "1",
    "samples": "16", "relative": "true", "cut": "1.5", "averaging": "0.98",
    "scored_rollouts": "0.5", "baseline": "state", "learning_rate": "1e-4", "milestones": "",
    "epoch_size": "3840", "validation": "60/3,60/5,100/5,100/7,300/12", "validation_count": "256",
    "validate_every": "60", "monitor": "mean",
}  # fmt: skip
# Time and room in the soft cost of Eq. 23 are left out, as in the card of the installed weights.
ASSIGNMENT = {
    "variant": "paper", "assignment.temperature": "0.4", "assignment.exploration": "0.01",
    "assignment.time_weight": "0", "assignment.capacity_weight": "0", "decoding.mode": "ca",
    "decoding.time_weight": "0", "decoding.capacity_weight": "0",
}  # fmt: skip
NO_ASSIGNMENT = {
    "variant": "plain", "assignment.temperature": "0.4", "decoding.mode": "greedy",
}  # fmt: skip
WINDOWS, NO_WINDOWS = {"gate": "0.1"}, {"model.geometry": "false"}
VARIANTS = {
    "neither": NO_WINDOWS | NO_ASSIGNMENT,
    "ca": NO_WINDOWS | ASSIGNMENT,
    "pwin": WINDOWS | NO_ASSIGNMENT,
    "both": WINDOWS | ASSIGNMENT,
    **{f"q{q}": WINDOWS | ASSIGNMENT | {"model.directions": str(q)} for q in (1, 2, 8)},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, required=True, help="of processor time for each")
    parser.add_argument("--only", default=",".join(VARIANTS), help="names, separated by commas")
    parser.add_argument("--start", default="geopar", help="weights that all begin with")
    parser.add_argument("--runs", type=Path, default=Path("runs/ablation"))
    parser.add_argument("--out", type=Path, default=Path("peer-weights"))
    options = parser.parse_args()
    for name in options.only.split(","):
        folder = options.runs / name
        subprocess.run(command(name, folder, options.minutes, options.start), check=True)
        publish(name, folder / "best.safetensors", options.minutes, options.out)


def command(name: str, folder: Path, minutes: float, start: str) -> list[str]:
    """The training command, which goes on where there is something to go on from."""
    begin = ["--resume"] if (folder / "checkpoint.pt").exists() else ["--from", start]
    settings = COMMON | VARIANTS[name]
    return [
        *(sys.executable, "-m", "geopar", "train", "hcvrp", "--folder", str(folder)),
        *("--cpu-minutes", str(minutes), *begin),
        *(part for name, value in settings.items() for part in ("--set", f"{name}={value}")),
    ]


def publish(name: str, weights: Path, minutes: float, out: Path) -> None:
    """Save weights in half the room, with what is known of them."""
    card = read_card(weights)
    count = len(VARIANTS)
    how = f"one of {count} variants, {minutes:g} minutes of one core each from hcvrp-geopar: {name}"
    network = Policy.load("hcvrp", str(weights))
    training = card.training | {"how": how, "command": "python benchmarks/ablation_training.py"}
    out.mkdir(parents=True, exist_ok=True)
    target = out / f"hcvrp-geopar-{name}.safetensors"
    save_weights(target, network, training, card.validation, half=True)


if __name__ == "__main__":
    main()
