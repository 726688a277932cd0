"""``geopar solvers``: what can solve what."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from geopar.cli.outputs import print_json, show
from geopar.solver import solvers as all_solvers


def solvers(
    json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """List the solvers."""
    known = all_solvers()
    if json:
        print_json(
            {
                name: {
                    "problems": list(info.kinds),
                    "summary": info.summary,
                    "extra": info.extra or None,
                }
                for name, info in known.items()
            }
        )
        return
    table = Table("solver", "problems", "what it does", "needs", box=SIMPLE_HEAD, pad_edge=False)
    for name, info in known.items():
        needs = f"geopar\\[{info.extra}]" if info.extra else ""
        table.add_row(name, ", ".join(info.kinds), info.summary, needs)
    show(table)
