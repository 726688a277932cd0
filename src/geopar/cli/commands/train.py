"""``geopar train``: teach a network."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from geopar.cli.groups import OptionGroup
from geopar.cli.outputs import print_json, say, stderr
from geopar.cli.spreading import Bar
from geopar.errors import Faults, MissingExtraError, refuse
from geopar.problems.kinds import KINDS
from geopar.spread import open_executor

if TYPE_CHECKING:
    from geopar.learn.config import TrainConfig
    from geopar.learn.distributed import Processes
    from geopar.learn.run import Progress as Told

RUNS = Path("runs")


@dataclass(frozen=True, slots=True)
class PlaceOptions(OptionGroup):
    """Where a network is trained: device, processes and machines."""

    device: Annotated[str, typer.Option(help="Where the network is, such as cpu or cuda.")] = "cpu"
    processes: Annotated[int, typer.Option(help="On this machine.")] = 1
    nodes: Annotated[int, typer.Option(help="Machines.")] = 1
    node: Annotated[int, typer.Option(help="Which of them this is; 0 is the main one.")] = 0
    address: Annotated[str, typer.Option(help="Of the main machine.")] = "127.0.0.1"
    port: Annotated[int, typer.Option(help="Of the main machine.")] = 0

    def start(self) -> Processes:
        """Those that train together."""
        from geopar.learn.distributed import start_processes

        return start_processes(self.processes, self.nodes, self.node, self.address, self.port)


def train(
    problem: Annotated[
        str | None,
        typer.Argument(help="hcvrp or omdcpdp; not with a recipe.", show_default=False),
    ] = None,
    *,
    recipe: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="All stages to weights such as hcvrp-geopar."),
    ] = None,
    stage: Annotated[
        str | None, typer.Option(help="Of the recipe, to begin with; needs --from.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(help="Whose network: geopar (the paper's), pointer (ours) or a peer's."),
    ] = None,
    imitate: Annotated[
        bool | None,
        typer.Option("--imitate/--reinforce", help="Learn from plans of the search, or alone."),
    ] = None,
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
        Path | None, typer.Option(help="Of the run; one under runs/ if left out.")
    ] = None,
    start: Annotated[
        str | None,
        typer.Option("--from", metavar="WEIGHTS", help="Begin with a run's, a file's or by name."),
    ] = None,
    labels: Annotated[Path, typer.Option(help="Where labelled instances are kept.")] = (
        RUNS / "labels"
    ),
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="WHERE",
            help="Make all labels first: serial, processes:4, or a Ray cluster: auto or HOST:PORT.",
        ),
    ] = None,
    place: PlaceOptions,
    show_settings: Annotated[
        bool, typer.Option("--show-settings", help="Print all settings and stop.")
    ] = False,
) -> None:
    """Train the network of a problem, by imitation or by reinforcement, or by a recipe.

    Weights, logs (CSV and TensorBoard) and checkpoints go to the run's folder.
    """
    _check(problem, recipe, stage, start, set_, minutes, cpu_minutes)
    _check_installed(place.device)
    if recipe is not None:
        if cluster is not None and not show_settings:
            from geopar.learn.recipe import find_recipe

            _make_labels([one.config for one in find_recipe(recipe).stages], labels, cluster)
        _train_recipe(recipe, folder, labels, show_settings, stage, start, minutes, place)
        return
    assert problem is not None
    folder = folder or RUNS / _folder_name(problem, model, imitate)
    config = _config(problem, model, imitate, folder, resume, set_ or [])
    if show_settings:
        print_json(config.to_json())
        return
    if cluster is not None:
        _make_labels([config], labels, cluster)
    _train_one(config, folder, labels, resume, start, minutes, cpu_minutes, place)


def _check_installed(device: str) -> None:
    """Training needs an extra, and the device must be there."""
    try:
        import torch
        import torch.utils.tensorboard
    except ModuleNotFoundError as error:
        raise MissingExtraError("Training", "train") from error
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError):
        refuse("bad-device", "device", device, "is not there.", "Maybe cpu.")


def _make_labels(configs: list[TrainConfig], folder: Path, cluster: str) -> None:
    """What runs will need, before they begin."""
    from geopar.learn.labels import labels_of, make_shards, missing_shards

    missing = {
        labels.path(number): (labels, number)
        for config in configs
        for labels, number in missing_shards(labels_of(config, folder), config.label_shards)
    }
    with open_executor(cluster) as executor, Bar(len(missing), executor, "labels") as bar:
        for _ in make_shards(list(missing.values()), executor):
            bar.count()
    say(f"Made {len(missing):,} shards of labels in {folder}.")


def _train_one(
    config: TrainConfig,
    folder: Path,
    labels: Path,
    resume: bool,
    start: str | None,
    minutes: float | None,
    cpu_minutes: float | None,
    place: PlaceOptions,
) -> None:
    """One run by its own settings."""
    import torch

    from geopar.learn.open_run import check_space, open_run

    check_space(folder)
    team = place.start()
    torch.set_num_threads(config.threads)
    run = open_run(
        config, folder, labels, resume=resume, start=start, processes=team, device=place.device
    )
    if team.rank == 0:
        say(f"{'Resuming' if resume else 'Training'} in {folder}, update {run.step}.")
        for name, value in config.to_json().items():
            say(f"  {name} = {value}")
    with _Bar(config, "", quiet=team.rank > 0) as bar:
        run.train(minutes, bar, cpu_minutes)
    if team.rank == 0:
        say(f"At update {run.step} of {config.steps}; best weights and logs are in {folder}.")


def _folder_name(problem: str, model: str | None, imitate: bool | None) -> str:
    return f"{problem}-{model or 'geopar'}" + ("-imitate" if imitate else "")


def _config(
    problem: str,
    model: str | None,
    imitate: bool | None,
    folder: Path,
    resume: bool,
    changes: list[str],
) -> TrainConfig:
    """The settings of a new run, or of the one that is resumed."""
    from geopar.learn.config import GEOPAR, default_config
    from geopar.learn.open_run import stored_config

    named = {"problem": problem, "learner": model}
    if imitate is not None:
        named["method"] = "imitate" if imitate else "reinforce"
    stored, faults = stored_config(folder) if resume else None, Faults()
    if stored is None:
        method: Any = named.get("method") or "reinforce"
        config = default_config(problem, method, model or GEOPAR)  # type: ignore[arg-type]
    else:
        config = stored
        for name, value in named.items():
            if value is not None and value != getattr(stored, name):
                message = f"is not that of the run in {folder}: {getattr(stored, name)}."
                faults.add("other-run", name, value, message, "Maybe another --folder.")
        faults.raise_if_any()
    return config.changed(dict(text.split("=", 1) for text in changes))


def _train_recipe(
    name: str,
    folder: Path | None,
    labels: Path,
    show_settings: bool,
    stage: str | None,
    start: str | None,
    minutes: float | None,
    place: PlaceOptions,
) -> None:
    """All stages of a recipe."""
    import torch

    from geopar.learn.open_run import check_space
    from geopar.learn.recipe import find_recipe, train_recipe

    recipe = find_recipe(name)
    if show_settings:
        print_json({one.name: one.config.to_json() for one in recipe.stages})
        return
    folder = folder or RUNS / recipe.name
    check_space(folder)
    team = place.start()
    bars: list[_Bar] = []

    def tell(one: Any, run: Any) -> _Bar:
        torch.set_num_threads(one.config.threads)
        if team.rank == 0:
            say(f"Stage {one.name} in {run.folder}, update {run.step} of {one.config.steps}.")
        for bar in bars:
            bar.__exit__()
        bars.append(_Bar(one.config, one.name, quiet=team.rank > 0).__enter__())
        return bars[-1]

    try:
        weights = train_recipe(
            recipe, folder, labels,
            first=stage, start=start, minutes=minutes, processes=team, device=place.device,
            tell=tell,
        )  # fmt: skip
    finally:
        for bar in bars:
            bar.__exit__()
    if team.rank == 0:
        again = "not yet at the end; the same command goes on."
        say(f"{recipe.name}: {again if weights is None else f'the weights are {weights}.'}")


def _check(
    problem: str | None,
    recipe: str | None,
    stage: str | None,
    start: str | None,
    changes: list[str] | None,
    minutes: float | None,
    cpu_minutes: float | None,
) -> None:
    faults = Faults()
    if recipe is None and problem not in KINDS:
        hint = f"Maybe {' or '.join(KINDS)}."
        given = ... if problem is None else problem
        faults.add("unknown-problem", "problem", given, "is not known here.", hint)
    if recipe is not None and problem is not None:
        message = "has no meaning with a recipe, which names its own."
        faults.add("unused-option", "problem", problem, message, "Remove it.")
    if stage is not None and (recipe is None or start is None):
        faults.add("missing-setting", "stage", stage, "needs --recipe and --from.")
    for text in changes or []:
        if "=" not in text:
            faults.add("bad-setting", "set", text, "has no value.", "Maybe learning_rate=3e-4.")
        elif recipe is not None:
            faults.add("unused-option", "set", text, "is not for recipes.", "Copy the recipe.")
    for name, value in (("minutes", minutes), ("cpu-minutes", cpu_minutes)):
        if value is not None and not value > 0.0:
            faults.add("out-of-range", name, value, "must be more than zero.")
    faults.raise_if_any()


class _Bar:
    """Updates, rollouts per second and the last validation; lines where there is no terminal."""

    def __init__(self, config: TrainConfig, stage: str, quiet: bool) -> None:
        self._quiet = quiet
        self._progress = Progress(
            TextColumn(f"{config.problem} {config.learner} {stage or config.method}"),
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
