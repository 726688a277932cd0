"""Problems from files that a browser sends."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from starlette.datastructures import FormData, UploadFile

from geopar.errors import Fault, Faults, InputError
from geopar.files.named import Reading
from geopar.problems import Problem
from geopar.service.limits import Limits

LONGEST_NAME = 80
OPTIONS = ("num_vehicles", "capacity", "speed")


async def uploaded(form: FormData) -> list[tuple[str, bytes]]:
    """The files of a form, each with a name that is safe to use."""
    return [
        (safe_name(part.filename or ""), await part.read())
        for part in form.getlist("files")
        if isinstance(part, UploadFile)
    ]


def safe_name(name: str) -> str:
    """The last part of a path, of harmless characters only: never a path."""
    last = PurePosixPath(PureWindowsPath(name).name).name
    clean = "".join(c if c.isascii() and (c.isalnum() or c in "-_. ") else "_" for c in last)
    clean = clean.strip(" .")
    return clean[-LONGEST_NAME:].lstrip(" .") or "file"


def problem_from_files(
    files: list[tuple[str, bytes]], options: dict[str, str], limits: Limits
) -> Problem:
    """Read a problem as ``geopar solve`` would from files of these names.

    Of several files the fleet is the one with ``vehicles`` in its name.

    Raises
    ------
    geopar.errors.InputError
        With every fault that the reader found.
    """
    faults = Faults()
    fleets = [name for name, _ in files if "vehicles" in name.lower()]
    stops = [name for name, _ in files if name not in fleets] or fleets
    if not files:
        faults.add(
            "no-file", "files", ..., "is missing: the form has no file.",
            "Send multipart/form-data with one or more parts named files.",
        )  # fmt: skip
    elif len(stops) > 1 or len(fleets) > 1 or len(files) > 2:
        faults.add(
            "too-many", "files", len(files), "are more than one problem.",
            "Send one file, or for CSV the stops and a file with `vehicles` in its name.",
        )  # fmt: skip
    whole = {name: _whole(faults, name, options[name]) for name in _WHOLE & options.keys()}
    for name in options.keys() - {*_WHOLE, *OPTIONS}:
        faults.add("unknown-field", name[:60], ..., "is no option here.")
    faults.raise_if_any()
    with tempfile.TemporaryDirectory(prefix="geopar-") as folder:
        for name, data in files:
            Path(folder, name).write_bytes(data)
        fleet = Path(folder, fleets[0]) if fleets and len(files) > 1 else None
        reading = Reading(
            fleet, whole.get("num_vehicles"), options.get("capacity"), options.get("speed")
        )
        path = str(Path(folder, stops[0]))
        index = whole.get("index")
        try:
            problem = reading.problem(path if index is None else f"{path}#{index}")
        except InputError as error:
            raise _without(folder, error) from None
    limits.check_problem(problem)
    return problem


def _without(folder: str, error: InputError) -> InputError:
    """The same faults, with names of files as the client knows them."""

    def clean(fault: Fault) -> Fault:
        texts: dict[str, Any] = {
            name: text.replace(f"{folder}{os.sep}", "").replace(folder, "the files sent")
            for name, text in fault.texts().items()
        }
        if fault.code == "no-such-file":
            texts["message"], texts["hint"] = "was not sent.", "Send it along with the other file."
        return Fault(**texts)

    return InputError([clean(fault) for fault in error.faults], error.left_out)


_WHOLE = {"index", "num_vehicles"}


def _whole(faults: Faults, name: str, text: str) -> Any:
    if text.isascii() and text.isdecimal() and len(text) <= 12:
        return int(text)
    faults.add("not-a-number", name, text, "must be a whole number.", "Maybe 1.")
    return None
