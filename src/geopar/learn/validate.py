"""One greedy pass over fixed instances that are neither trained on nor in the test sets."""

from __future__ import annotations

from typing import NamedTuple

import torch

from geopar.learn.data import fixed_batch
from geopar.learn.learner import Learner
from geopar.problems.batch import Batch
from geopar.problems.setting import Setting

# Apart from the seeds of the test sets (24610 and 3333) and of training.
VALIDATION_SEED = 5_150_077
# Decoded together, by how many tasks they have in all.
MOST_TASKS_AT_ONCE = 8_000


class Validated(NamedTuple):
    """Means over the instances: objective, parallel steps, objective over the lower bound."""

    objective: float
    steps: float
    ratio: float


def validate(learner: Learner, setting: Setting, count: int) -> Validated:
    """One greedy pass over the first ``count`` validation instances of a setting."""
    learner.network.eval()
    batch = fixed_batch(setting, count, VALIDATION_SEED)
    at_once = max(1, MOST_TASKS_AT_ONCE // setting.num_tasks)
    parts = [
        learner.decode(batch.select(slice(low, low + at_once))) for low in range(0, count, at_once)
    ]
    learner.network.train()
    cost, steps = (torch.cat(part) for part in zip(*parts, strict=True))
    return Validated(float(cost.mean()), float(steps.double().mean()), _ratio(batch, cost))


def _ratio(batch: Batch, cost: torch.Tensor) -> float:
    bounds = batch.lower_bounds()
    return float("nan") if bounds is None else float((cost / bounds).mean())
