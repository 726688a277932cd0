"""Bytes in and out of files: limits before reading, nothing half-written."""

from __future__ import annotations

import codecs
import os
import secrets
import stat
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path

from geopar.errors import Faults, refuse
from geopar.files.wording import printable

# A task takes about 100 bytes of JSON, a pair of places in a matrix 10; this leaves room for a
# million tasks, or for a matrix of 5,000 places with distances.
MOST_BYTES = 512_000_000

LONGEST_PATH = 300

StrPath = str | os.PathLike[str]


def read_bytes(path: StrPath, most: int = MOST_BYTES) -> bytes:
    """The content of a file.

    Raises
    ------
    geopar.errors.InputError
        When it cannot be read, is empty, or is larger than ``most`` bytes.
    """
    faults, name = Faults(), label(path)
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            # A pipe or device tells no size, so at most one byte too many is read.
            data = b"" if size > most else file.read((size or most) + 1)
    except (OSError, ValueError) as error:
        _add_reading_fault(faults, Path(path), error)
        faults.raise_now()
    size = max(size, len(data))
    if size > most:
        faults.add(
            "too-large", name, size, f"bytes are more than the limit of {most:,}.",
            "Split it up; the largest problem has a million tasks.",
        )  # fmt: skip
    elif not data.strip():
        faults.add("empty-file", name, ..., "is empty.", "Maybe it was not written to the end.")
    faults.raise_if_any()
    return data


def check_readable(path: StrPath) -> None:
    """Find out before a long run that a file is not there, or closed.

    Raises
    ------
    geopar.errors.InputError
        When it cannot be opened.
    """
    try:
        open(path, "rb").close()
    except (OSError, ValueError) as error:
        faults = Faults()
        _add_reading_fault(faults, Path(path), error)
        faults.raise_now()


def label(path: StrPath) -> str:
    """A path as messages show it."""
    return printable(os.fspath(path), LONGEST_PATH)


def _add_reading_fault(faults: Faults, path: Path, error: OSError | ValueError) -> None:
    name = label(path)
    if isinstance(error, FileNotFoundError):
        faults.add("no-such-file", name, ..., "does not exist.", _neighbour(path))
    elif isinstance(error, IsADirectoryError):
        faults.add("is-a-directory", name, ..., "is a folder.", "Name a file in it.")
    elif isinstance(error, PermissionError):
        faults.add("no-permission", name, ..., "may not be read.", "Check who owns it.")
    else:
        faults.add("cannot-read", name, ..., f"cannot be read: {_why(error)}.", "Check the path.")


def _why(error: OSError | ValueError) -> str:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return printable(reason)


def _neighbour(path: Path) -> str:
    try:
        near = get_close_matches(path.name, os.listdir(path.parent), n=1)
    except OSError:
        return f"There is no folder {label(path.parent)}."
    return f"Maybe {label(path.parent / near[0])}." if near else "Check the path."


def decode(data: bytes, name: str, errors: str = "strict") -> str:
    """Bytes as text: UTF-8, or UTF-16 with its mark, as spreadsheets write it."""
    utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return data.decode("utf-16" if utf16 else "utf-8-sig", errors)
    except UnicodeDecodeError as error:
        refuse(
            "not-text", name, data[error.start : error.start + 8],
            f"at byte {error.start} is not UTF-8 text.",
            "Save it as UTF-8 (in Excel: CSV UTF-8, or save as .xlsx), or maybe this is a file of "
            "another kind.",
        )  # fmt: skip


def encode(text: str, name: str) -> bytes:
    """Text as UTF-8."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        refuse(
            "bad-text", name, text[error.start : error.start + 1],
            "is half a character (a lone surrogate), which no file can hold.",
            "Change the id or name that has it.",
        )  # fmt: skip


def write_files(files: Mapping[Path, bytes]) -> None:
    """Write all, each whole or not at all: first beside its place, then moved there.

    A power cut leaves the old content or the new.

    Raises
    ------
    geopar.errors.InputError
        When a folder is missing or closed, or the disk is full; then nothing has changed.
    """
    faults = Faults()
    for path in files:
        check_target(faults, path)
    faults.raise_if_any()
    staged: list[tuple[Path, Path]] = []
    try:
        for path, data in files.items():
            _stage(path, data, staged)
        for temporary, target in staged:
            os.replace(temporary, target)
    except (OSError, ValueError) as error:
        faults.add(
            "cannot-write", label(path), ..., f"cannot be written: {_why(error)}.",
            "Check the folder and the space on the disk.",
        )  # fmt: skip
    finally:
        for temporary, _ in staged:
            temporary.unlink(missing_ok=True)
    faults.raise_if_any()


def _stage(path: Path, data: bytes, staged: list[tuple[Path, Path]]) -> None:
    if path.exists() and not stat.S_ISREG(path.stat().st_mode):
        path.write_bytes(data)  # a device or a pipe, such as /dev/stdout: never to be replaced
        return
    target = Path(os.path.realpath(path))  # a link stays a link
    temporary = target.with_name(f".{secrets.token_hex(8)}.part")
    staged.append((temporary, target))
    with open(temporary, "xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _places_written(path: Path) -> tuple[Path, ...]:
    if not path.exists():
        return (path.parent,)
    return (path, path.parent) if path.is_file() else (path,)


def check_target(faults: Faults, path: Path) -> None:
    """Note why a file cannot be written there, if it cannot."""
    name, folder = label(path), path.parent
    try:
        if path.is_dir():
            faults.add("is-a-directory", name, ..., "is a folder.", "Name a file in it.")
        elif not folder.is_dir():
            faults.add(
                "no-such-folder", name, label(folder), "does not exist or is no folder.",
                "Make it first.",
            )  # fmt: skip
        elif not all(os.access(place, os.W_OK) for place in _places_written(path)):
            faults.add("no-permission", name, ..., "may not be written.", "Check who owns it.")
    except (OSError, ValueError) as error:
        faults.add("cannot-write", name, ..., f"is no usable path: {_why(error)}.")
