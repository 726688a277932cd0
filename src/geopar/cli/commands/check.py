"""``geopar check``: what a plan costs and every rule that it breaks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from geopar import check as check_plan
from geopar.cli.guard import FINE, VIOLATED
from geopar.cli.inputs import ProblemName, ReadingOptions
from geopar.cli.outputs import print_json, say


def check(
    problem: ProblemName,
    plan: Annotated[Path, typer.Argument(help="The plan: JSON or .sol.", show_default=False)],
    *,
    reading: ReadingOptions,
    json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> int:
    """Check a plan; exit code 1 when it breaks a rule."""
    instance, found = reading.problem_and_plan(problem, plan)
    # What a file says it costs is no rule: it may have been edited since.
    report = check_plan(instance, found.without_claim())
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
        )
        return FINE if report.feasible else VIOLATED
    typer.echo(str(report))
    for one in report.left_out:
        typer.echo(f"  {one.request}: {one.reason}")
    if found.minimise not in (None, instance.goal):
        say(f"The plan was made for another goal: --minimise {found.minimise} looks at it by that.")
    elif report.feasible and not check_plan(instance, found).feasible:
        say(f"The file says {found.objective:.6g}: it was changed since, or made for another goal.")
    return FINE if report.feasible else VIOLATED
