"""Runs experiments: measures what is missing, line by line, and writes what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from geopar.errors import InputError, MissingExtraError
from geopar.files.storage import write_files
from geopar.problems.setting import Setting
from geopar.reproduce.experiment import Context, Entry, Experiment, Line
from geopar.reproduce.measuring import TOO_LONG
from geopar.reproduce.report import comma_separated, latex, markdown
from geopar.reproduce.store import Key, Measured, Store

# Faults of the machine, not of what is measured: they end the run.
FATAL = ("cannot-write", "no-permission", "no-such-folder", "is-a-directory")


@dataclass(frozen=True)
class Progress:
    """How far a run is: a line of an experiment, measured now, before, or not at all."""

    experiment: str
    line: Line
    done: int
    total: int
    measured: Measured
    fresh: bool


Tell = Callable[[Progress], None]


def reproduce(
    experiments: Sequence[Experiment], folder: Path, context: Context, tell: Tell
) -> list[Path]:
    """Run experiments; the files that were written.

    What was measured in the folder before, at the same scale and with the same weights, is not
    measured again. When the user stops it, the tables of what there is are written.

    Parameters
    ----------
    experiments
        Which.
    folder
        Where measurements, tables and pictures go.
    context
        How they are run.
    tell
        Called for every line.

    Raises
    ------
    geopar.errors.InputError
        For weights that do not fit, a folder that cannot be written or one that is damaged; what
        was measured until then is kept.
    """
    store = Store(folder)
    planned = [(experiment, experiment.lines(context)) for experiment in experiments]
    total, done, written = sum(len(lines) for _, lines in planned), 0, []
    try:
        for experiment, lines in planned:
            found: list[Measured] = []
            for line in lines:
                measured, fresh = _measured(line, context, store)
                found.append(measured)
                done += 1
                if fresh:
                    text = comma_separated(experiment, _entries(experiment, lines, found))
                    write_files({folder / f"{experiment.name}.csv": text.encode()})
                tell(Progress(experiment.name, line, done, total, measured, fresh))
            written += _write(experiment, _entries(experiment, lines, found), folder, context)
    except KeyboardInterrupt:
        for experiment, lines in planned:
            found = [_known(line, context, store) for line in lines]
            _write(experiment, _entries(experiment, lines, found), folder, context)
        raise
    return written


def _known(line: Line, context: Context, store: Store) -> Measured:
    """What was measured for a line in a run that was stopped."""
    key = line.key(context)
    if key is None:
        return Measured()
    return store.get(key) or Measured(note="not measured: the run was stopped before")


def _measured(line: Line, context: Context, store: Store) -> tuple[Measured, bool]:
    """What a line's measurement says, and whether it was made just now."""
    key = line.key(context)
    if key is None or line.subject is None:
        return Measured(), False
    known = store.get(key)
    if known is not None:
        return known, False
    if (hopeless := _was_too_long(key, store)) is not None:
        return Measured(note=hopeless), False
    try:
        measured = line.subject.measure(line.set, context)
    except MissingExtraError as error:
        return Measured(note=f"not measured: {error}"), False
    except InputError as error:
        if error.faults[0].code in FATAL:
            raise
        return Measured(note=f"not measured: {error}"), False
    store.add(key, measured)
    return measured, True


def _was_too_long(key: Key, store: Store) -> str | None:
    """Why a subject that took too long on a smaller set is not tried on this one."""
    setting = Setting.parse(key.set)
    for other, measured in store.items():
        same = other._replace(set=key.set) == key
        if same and measured.note.startswith(TOO_LONG):
            smaller = Setting.parse(other.set)
            if (
                smaller.kind == setting.kind
                and smaller.num_tasks <= setting.num_tasks
                and (smaller.num_vehicles <= setting.num_vehicles)
            ):
                return f"not tried, because {other.set} took {measured.note}"
    return None


def _entries(experiment: Experiment, lines: list[Line], measured: list[Measured]) -> list[Entry]:
    published = experiment.published()
    entries = [
        Entry(line, one, published.get((line.set, line.method), {}))
        for line, one in zip(lines, measured, strict=False)
    ]
    return experiment.derive(entries)


def _write(
    experiment: Experiment, entries: list[Entry], folder: Path, context: Context
) -> list[Path]:
    """Tables and picture; the picture is left out where nothing can draw it."""
    from geopar.reproduce.pictures import png

    clock = "processor seconds" if context.threads == 1 else "seconds"
    how = (
        f"Ours at scale {context.scale.name}, seed {context.seed}, {context.threads} thread(s) of a"
        f" CPU, times in {clock}; published times are a GPU's. Ratios are ours over published, for"
        " objectives of HCVRP both over the mean lower bound of the instances that they were"
        " measured on."
    )
    files = {
        folder / f"{experiment.name}.csv": comma_separated(experiment, entries).encode(),
        folder / f"{experiment.name}.md": markdown(experiment, entries, how).encode(),
        folder / f"{experiment.name}.tex": latex(experiment, entries).encode(),
    }
    try:
        title = f"{experiment.title} ({experiment.source})"
        files[folder / f"{experiment.name}.png"] = png(experiment.draw, entries, title)
    except MissingExtraError:
        pass
    write_files(files)
    return list(files)
