"""How good a plan could be at best: the option ``--bound`` of several commands."""

from __future__ import annotations

import math
from typing import Annotated, Any

import typer

from geopar.bounding import Bound
from geopar.cli.outputs import say, stderr
from geopar.problems import Problem
from geopar.result import number

BoundSeconds = Annotated[
    float | None,
    typer.Option(
        "--bound", metavar="SECONDS",
        help="Tell how far the plan is above the best possible one at most; look for so long.",
    ),
]  # fmt: skip


def find_bound(problem: Problem, seconds: float | None) -> Bound | None:
    """The bound, if one was asked for; Ctrl-C ends it early."""
    from geopar import bound

    if seconds is None:
        return None

    with stderr.status("How good could a plan be? Ctrl-C ends the question."):
        return bound(problem, seconds, say)


def tell_bound(problem: Problem, found: Bound, objective: float, is_whole: bool) -> None:
    """What the bound says of a plan."""
    unit = f" {problem.goal_unit}" if problem.goal_unit else ""
    least = f"no plan that serves everybody is over before {number(found.value)}{unit}"
    if is_whole and found.value > 0.0:
        # Rounded up, or it would not be at most.
        above = math.ceil(1000.0 * found.above(objective)) / 1000.0
        least = f"At most {above:.1%} above the best possible: {least}"
    more = "" if found.complete else "; more time may prove more"
    say(f"{least[0].upper()}{least[1:]} ({found.seconds:.1f} s{more}).")


def told_bound(found: Bound | None, objective: float | None) -> dict[str, Any]:
    """What JSON says of it, if it was asked for; the objective of a plan that serves everybody."""
    if found is None:
        return {}
    above = None if objective is None or found.value <= 0.0 else found.above(objective)
    return {"bound": found._asdict() | {"above": above}}
