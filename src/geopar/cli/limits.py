"""Who solves, until when and on how many cores: options that several commands have."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Annotated

import typer

from geopar.cli.groups import OptionGroup
from geopar.stop import (
    DEFAULT_SECONDS,
    MaxIterations,
    MaxRuntime,
    NoImprovement,
    StopRule,
    TargetCost,
)


@dataclass(frozen=True, slots=True)
class RunOptions(OptionGroup):
    """Who solves, until when, from which seed and on how many cores."""

    solver: Annotated[
        str | None, typer.Option(help="See `geopar solvers`; the best if left out.")
    ] = None
    time_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Stop after so long; usually 10.")
    ] = None
    iterations: Annotated[
        int | None, typer.Option(help="Stop after so many: repeatable on any machine.")
    ] = None
    no_improvement: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Stop when nothing better came for so long."),
    ] = None
    seed: Annotated[int, typer.Option(help="Of the random choices.")] = 0
    threads: Annotated[
        int | None, typer.Option(help="Cores to use; all if left out, with --iterations one.")
    ] = None

    def rule(self, target: float | None = None) -> StopRule:
        """When to stop."""
        return stop_rule(
            self.time_limit, self.iterations, target, self.no_improvement,
            default_seconds=DEFAULT_SECONDS,
        )  # fmt: skip


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
