"""Beginning a run or going on with one, so that nothing is overwritten or mixed up."""

from __future__ import annotations

import shutil
from pathlib import Path

from geopar.errors import Faults
from geopar.learn.configuration import TrainConfig
from geopar.learn.crew import Crew
from geopar.learn.run import CHECKPOINT, Run
from geopar.learn.storage import read_json, write_json

CONFIG = "config.json"
LEAST_SPACE = 200_000_000


def open_run(
    config: TrainConfig,
    folder: Path,
    labels: Path,
    resume: bool = False,
    start: str | None = None,
    crew: Crew | None = None,
) -> Run:
    """A new run in an empty folder, or the one that is there.

    Raises
    ------
    geopar.errors.InputError
        When a run would be overwritten, there is none to resume, or it has other settings.
    """
    if resume:
        return _resumed(config, folder, labels, crew)
    faults = Faults()
    if (folder / CONFIG).exists() and (crew is None or crew.rank == 0):
        faults.add(
            "run-exists", "folder", str(folder), "already holds a run.",
            "Maybe --resume, or another folder.",
        )  # fmt: skip
        faults.raise_now()
    run = Run(config, folder, labels, crew)
    if start is not None:
        run.start_from(start)
    if run.crew.rank == 0:
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / CONFIG, config.to_json())
        run.save()
    return run


def _resumed(config: TrainConfig, folder: Path, labels: Path, crew: Crew | None) -> Run:
    faults = Faults()
    if not ((folder / CONFIG).exists() and (folder / CHECKPOINT).exists()):
        faults.add(
            "no-checkpoint", "resume", str(folder), "holds no checkpoint.",
            "Maybe another folder, or start without --resume.",
        )  # fmt: skip
        faults.raise_now()
    # Settings that are newer than the run have the values that they mean without saying it.
    stored = TrainConfig.from_json(read_json(folder / CONFIG)).to_json()
    mine = config.to_json()
    different = [name for name in mine if stored[name] != mine[name]]
    if different:
        faults.add(
            "other-run", "folder", str(folder),
            f"holds a run with other settings: {', '.join(different)}.",
            "Maybe another folder, or the settings of its config.json.",
        )  # fmt: skip
        faults.raise_now()
    run = Run(config, folder, labels, crew)
    run.load()
    return run


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
        faults = Faults()
        faults.add(
            "full-disk", "folder", str(folder),
            f"has {free / 1e6:.0f} MB left; a run needs {LEAST_SPACE / 1e6:.0f} MB.",
            "Maybe another --folder.",
        )  # fmt: skip
        faults.raise_now()
