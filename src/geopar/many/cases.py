"""Problems by the dozen: from names, patterns, JSON-lines and Parquet, each read when it is due."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from geopar.errors import Faults, InputError, MissingExtraError, refuse
from geopar.files import problem_from_text
from geopar.files.named import Reading, is_frozen_name
from geopar.files.storage import check_readable, label, read_bytes
from geopar.problems import Problem

LINES, PARQUET = (".jsonl", ".ndjson"), ".parquet"
# What a Parquet file has to have, and what it may have.
PROBLEM_COLUMN, NAME_COLUMN = "problem", "name"


@dataclass(frozen=True)
class Case:
    """A problem on its way to a worker: itself, its JSON text, or why it could not be read.

    Text is parsed where it is solved, so that whoever sends thousands does not have to.
    """

    number: int
    name: str
    content: Problem | bytes | InputError

    def load(self) -> Problem:
        """The problem.

        Raises
        ------
        geopar.errors.InputError
            When it cannot be read.
        """
        if isinstance(self.content, InputError):
            raise self.content
        if isinstance(self.content, bytes):
            return problem_from_text(self.content, self.name)
        return self.content


Content = Problem | bytes
# A name, and what reads the problem of that name.
Entry = tuple[str, Callable[[], Content]]


class Cases:
    """Problems in their order, each read when it is taken.

    Parameters
    ----------
    entries
        Their names, and what reads them.
    """

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = entries
        self.names = [name for name, _ in entries]

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Case]:
        return (self[number] for number in range(len(self)))

    def __getitem__(self, number: int) -> Case:
        name, read = self._entries[number]
        try:
            return Case(number, name, read())
        except InputError as error:
            return Case(number, name, error)


def is_many(name: str) -> bool:
    """Whether a name stands for several problems: a pattern, JSON-lines or Parquet."""
    if os.path.exists(name):
        return Path(name).suffix.lower() in (*LINES, PARQUET)
    return glob.has_magic(name)


def open_cases(
    problems: str | Path | Iterable[Problem | str | Path], reading: Reading | None = None
) -> Cases:
    """Problems, and those that names and patterns stand for.

    Raises
    ------
    geopar.errors.InputError
        For patterns that fit nothing and for files that are not there, all at once, and when there
        is no problem at all.
    """
    faults, entries = Faults(), list[Entry]()
    given = [problems] if isinstance(problems, (str, Path)) else problems
    for one in given:
        if isinstance(one, (str, Path)):
            try:
                entries += _named(str(one), reading or Reading())
            except InputError as error:
                faults.include(error)
        else:
            entries.append((one.name or f"problem-{len(entries)}", partial(_given, one)))
    if not entries and not faults:
        faults.add("empty", "problems", ..., "there is none.", "Name a file, or a pattern.")
    faults.raise_if_any()
    return Cases(entries)


def _given(problem: Problem) -> Problem:
    return problem


def _named(name: str, reading: Reading) -> list[Entry]:
    if not os.path.exists(name) and glob.has_magic(name):
        found = sorted(path for path in glob.glob(name, recursive=True) if os.path.isfile(path))
        if not found:
            hint = "Check the folder and the pattern."
            refuse("no-such-file", label(name), ..., "fits no file.", hint)
        return [entry for path in found for entry in _of_file(path, reading)]
    return _of_file(name, reading)


def _of_file(name: str, reading: Reading) -> list[Entry]:
    path = Path(name)
    suffix = path.suffix.lower()
    if suffix in LINES:
        return _of_lines(path)
    if suffix == PARQUET:
        return _of_parquet(path)
    if suffix == ".json" and reading == Reading():
        check_readable(path)
        return [(path.stem, partial(read_bytes, path))]
    if is_frozen_name(name):
        return [(name.replace("/", "-").replace("#", "-"), partial(reading.problem, name))]
    base, mark, index = path.name.rpartition("#")
    called = f"{Path(base).stem}-{index}" if mark else path.stem
    return [(called, partial(reading.problem, name))]


def _of_lines(path: Path) -> list[Entry]:
    """The lines are found now, by where they begin, and read when they are due."""
    check_readable(path)
    places = []
    with open(path, "rb") as file:
        begin = 0
        for line in file:
            if line.strip():
                places.append((begin, len(line)))
            begin += len(line)
    names = _numbered(path.stem, len(places))
    return [(name, partial(_piece, path, *at)) for name, at in zip(names, places, strict=True)]


def _piece(path: Path, begin: int, length: int) -> bytes:
    with open(path, "rb") as file:
        file.seek(begin)
        return file.read(length)


def _of_parquet(path: Path) -> list[Entry]:
    check_readable(path)
    try:
        from pyarrow import ArrowException, parquet
    except ModuleNotFoundError as error:
        raise MissingExtraError("Parquet", "parquet") from error
    try:
        names = parquet.read_schema(path).names
        if PROBLEM_COLUMN not in names:
            hint = "Put each problem there, as JSON text."
            refuse("missing-field", label(path), PROBLEM_COLUMN, "is no column.", hint)
        wanted = [name for name in (PROBLEM_COLUMN, NAME_COLUMN) if name in names]
        table = parquet.read_table(path, columns=wanted).to_pydict()
    except (ArrowException, OSError) as error:
        message = f"is no Parquet file: {error}."
        refuse("cannot-read", label(path), ..., message, "Write it anew.")
    called = table.get(NAME_COLUMN) or _numbered(path.stem, len(table[PROBLEM_COLUMN]))
    return [
        (str(name), partial(_cell, path, row, text))
        for row, (name, text) in enumerate(zip(called, table[PROBLEM_COLUMN], strict=True))
    ]


def _cell(path: Path, row: int, text: Any) -> bytes:
    if isinstance(text, str):
        return text.encode()
    if not isinstance(text, bytes):
        field = f"{label(path)}[{row}].{PROBLEM_COLUMN}"
        refuse("wrong-type", field, text, "is no JSON text.", "Write the problem as JSON.")
    return text


def _numbered(stem: str, count: int) -> list[str]:
    width = len(str(max(count - 1, 0)))
    return [f"{stem}-{number:0{width}}" for number in range(count)]
