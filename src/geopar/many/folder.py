"""A folder of plans with a table of what became of each problem, written as they come.

A problem is done when the table has a row of the same problem, solved in the same way, and its plan
is in the folder as it was written. Anything less is done again.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path
from typing import TextIO

from geopar.__about__ import __version__
from geopar.errors import Faults, GeoparError, InputError
from geopar.files import plan_to_json
from geopar.files.problem_json import object_text, problem_text
from geopar.files.storage import check_target, label, write_files
from geopar.many.cases import Case, Cases
from geopar.many.solving import How, Job, Solved, run_job, solved
from geopar.spread import Executor

TABLE = "results.csv"
DONE, BAD_INPUT, FAILED = "done", "bad input", "failed"
INTERNAL = 3
# Digits of a fingerprint: enough to tell a change, and short enough for a table.
HEX = 16


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table; text throughout, as it stands in the file."""

    name: str
    status: str
    objective: str = ""
    left_out: str = ""
    seconds: str = ""
    iterations: str = ""
    steps: str = ""
    solver: str = ""
    seed: str = ""
    plan: str = ""
    note: str = ""
    asked: str = ""
    content: str = ""

    @property
    def exit_code(self) -> int:
        """Of a command that did only this: 0 fine, 2 bad input, 3 internal."""
        return {DONE: 0, BAD_INPUT: InputError.exit_code}.get(self.status, INTERNAL)


COLUMNS = tuple(field.name for field in fields(Row))


def solve_document(job: Job) -> tuple[Solved, bytes]:
    """The task: the plan as its file will have it, made where the problem is at hand."""
    result = run_job(job)
    text = object_text(plan_to_json(result.plan, result.problem)).encode()
    return replace(solved(job.case, result), plan=None), text


def solve_into(
    folder: Path, cases: Cases, how: How, executor: Executor, resume: bool = False
) -> Iterator[tuple[Row, bool]]:
    """Solve all into a folder; rows as they come, and whether they are new.

    The table grows with them; at the end it is in the order of the problems.

    Parameters
    ----------
    folder
        For the plans and the table ``results.csv``; made if it is not there.
    resume
        Skip what is done in the folder.

    Raises
    ------
    geopar.errors.InputError
        When plans would overwrite each other, or the folder cannot be written.
    """
    check_names(cases.names)
    _make(folder)
    table = _Table(folder / TABLE, cases.names)
    if resume:
        numbers = {name: number for number, name in enumerate(cases.names)}
        table.keep(
            row
            for row in _known(folder)
            # Rows of other problems stay as they are.
            if row.name not in numbers or _is_done(folder, row, cases[numbers[row.name]], how)
        )
    skipped = {number for number, name in enumerate(cases.names) if name in table}
    yield from ((table[cases.names[number]], False) for number in sorted(skipped))
    asked: list[tuple[str, str]] = []

    def jobs() -> Iterator[Job]:
        for number in range(len(cases)):
            if number not in skipped:
                case = cases[number]
                asked.append((case.name, fingerprint(case, how)))
                yield Job(case, how)

    with table:
        for done in executor.run(solve_document, jobs()):
            name, wanted = asked[done.number]
            if done.error is None:
                told, text = done.result()
                row = _row_of(told, text, wanted)
                write_files({folder / row.plan: text})
            else:
                row = _row_of_error(name, done.error)
            table.add(row)
            yield row, True


class _Table:
    """The rows so far, in memory and in a file."""

    def __init__(self, path: Path, order: list[str]) -> None:
        self._path, self._rows = path, dict[str, Row]()
        self._order = {name: number for number, name in enumerate(order)}
        self._file: TextIO | None = None

    def keep(self, rows: Iterable[Row]) -> None:
        self._rows = {row.name: row for row in rows}

    def __contains__(self, name: str) -> bool:
        return name in self._rows

    def __getitem__(self, name: str) -> Row:
        return self._rows[name]

    def add(self, row: Row) -> None:
        self._rows[row.name] = row
        assert self._file is not None
        self._file.write(_text([row]))
        self._file.flush()

    def _write(self) -> None:
        """Those of this run in their order, then those of others."""
        last = len(self._order)
        rows = sorted(self._rows.values(), key=lambda row: self._order.get(row.name, last))
        write_files({self._path: (_text([COLUMNS]) + _text(rows)).encode()})

    def __enter__(self) -> _Table:
        self._write()
        self._file = open(self._path, "a", encoding="utf-8", newline="")
        return self

    def __exit__(self, *error: object) -> None:
        assert self._file is not None
        self._file.close()
        self._write()


def _text(rows: Iterable[Row | Sequence[str]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows(astuple(row) if isinstance(row, Row) else row for row in rows)
    return text.getvalue()


def _row_of(told: Solved, text: bytes, asked: str) -> Row:
    return Row(
        told.name, DONE, repr(told.objective), str(told.left_out), f"{told.seconds:.3f}",
        _count(told.iterations), _count(told.steps), told.solver, str(told.seed),
        f"{told.name}.json", "; ".join(told.notes), asked, hashlib.sha256(text).hexdigest()[:HEX],
    )  # fmt: skip


def _count(value: int | None) -> str:
    return "" if value is None else str(value)


def _row_of_error(name: str, error: Exception) -> Row:
    status = BAD_INPUT if getattr(error, "exit_code", INTERNAL) != INTERNAL else FAILED
    words = str(error) if isinstance(error, GeoparError) else f"{type(error).__name__}: {error}"
    return Row(name, status, note=words)


def fingerprint(case: Case, how: How) -> str:
    """What was asked: the problem, and how it is solved."""
    content = case.content
    if isinstance(content, InputError):
        return ""
    data = content if isinstance(content, bytes) else problem_text(content).encode()
    solver = how.solver if how.solver is None or isinstance(how.solver, str) else "own"
    way = repr((__version__, how.rule, how.seed, solver, how.options, how.threads))
    return hashlib.sha256(data + way.encode()).hexdigest()[:HEX]


def _is_done(folder: Path, row: Row, case: Case, how: How) -> bool:
    """Whether a problem of an earlier run need not be done again."""
    if row.status != DONE or row.plan != f"{row.name}.json":
        return False
    try:
        written = (folder / row.plan).read_bytes()
    except OSError:
        return False
    whole = hashlib.sha256(written).hexdigest()[:HEX] == row.content
    return whole and row.asked == fingerprint(case, how)


def _known(folder: Path) -> list[Row]:
    """The rows of an earlier run; lines that are not whole are none."""
    try:
        text = (folder / TABLE).read_text("utf-8", errors="replace")
    except FileNotFoundError:
        return []
    found = {}
    for line in csv.reader(io.StringIO(text, newline="")):
        if len(line) == len(COLUMNS) and tuple(line) != COLUMNS:
            found[line[0]] = Row(*line)
    return list(found.values())


def check_names(names: Sequence[str]) -> None:
    """Find out before a long run that plans cannot be written under these names.

    Raises
    ------
    geopar.errors.InputError
        When two problems have the same, or one is no name of a file.
    """
    faults = Faults()
    for name, count in Counter(names).items():
        if count > 1:
            message = f"is the name of {count} problems, whose plans would be one file."
            hint = "Rename them, or solve them into two folders."
            faults.add("duplicate-name", "problems", name, message, hint)
        if not name or Path(name).name != name or name.startswith(".") or "\0" in name:
            message = "is no name that a plan's file could have."
            faults.add("bad-name", "problems", name, message, "Rename the problem.")
    faults.raise_if_any()


def _make(folder: Path) -> None:
    faults = Faults()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = f"cannot be made: {error.strerror}."
        faults.refuse("cannot-write", label(folder), ..., why, "Maybe another place.")
    check_target(faults, folder / TABLE)
    faults.raise_if_any()
