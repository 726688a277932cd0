"""Train a small network on a laptop and see what it has learned.

The first part of the time it imitates plans of the search, the rest it improves on itself. Before
and after, it plans the same test instances in one pass, beside the rule that it has to beat.
"""

import argparse
import tempfile
from pathlib import Path

from geopar.evaluate import evaluate
from geopar.learn.configuration import default_config
from geopar.learn.opening import open_run
from geopar.learn.run import BEST, Progress, Run
from geopar.model.construct import construct
from geopar.model.policy import Policy
from geopar.model.weights import load_weights, random_policy
from geopar.problems.frozen import frozen

IMITATION_SHARE = 0.4
COMMON = {"preset": "local", "validation_count": "32", "validate_every": "50"}
IMITATION = {"label_shards": "4", "scored_steps": "6"}
REINFORCEMENT = {
    "assignment": "plain", "batch_size": "12", "samples": "12", "augmentations": "1",
    "relative": "true", "learning_rate": "4e-4",
}  # fmt: skip


def main() -> None:
    """Imitate, reinforce, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--sizes", default="40-60/3-5", help="of the training instances")
    parser.add_argument("--test", default="hcvrp/60/3", help="a frozen test set")
    parser.add_argument("--count", type=int, default=64, help="test instances")
    parser.add_argument("--folder", type=Path, help="of the runs; a new one if left out")
    options = parser.parse_args()
    folder = options.folder or Path(tempfile.mkdtemp(prefix="geopar-"))
    kind, _, size = options.test.partition("/")
    common = COMMON | {"sizes": options.sizes, "validation": size}
    imitated, reinforced = folder / "imitated", folder / "reinforced"

    config = default_config(kind, "imitate").changed(common | IMITATION)
    run = open_run(config, imitated, folder / "labels")
    train(run, IMITATION_SHARE * options.minutes)

    config = default_config(kind, "reinforce").changed(common | REINFORCEMENT)
    run = open_run(config, reinforced, folder / "labels", start=str(imitated))
    train(run, (1.0 - IMITATION_SHARE) * options.minutes)

    problems = list(frozen(options.test, options.count))
    rule = evaluate(problems, "dispatch").to_json()["objective"]
    print(f"\nmean objective over {len(problems)} instances of {options.test}")
    print(f"  dispatch, the rule   {rule:.3f}")
    network = run.policy.config
    for name, policy in (
        ("without training", random_policy(kind, network)),
        ("after imitation", load_weights(kind, str(imitated / BEST))),
        ("after reinforcement", load_weights(kind, str(reinforced / BEST))),
    ):
        print(f"  {name:20} {mean_objective(policy, problems):.3f}")
    print(f"\nThe weights are {reinforced / BEST}. To plan with them:")
    print(f"  GEOPAR_WEIGHTS={reinforced / BEST} geopar solve {options.test}#0 --solver construct")


def train(run: Run, minutes: float) -> None:
    """Train; of the first, the last and all validated weights the best are kept."""
    run.judge(run.validate())
    run.train(minutes, tell)
    run.judge(run.validate())


def mean_objective(policy: Policy, problems: list) -> float:
    """One greedy pass over all."""
    return float(construct(problems, policy, mode="greedy").objective.mean())


def tell(progress: Progress) -> None:
    """A line for every validation."""
    for size, found in (progress.validation or {}).items():
        print(f"update {progress.step}, {progress.seconds:.0f} s: {size} {found.objective:.3f}")


if __name__ == "__main__":
    main()
