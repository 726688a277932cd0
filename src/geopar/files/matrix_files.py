"""Matrices in files of their own: CSV of nothing but numbers, or npz."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from geopar.errors import Faults
from geopar.files.npz_archive import NpzArchive
from geopar.files.storage import StrPath, decode, label, read_bytes
from geopar.files.wording import shown
from geopar.problems.validation import Floats

ONLY_PROFILE = "car"
_PARTS = ("durations", "distances")


def read_matrices(path: StrPath) -> dict[str, dict[str, Any]]:
    """Tables by profile, as the field ``matrices`` of JSON has them.

    CSV holds the durations of the only profile. An npz file holds ``durations`` and, if wanted,
    ``distances``; or ``durations_car`` and ``distances_car`` for each profile.

    Raises
    ------
    geopar.errors.InputError
        When it cannot be read.
    """
    here, data, faults = Path(path), read_bytes(path), Faults()
    name = label(here.name)
    if data.startswith(b"PK\x03\x04"):
        return _from_npz(faults, data, name)
    return {ONLY_PROFILE: {"durations": _from_csv(faults, data, name)}}


def _from_npz(faults: Faults, data: bytes, name: str) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    with NpzArchive(faults, data, name) as archive:
        headers = archive.headers()
        archive.check_size(headers)
        for member in archive.members:
            part, _, profile = member.partition("_")
            if part not in _PARTS:
                hint = "Call them durations and distances, or durations_car and so on."
                faults.add("unknown-field", f"{name} member", shown(member), "is no matrix.", hint)
                continue
            table = archive.array(member)
            if table.ndim == 3 and len(table) == 1:  # as a batch of one problem has it
                table = table[0]
            found.setdefault(profile or ONLY_PROFILE, {})[part] = table
    faults.raise_if_any()
    return found


def _from_csv(faults: Faults, data: bytes, name: str) -> Floats:
    lines = [line for line in decode(data, name).splitlines() if line.strip()]
    # Decimal commas are only beside semicolons.
    delimiter = next((mark for mark in ";\t, " if mark in lines[0]), ",") if lines else ","
    table = np.zeros((len(lines), len(lines)))
    for row, line in enumerate(lines):
        cells = line.split() if delimiter == " " else line.split(delimiter)
        if len(cells) != len(lines):
            what = f"numbers, but there are {len(lines)} rows."
            hint = "Write a square of numbers, without names."
            faults.add("wrong-length", f"{name} line {row + 1}", len(cells), what, hint)
            continue
        if delimiter == ";":
            cells = [cell.replace(",", ".") for cell in cells]
        try:
            table[row] = [float(cell) if cell.strip() else np.nan for cell in cells]
        except ValueError:
            what = "has something else than numbers."
            faults.add("not-a-number", f"{name} line {row + 1}", shown(line), what, "Remove it.")
    faults.raise_if_any()
    return table
