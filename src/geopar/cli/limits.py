"""The stopping rules of the command line."""

from __future__ import annotations

from functools import reduce
from operator import or_

from geopar.stop import MaxIterations, MaxRuntime, NoImprovement, StopRule, TargetCost


def stop_rule(
    seconds: float | None,
    iterations: int | None = None,
    target: float | None = None,
    no_improvement: float | None = None,
    *,
    default_seconds: float,
) -> StopRule:
    """Whichever comes first; the default time counts when nothing else is sure to end the run."""
    rules: list[StopRule] = []
    if iterations is not None:
        rules.append(MaxIterations(iterations))
    if no_improvement is not None:
        rules.append(NoImprovement(seconds=no_improvement))
    if seconds is not None:
        rules.append(MaxRuntime(seconds))
    elif not rules:
        rules.append(MaxRuntime(default_seconds))
    if target is not None:
        rules.append(TargetCost(target))
    return reduce(or_, rules)
