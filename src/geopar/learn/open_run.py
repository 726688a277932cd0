"""Beginning a run or going on with one, so that nothing is overwritten or mixed up."""

from __future__ import annotations

import shutil
from pathlib import Path

from geopar.errors import refuse
from geopar.learn.checkpoint import read_json, write_json
from geopar.learn.config import TrainConfig
from geopar.learn.distributed import Processes
from geopar.learn.run import CHECKPOINT, Run

CONFIG = "config.json"
LEAST_SPACE = 200_000_000


def open_run(
    config: TrainConfig,
    folder: Path,
    labels: Path,
    *,
    resume: bool = False,
    start: str | None = None,
    processes: Processes | None = None,
    device: str = "cpu",
    recipe: str = "",
) -> Run:
    """A new run in an empty folder, or the one that is there.

    Parameters
    ----------
    config, folder, labels, processes, device, recipe
        As for :class:`geopar.learn.run.Run`.
    resume
        Go on with the run that is there.
    start
        Weights to begin with.

    Raises
    ------
    geopar.errors.InputError
        When a run would be overwritten, there is none to resume, or it has other settings.
    """
    if resume:
        _check_resumed(config, folder)
    elif (folder / CHECKPOINT).exists() and (processes is None or processes.rank == 0):
        hint = "Maybe --resume, or another folder."
        refuse("run-exists", "folder", str(folder), "already holds a run.", hint)
    run = Run(config, folder, labels, processes, device, recipe)
    if resume:
        run.load()
        return run
    if start is not None:
        run.start_from(start)
    if run.processes.rank == 0:
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / CONFIG, config.to_json())
        run.save()
    return run


def _check_resumed(config: TrainConfig, folder: Path) -> None:
    if not ((folder / CONFIG).exists() and (folder / CHECKPOINT).exists()):
        hint = "Maybe another folder, or start without --resume."
        refuse("no-checkpoint", "resume", str(folder), "holds no checkpoint.", hint)
    stored, mine = TrainConfig.from_json(read_json(folder / CONFIG)).to_json(), config.to_json()
    different = [name for name in mine if stored[name] != mine[name]]
    if different:
        message = f"holds a run with other settings: {', '.join(different)}."
        hint = "Maybe another folder, or the settings of its config.json."
        refuse("other-run", "folder", str(folder), message, hint)


def stored_config(folder: Path) -> TrainConfig | None:
    """The settings of the run in a folder, if there is one."""
    path = folder / CONFIG
    return TrainConfig.from_json(read_json(path)) if path.exists() else None


def check_space(folder: Path) -> None:
    """Find out before an hour is lost that there is no room for what a run writes."""
    place = folder.absolute()
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free
    if free < LEAST_SPACE:
        message = f"has {free / 1e6:.0f} MB left; a run needs {LEAST_SPACE / 1e6:.0f} MB."
        refuse("full-disk", "folder", str(folder), message, "Maybe another --folder.")
