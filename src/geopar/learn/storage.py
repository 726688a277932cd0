"""What a run keeps on disk, so that a kill at any moment leaves something whole."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

import torch

from geopar.errors import Faults


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file at once: readers see the old content or the new, also after a power cut."""
    partial = path.with_name(path.name + ".tmp")
    try:
        with open(partial, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        # A full disk does not say by itself which file it was.
        raise OSError(error.errno, error.strerror, str(path)) from error


def write_json(path: Path, value: Any) -> None:
    """Write JSON for people."""
    write_whole(path, (json.dumps(value, indent=1) + "\n").encode())


def read_json(path: Path) -> Any:
    """The inverse of :func:`write_json`."""
    return json.loads(path.read_text())


def write_tensors(path: Path, value: Any) -> None:
    """Write nested tensors and plain values."""
    buffer = io.BytesIO()
    torch.save(value, buffer)
    write_whole(path, buffer.getvalue())


def read_tensors(path: Path) -> Any:
    """The inverse of :func:`write_tensors`; nothing in the file is executed."""
    return torch.load(path, map_location="cpu", weights_only=True)


def read_checkpoint(path: Path) -> Any:
    """The tensors of a checkpoint.

    Raises
    ------
    geopar.errors.InputError
        When there is none, or it is damaged.
    """
    faults, stored = Faults(), None
    try:
        stored = read_tensors(path)
    except FileNotFoundError:
        faults.add("no-checkpoint", "folder", str(path), "is not there.", "Maybe another folder.")
    # A damaged file fails in many ways, deep inside of what reads it.
    except Exception as error:
        message = f"cannot be read: {type(error).__name__}."
        faults.add("bad-checkpoint", "folder", str(path), message, "Start the run anew.")
    faults.raise_if_any()
    return stored


class Table:
    """A CSV file that grows row by row; resuming cuts what was written after the checkpoint."""

    def __init__(self, path: Path, columns: list[str], last_step: int) -> None:
        self._path, self._columns = path, columns
        rows: list[dict[str, str]] = []
        if path.exists():
            with open(path, newline="") as file:
                rows = list(csv.DictReader(file))
        # A kill may have cut the last line.
        whole = [row for row in rows if None not in row.values() and row["step"].isdecimal()]
        text = io.StringIO()
        writer = csv.DictWriter(text, columns, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(row for row in whole if int(row["step"]) <= last_step)
        write_whole(path, text.getvalue().encode())

    def add(self, row: dict[str, Any]) -> None:
        """One more row."""
        with open(self._path, "a", newline="") as file:
            csv.DictWriter(file, self._columns, lineterminator="\n").writerow(row)
