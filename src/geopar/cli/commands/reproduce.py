"""``geopar reproduce``: the paper's tables and figures, measured again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as RichProgress
from rich.table import Table

from geopar.cli.guard import FINE, INTERRUPTED
from geopar.cli.inputs import Cluster
from geopar.cli.outputs import say, show, stderr
from geopar.errors import Faults, MissingExtraError
from geopar.result import number
from geopar.spread import open_executor

if TYPE_CHECKING:
    from geopar.reproduce.run import Progress


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Experiments, or all.", show_default=False),
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the experiments.")] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Few instances, small budgets: all in half an hour.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="The paper's instances and budgets: days.")
    ] = False,
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Of what is measured, tables and pictures.")
    ] = Path("reproduced"),
    weights: Annotated[
        str | None, typer.Option(help="Of the paper's network: a name or a file.")
    ] = None,
    run: Annotated[
        list[Path] | None,
        typer.Option(metavar="FOLDER", help="A training run with snapshots; may be repeated."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the random choices.")] = 0,
    threads: Annotated[int, typer.Option(help="Cores to use.")] = 1,
    cluster: Cluster = None,
) -> int:
    """Measure the paper's experiments again; what is in the folder is not measured twice."""
    try:
        from geopar.reproduce.experiment import Context
        from geopar.reproduce.registry import about, find
        from geopar.reproduce.run import reproduce as run_experiments
        from geopar.reproduce.scale import FULL, QUICK, USUAL
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("geopar"):
            raise
        raise MissingExtraError("the network", "neural") from error

    if list_:
        table = Table("experiment", "the paper's", "what", box=SIMPLE_HEAD, pad_edge=False)
        for one in about():
            table.add_row(one.name, one.source, one.title)
        show(table)
        return FINE
    _check(names, quick=quick, full=full)
    scale = QUICK if quick else FULL if full else USUAL
    try:
        with open_executor(cluster, threads) as executor, _Bar() as bar:
            context = Context(scale, seed, threads, weights, tuple(run or ()), say, executor)
            written = run_experiments(find(names or []), out, context, bar)
    except KeyboardInterrupt:
        say(f"Stopped. What was measured is in {out}; the same command goes on.")
        return INTERRUPTED
    for path in written:
        say(f"Wrote {path}.")
    return FINE


def _check(names: list[str] | None, *, quick: bool, full: bool) -> None:
    faults = Faults()
    if not names:
        hint = "Maybe all, or see --list."
        faults.add("missing-option", "experiment", ..., "none was named.", hint)
    if quick and full:
        faults.add("unused-option", "quick", ..., "and --full exclude each other.", "Take one.")
    faults.raise_if_any()


class _Bar:
    """How many lines are done, and above the bar what each of them gave."""

    def __init__(self) -> None:
        self._progress = RichProgress(
            TextColumn("{task.fields[now]}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=stderr,
            transient=True,
            refresh_per_second=2,
            disable=not stderr.is_terminal,
        )
        self._task = self._progress.add_task("", total=None, now="")

    def __call__(self, told: Progress) -> None:
        line, values = told.line, told.measured.values
        self._progress.update(
            self._task, completed=told.done, total=told.total, now=told.experiment
        )
        if told.fresh:
            shown = ", ".join(f"{name} {number(value, 4)}" for name, value in values.items())
            text = shown or told.measured.note
            say(f"[{told.done}/{told.total}] {told.experiment} {line.set} {line.method}: {text}")

    def __enter__(self) -> _Bar:
        self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.stop()
