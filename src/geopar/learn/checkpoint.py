"""What a run keeps on disk, so that a kill at any moment leaves something whole."""

from __future__ import annotations

import csv
import io
import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from geopar.errors import refuse
from geopar.files.storage import read_bytes, write_files

_log = logging.getLogger(__name__)

# A network of ours has some megabytes; an optimiser twice that.
MOST_CHECKPOINT_BYTES = 4_000_000_000
MOST_CONFIG_BYTES = 1_000_000
PARTS = ("network", "optimiser", "learner", "count")


def write_json(path: Path, value: Any) -> None:
    """Write JSON for people."""
    write_files({path: (json.dumps(value, indent=1) + "\n").encode()})


def read_json(path: Path) -> Any:
    """The inverse of :func:`write_json`."""
    data = read_bytes(path, MOST_CONFIG_BYTES)
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        hint = "Maybe another folder, or begin the run anew."
        refuse("damaged-run", path.name, ..., f"of {path.parent} is no JSON.", hint)


def write_tensors(path: Path, value: Any) -> None:
    """Write nested tensors and plain values."""
    buffer = io.BytesIO()
    torch.save(value, buffer)
    write_files({path: buffer.getvalue()})


def read_tensors(path: Path) -> Any:
    """The inverse of :func:`write_tensors`; nothing in the file is executed."""
    return torch.load(path, map_location="cpu", weights_only=True)


def read_checkpoint(path: Path, shapes: Mapping[str, torch.Size]) -> dict[str, Any]:
    """A checkpoint of a network with tensors of these shapes.

    Raises
    ------
    geopar.errors.InputError
        When there is none, or it is damaged or of another network.
    """
    anew = f"Maybe begin a new run with --from {path.parent}, whose best weights may be whole."
    try:
        if path.stat().st_size > MOST_CHECKPOINT_BYTES:
            raise ValueError("too large")
        stored = read_tensors(path)
    except FileNotFoundError:
        refuse("no-checkpoint", "folder", str(path), "is not there.", "Maybe another folder.")
    # A damaged file fails in many ways, deep inside of what reads it.
    except Exception as error:
        message = f"cannot be read: {type(error).__name__}."
        refuse("bad-checkpoint", "folder", str(path), message, anew)
    if not isinstance(stored, dict) or not all(isinstance(stored.get(p), dict) for p in PARTS):
        message = f"must hold {', '.join(PARTS)}."
        refuse("bad-checkpoint", "folder", str(path), message, anew)
    found = {name: getattr(tensor, "shape", None) for name, tensor in stored["network"].items()}
    if found != dict(shapes):
        message = "was begun with another network."
        refuse("wrong-version", "resume", str(path.parent), message, anew)
    if not all(bool(torch.isfinite(tensor).all()) for tensor in stored["network"].values()):
        message = "holds weights that are not finite."
        refuse("bad-checkpoint", "folder", str(path), message, anew)
    return stored


class Table:
    """A CSV file that grows row by row; resuming cuts what was written after the checkpoint.

    No run depends on it, so a damaged one does not stop a run: what is whole goes on, and the
    damaged file is kept beside it.
    """

    def __init__(self, path: Path, columns: list[str], last_step: int) -> None:
        self._path, self._columns = path, columns
        data = path.read_bytes() if path.exists() else b""
        whole, is_damaged = _whole_rows(data)
        if is_damaged:
            kept = path.with_suffix(f".damaged{path.suffix}")
            write_files({kept: data})
            _log.warning("%s is damaged: what is whole goes on, the file is kept as %s", path, kept)
        text = io.StringIO()
        writer = csv.DictWriter(text, columns, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(row for row in whole if int(row["step"]) <= last_step)
        write_files({path: text.getvalue().encode()})

    def add(self, row: dict[str, Any]) -> None:
        """One more row."""
        with open(self._path, "a", newline="", encoding="utf-8") as file:
            csv.DictWriter(file, self._columns, lineterminator="\n").writerow(row)


def _whole_rows(data: bytes) -> tuple[list[dict[str, str]], bool]:
    """The rows that can be read, and whether more is wrong than a last line that a kill has cut."""
    reader = csv.DictReader(io.StringIO(data.decode("utf-8", "replace"), newline=""))
    whole, lost, is_damaged = [], 0, False
    try:
        for row in reader:
            if None not in row.values() and _is_step(row.get("step")):
                whole.append(row)
            else:
                lost += 1
        is_damaged = bool(data) and "step" not in (reader.fieldnames or ())
    except csv.Error:
        is_damaged = True
    return whole, is_damaged or lost > (0 if data.endswith(b"\n") else 1)


def _is_step(text: str | None) -> bool:
    return text is not None and text.isdecimal()
