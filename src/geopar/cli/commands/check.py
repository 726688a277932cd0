"""``geopar check``: what a plan costs and every rule that it breaks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from geopar import check as check_plan
from geopar.cli.guard import FINE, VIOLATED
from geopar.cli.inputs import ProblemName, ReadingOptions
from geopar.cli.outputs import print_json


def check(
    problem: ProblemName,
    plan: Annotated[Path, typer.Argument(help="The plan: JSON or .sol.", show_default=False)],
    *,
    reading: ReadingOptions,
    json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> int:
    """Check a plan; exit code 1 when it breaks a rule."""
    from geopar.files import read_plan

    instance = reading.problem(problem)
    report = check_plan(instance, read_plan(plan, instance))
    if json:
        print_json(
            {
                "problem": instance.kind,
                "feasible": report.feasible,
                "objective": report.objective if report.feasible else None,
                "violations": [violation.to_json() for violation in report.violations],
            }
        )
    else:
        typer.echo(str(report))
    return FINE if report.feasible else VIOLATED
