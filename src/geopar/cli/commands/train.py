"""``geopar train``: teach the network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from geopar.cli.outputs import print_json, say, stderr
from geopar.errors import Faults, MissingExtraError

if TYPE_CHECKING:
    from geopar.learn.configuration import TrainConfig
    from geopar.learn.run import Progress as Told

RUNS = Path("runs")


def train(
    problem: Annotated[str, typer.Argument(help="hcvrp or omdcpdp.", show_default=False)],
    model: Annotated[
        str,
        typer.Option(help="Whose network: geopar, or a peer such as am, 2d-ptr, dpn or parco."),
    ] = "geopar",
    imitate: Annotated[
        bool, typer.Option("--imitate", help="Learn from plans of the search; quicker than alone.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in the folder.")
    ] = False,
    minutes: Annotated[
        float | None, typer.Option(help="Stop after so long; --resume goes on later.")
    ] = None,
    cpu_minutes: Annotated[
        float | None,
        typer.Option(help="Stop when the run, resumed parts included, has used so much processor."),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change a setting; may be repeated."),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(help="Of the run; runs/PROBLEM-METHOD if left out.")
    ] = None,
    start: Annotated[
        str | None,
        typer.Option("--from", metavar="WEIGHTS", help="Begin with a run's, a file's or by name."),
    ] = None,
    labels: Annotated[Path, typer.Option(help="Where labelled instances are kept.")] = (
        RUNS / "labels"
    ),
    processes: Annotated[int, typer.Option(help="On this machine.")] = 1,
    nodes: Annotated[int, typer.Option(help="Machines.")] = 1,
    node: Annotated[int, typer.Option(help="Which of them this is; 0 is the main one.")] = 0,
    address: Annotated[str, typer.Option(help="Of the main machine.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Of the main machine.")] = 0,
    show_settings: Annotated[
        bool, typer.Option("--show-settings", help="Print all settings and stop.")
    ] = False,
) -> None:
    """Train the network of a problem, by imitation or by reinforcement.

    Weights, logs (CSV and TensorBoard) and checkpoints go to the run's folder.
    """
    _check(problem, set_, minutes, cpu_minutes)
    try:
        from geopar.learn.configuration import OURS, default_config
        from geopar.learn.crew import gather_crew
        from geopar.learn.opening import check_space, open_run, stored_config
    except ImportError as error:
        raise MissingExtraError("Training", "train") from error

    method: Any = "imitate" if imitate else "reinforce"
    folder = folder or RUNS / f"{problem}-{method if model == OURS else model}"
    changes = dict(text.split("=", 1) for text in set_ or [])
    config = stored_config(folder) if resume else None
    if config is None:
        config = default_config(problem, method, model)  # type: ignore[arg-type]
    elif model != OURS:
        changes["learner"] = model
    config = config.changed(changes)
    if show_settings:
        print_json(config.to_json())
        return
    check_space(folder)
    crew = gather_crew(processes, nodes, node, address, port)
    run = open_run(config, folder, labels, resume, start, crew)
    if crew.rank == 0:
        say(f"{'Resuming' if resume else 'Training'} in {folder}, update {run.step}.")
        for name, value in config.to_json().items():
            say(f"  {name} = {value}")
    with _Bar(config, quiet=crew.rank > 0) as bar:
        run.train(minutes, bar, cpu_minutes)
    if crew.rank == 0:
        say(f"At update {run.step} of {config.steps}; best weights and logs are in {folder}.")


def _check(
    problem: str, changes: list[str] | None, minutes: float | None, cpu_minutes: float | None
) -> None:
    faults = Faults()
    if problem not in ("hcvrp", "omdcpdp"):
        faults.add(
            "unknown-problem", "problem", problem, "is not known here.", "Maybe hcvrp or omdcpdp."
        )
    for text in changes or []:
        if "=" not in text:
            faults.add("bad-setting", "set", text, "has no value.", "Maybe learning_rate=3e-4.")
    for name, value in (("minutes", minutes), ("cpu-minutes", cpu_minutes)):
        if value is not None and not value > 0.0:
            faults.add("out-of-range", name, value, "must be more than zero.")
    faults.raise_if_any()


class _Bar:
    """Updates, rollouts per second and the last validation; lines where there is no terminal."""

    def __init__(self, config: TrainConfig, quiet: bool) -> None:
        self._quiet = quiet
        self._progress = Progress(
            TextColumn(f"{config.problem} {config.learner} {config.method}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[values]}"),
            console=stderr,
            transient=True,
            refresh_per_second=2,
            disable=quiet or not stderr.is_terminal,
        )
        self._task = self._progress.add_task("", total=config.steps, values="")

    def __call__(self, told: Told) -> None:
        if self._quiet:
            return
        if told.validation is not None:
            found = "  ".join(
                f"{name}: {v.objective:.4g} in {v.steps:.0f}" for name, v in told.validation.items()
            )
            say(f"update {told.step}, {told.seconds:.0f} s, validation  {found}")
            return
        values = "  ".join(f"{name} {value:.4g}" for name, value in told.values.items())
        self._progress.update(
            self._task, completed=told.step, values=f"{told.rate:.0f}/s  {values}"
        )

    def __enter__(self) -> _Bar:
        self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.stop()
