"""Train a small network on a laptop and see what it has learned.

It learns by reinforcement alone: nobody shows it a plan. Before and after, it plans the same test
instances in one pass, beside the rule that it has to beat.
"""

import argparse
import tempfile
from pathlib import Path

from geopar.evaluate import evaluate
from geopar.learn.config import default_config
from geopar.learn.open_run import open_run
from geopar.learn.run import BEST, Progress
from geopar.pointer.network import PointerNetwork
from geopar.pointer.solver import construct
from geopar.problems import Problem
from geopar.problems.frozen import frozen

SETTINGS = {
    "batch_size": "12", "samples": "12", "step_price": "0.02",
    "validation_count": "32", "validate_every": "50",
}  # fmt: skip


def main() -> None:
    """Train, then compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--sizes", default="40-60/3-5", help="of the training instances")
    parser.add_argument("--test", default="hcvrp/60/3", help="a frozen test set")
    parser.add_argument("--count", type=int, default=64, help="test instances")
    parser.add_argument("--folder", type=Path, help="of the run; a new one if left out")
    options = parser.parse_args()
    folder = (options.folder or Path(tempfile.mkdtemp(prefix="geopar-"))) / "pointer"
    kind, _, size = options.test.partition("/")

    settings = SETTINGS | {"sizes": options.sizes, "validation": size}
    config = default_config(kind, "reinforce", "pointer").changed(settings)
    run = open_run(config, folder, folder / "labels")
    run.judge(run.validate())
    run.train(options.minutes, tell)
    run.judge(run.validate())

    problems = list(frozen(options.test, options.count))
    rule = evaluate(problems, "dispatch").to_json()["objective"]
    print(f"\nmean objective over {len(problems)} instances of {options.test}")
    print(f"  dispatch, the rule   {rule:.3f}")
    untrained = PointerNetwork.untrained(config.model_config())
    trained = PointerNetwork.load(kind, str(folder / BEST))
    for name, network in (("without training", untrained), ("after training", trained)):
        print(f"  {name:20} {mean_objective(network, problems):.3f}")
    print(f"\nThe weights are {folder / BEST}. To plan with them:")
    print(f"  GEOPAR_WEIGHTS={folder / BEST} geopar solve {options.test}#0 --solver pointer")


def mean_objective(network: PointerNetwork, problems: list[Problem]) -> float:
    """One pass over all."""
    return float(construct(problems, network).objective.mean())


def tell(progress: Progress) -> None:
    """A line for every validation."""
    for size, found in (progress.validation or {}).items():
        print(f"update {progress.step}, {progress.seconds:.0f} s: {size} {found.objective:.3f}")


if __name__ == "__main__":
    main()
