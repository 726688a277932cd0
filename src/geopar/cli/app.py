"""The commands put together."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from geopar.__about__ import __version__
from geopar.cli.commands.check import check
from geopar.cli.commands.convert import convert
from geopar.cli.commands.evaluate import evaluate
from geopar.cli.commands.generate import generate
from geopar.cli.commands.info import info
from geopar.cli.commands.matrix import matrix
from geopar.cli.commands.plot import plot
from geopar.cli.commands.replan import replan
from geopar.cli.commands.reproduce import reproduce
from geopar.cli.commands.serve import serve
from geopar.cli.commands.sheet import sheet
from geopar.cli.commands.solve import solve
from geopar.cli.commands.solvers import solvers
from geopar.cli.commands.train import train
from geopar.cli.commands.warm_up import warm_up
from geopar.cli.commands.weights import import_, weights
from geopar.cli.groups import ungrouped
from geopar.cli.guard import guarded

app = typer.Typer(
    name="geopar",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    epilog="Exit codes: 0 fine, 1 the plan violates something, 2 bad input, 3 internal.",
)

for _command in (
    solve, check, replan, plot, sheet, convert, matrix, generate, evaluate, train, reproduce, serve,
    solvers, info, warm_up,
):  # fmt: skip
    app.command()(guarded(ungrouped(_command), keeps_best=_command in (solve, replan)))

# A command with another below it: the list, and `import`.
_weights = typer.Typer(name="weights", invoke_without_command=True)
_weights.callback()(guarded(weights))
_weights.command("import")(guarded(import_))
app.add_typer(_weights)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"geopar {__version__}")
        raise typer.Exit


@app.callback()
def top(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print it.")
    ] = False,
) -> None:
    """Plan routes for fleets of different vehicles."""


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        # The user's ids and our dashes may be more than a terminal can show.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    app()
