"""What was measured, in one file, line by line as it comes: a run that is cut off loses nothing."""

from __future__ import annotations

import csv
import io
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, NoReturn

from geopar.errors import Faults, refuse
from geopar.files.storage import label

FILE = "measured.csv"
MEASURES = (
    "instances", "objective", "error", "bound", "steps", "seconds", "amortised", "recall",
    "build_seconds",
)  # fmt: skip


class Key(NamedTuple):
    """What makes a measurement the same as another.

    ``weights`` is the beginning of the hash of the file of weights, where there is one: with other
    weights it is another measurement.
    """

    scale: str
    seed: int
    threads: int
    set: str
    subject: str
    weights: str


COLUMNS = (*Key._fields, *MEASURES, "note")


@dataclass(frozen=True)
class Measured:
    """Numbers by measure; ``note`` says what happened where there are none, or what is special."""

    values: dict[str, float] = field(default_factory=dict)
    note: str = ""


class Store:
    """The measurements in a folder.

    Parameters
    ----------
    folder
        Where; made when it is missing.

    Raises
    ------
    geopar.errors.InputError
        When it cannot be written, or its file is damaged. Only a last line that was not written to
        its end is dropped: ``dropped`` says so.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self.dropped = False
        try:
            folder.mkdir(parents=True, exist_ok=True)
            data = self.path.read_bytes() if self.path.exists() else b""
        except OSError as error:
            _refuse(folder, error)
        whole = data[: data.rfind(b"\n") + 1]
        self.dropped = len(whole) < len(data)
        self._known = _read(self.path, whole) if whole else {}
        try:
            with self.path.open("ab") as file:
                file.truncate(len(whole))
                if not whole:
                    file.write(_line(COLUMNS))
        except OSError as error:
            _refuse(self.path, error)

    def get(self, key: Key) -> Measured | None:
        """What was measured, if it was."""
        return self._known.get(key)

    def items(self) -> list[tuple[Key, Measured]]:
        """All that was measured."""
        return list(self._known.items())

    def add(self, key: Key, measured: Measured) -> None:
        """Keep a measurement, on the disk before this returns.

        Raises
        ------
        geopar.errors.InputError
            When there is no room; what was measured before is kept.
        """
        numbers = [repr(measured.values[m]) if m in measured.values else "" for m in MEASURES]
        line = _line((*map(str, key), *numbers, measured.note))
        size = 0
        try:
            with self.path.open("ab") as file:
                size = file.tell()
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            if size and self.path.exists():
                os.truncate(self.path, size)
            _refuse(self.path, error)
        self._known[key] = measured


def _line(cells: tuple[str, ...]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue().encode()


def _read(path: Path, data: bytes) -> dict[Key, Measured]:
    """The lines of a file; later ones count.

    Raises
    ------
    geopar.errors.InputError
        When it is none of ours.
    """
    faults, found = Faults(), {}
    hint = "Mend the line, or take another folder with --out."
    try:
        rows = list(csv.reader(io.StringIO(data.decode("utf-8")), strict=True))
    except (UnicodeDecodeError, csv.Error):
        rows = []
    if not rows or tuple(rows[0]) != COLUMNS:
        refuse("damaged-results", label(path), ..., "is no file of measurements.", hint)
    for number, row in enumerate(rows[1:], 2):
        try:
            key, values, note = _parsed(row)
        except ValueError:
            message = "is no measurement."
            faults.add("damaged-results", f"{label(path)} line {number}", row, message, hint)
            continue
        found[key] = Measured(values, note)
    faults.raise_if_any()
    return found


def _parsed(row: list[str]) -> tuple[Key, dict[str, float], str]:
    if len(row) != len(COLUMNS):
        raise ValueError
    scale, seed, threads, *names = row[: len(Key._fields)]
    numbers = row[len(Key._fields) : -1]
    values = {name: float(text) for name, text in zip(MEASURES, numbers, strict=True) if text}
    return Key(scale, int(seed), int(threads), *names), values, row[-1]


def _refuse(path: Path, error: OSError) -> NoReturn:
    why = error.strerror or str(error)
    hint = "Check the folder and the space on the disk; what was measured before is kept."
    refuse("cannot-write", label(path), ..., f"cannot be written: {why}.", hint)
