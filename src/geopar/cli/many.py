"""``geopar solve`` for many problems: plans into a folder, and a table of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from geopar.cli.guard import INTERRUPTED
from geopar.cli.outputs import print_json, say, show
from geopar.cli.spreading import Bar
from geopar.errors import Faults
from geopar.files.named import Reading
from geopar.many import How, open_cases
from geopar.many.cases import is_many
from geopar.many.folder import DONE, TABLE, Row, solve_into
from geopar.problems import Problem
from geopar.result import number
from geopar.solver import Solver
from geopar.spread import open_executor

# The solver that can search one problem in parts.
IN_PARTS = "refine"
# Of problems that failed, so many are told on the way; the table has all.
MOST_TOLD = 20


def are_many(problems: Sequence[str], out: Path | None) -> bool:
    """Whether plans go to a folder: several problems, or a name or a place that says so."""
    return len(problems) > 1 or is_many(problems[0]) or (out is not None and out.is_dir())


def check_one(cluster: str | None, solver: str | None, threads: int | None, resume: bool) -> None:
    """Find out what has no meaning for one problem.

    Raises
    ------
    geopar.errors.InputError
        With all of it.
    """
    faults = Faults()
    if resume:
        hint = "Leave it out, or name a folder with --out."
        faults.add("unused-option", "--resume", ..., "is for many problems, this is one.", hint)
    if cluster is not None:
        if solver not in (None, IN_PARTS):
            message = f"does not work in parts: with --cluster it is {IN_PARTS}."
            faults.add("unused-option", "--solver", solver, message, "Leave one of them out.")
        if threads not in (None, 1):
            message = "is for one machine; the cluster has its own workers."
            faults.add("unused-option", "--threads", threads, message, "Leave one of them out.")
    faults.raise_if_any()


@contextmanager
def in_parts(problem: Problem, cluster: str) -> Iterator[tuple[str, Solver] | None]:
    """A solver that searches one problem in parts; none, with a word, if it is too small."""
    from geopar.parts import InParts
    from geopar.parts.solver import PART_TASKS

    if problem.num_tasks < 2 * PART_TASKS:
        say(f"Searched here and as a whole: parts are for {2 * PART_TASKS:,} tasks and more.")
        yield None
        return
    with open_executor(cluster) as executor:
        solver = InParts(executor)
        solver.warm_up(problem, say)
        yield f"{IN_PARTS} in parts", solver


def solve_all(
    problems: Sequence[str],
    reading: Reading,
    how: How,
    out: Path | None,
    cluster: str | None,
    resume: bool,
    json: bool,
    unused: Mapping[str, Any],
) -> int:
    """Solve all of them; the exit code is that of the worst."""
    faults = Faults()
    for option, value in unused.items():
        if value is not None:
            message = "is for one problem, these are many."
            faults.add("unused-option", option, ..., message, "Leave it out.")
    if out is None:
        message = "is needed for many problems: their plans go to a folder."
        faults.add("missing-option", "--out", ..., message, "Maybe --out plans.")
    faults.raise_if_any()
    assert out is not None
    cases = open_cases(problems, reading)
    rows: list[Row] = []
    interrupted = False
    skipped = 0
    with open_executor(cluster, how.threads) as executor, Bar(len(cases), executor) as bar:
        try:
            for row, is_new in solve_into(out, cases, how, executor, resume):
                rows.append(row)
                if not is_new:
                    skipped += 1
                    bar.skip()
                    continue
                bar.count(failed=row.status != DONE)
                if row.status != DONE and sum(one.status != DONE for one in rows) <= MOST_TOLD:
                    say(f"{row.name}: {row.note}")
        except KeyboardInterrupt:
            interrupted = True
    found = _summary(rows, len(cases), skipped, out)
    if interrupted:
        say(f"Stopped by the user after {len(rows):,} of {len(cases):,}; --resume goes on.")
    if json:
        print_json(found)
    else:
        show(_told(found))
    return INTERRUPTED if interrupted else max((row.exit_code for row in rows), default=0)


def _summary(rows: list[Row], count: int, skipped: int, out: Path) -> dict[str, Any]:
    objectives = [float(row.objective) for row in rows if row.status == DONE]
    return {
        "count": count,
        "done": len(objectives),
        "skipped": skipped,
        "failed": len(rows) - len(objectives),
        "objective": sum(objectives) / len(objectives) if objectives else None,
        "seconds": sum(float(row.seconds) for row in rows if row.status == DONE),
        "folder": os.fspath(out),
        "table": os.fspath(out / TABLE),
    }


def _told(found: dict[str, Any]) -> str:
    parts = [f"{found['done']:,} of {found['count']:,} planned"]
    if found["skipped"]:
        parts.append(f"{found['skipped']:,} of them before")
    if found["failed"]:
        parts.append(f"{found['failed']:,} failed")
    if found["objective"] is not None:
        parts.append(f"mean objective {number(found['objective'])}")
    return f"{', '.join(parts)}. Plans and {TABLE} are in {found['folder']}."
