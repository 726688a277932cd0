"""``geopar check``: what a plan costs and every rule that it breaks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from geopar import check as check_plan
from geopar.bounding import require_bound
from geopar.cli.bounds import BoundSeconds, find_bound, tell_bound, told_bound
from geopar.cli.guard import FINE, VIOLATED
from geopar.cli.inputs import ProblemName, ReadingOptions
from geopar.cli.outputs import print_json, say


def check(
    problem: ProblemName,
    plan: Annotated[Path, typer.Argument(help="The plan: JSON or .sol.", show_default=False)],
    *,
    bound: BoundSeconds = None,
    reading: ReadingOptions,
    json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> int:
    """Check a plan; exit code 1 when it breaks a rule."""
    instance, found = reading.problem_and_plan(problem, plan)
    # What a file says it costs is no rule: it may have been edited since.
    report = check_plan(instance, found.without_claim())
    if bound is not None:
        require_bound(instance, bound)
    least = find_bound(instance, bound)
    is_whole = report.feasible and not report.left_out
    if json:
        print_json(
            {
                "problem": instance.kind,
                "feasible": report.feasible,
                "objective": report.objective if report.feasible else None,
                "minimise": instance.goal,
                "claimed": found.objective,
                "violations": [violation.to_json() for violation in report.violations],
                "left_out": [one._asdict() for one in report.left_out],
            }
            | told_bound(least, report.objective if is_whole else None)
        )
        return FINE if report.feasible else VIOLATED
    typer.echo(str(report))
    for one in report.left_out:
        typer.echo(f"  {one.request}: {one.reason}")
    if found.minimise not in (None, instance.goal):
        say(f"The plan was made for another goal: --minimise {found.minimise} looks at it by that.")
    elif report.feasible and not check_plan(instance, found).feasible:
        say(f"The file says {found.objective:.6g}: it was changed since, or made for another goal.")
    if least is not None:
        tell_bound(instance, least, report.objective, is_whole)
    return FINE if report.feasible else VIOLATED
