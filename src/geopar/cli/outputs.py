"""Where output goes: results to stdout, the rest to stderr, files whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console, RenderableType
from rich.text import Text

from geopar.errors import Faults

if TYPE_CHECKING:
    from geopar.problems import Problem

WIDTH_OF_A_FILE = 120

stdout = Console(highlight=False)
stderr = Console(stderr=True, highlight=False)


def print_json(value: Mapping[str, Any]) -> None:
    """One JSON object on stdout."""
    typer.echo(json.dumps(value, allow_nan=False))


def show(result: RenderableType) -> None:
    """A table or the like on stdout, as wide as it is where no window limits it."""
    wide = stdout if stdout.is_terminal else Console(highlight=False, width=WIDTH_OF_A_FILE)
    wide.print(result)


def say(message: str) -> None:
    """A message on stderr, above the progress bar if there is one."""
    stderr.print(Text(message), soft_wrap=True)


def tell(problem: Problem) -> None:
    """What is allowed and yet worth a word, on stderr."""
    from geopar.files.remarks import remarks

    for remark in remarks(problem):
        say(remark)


def check_targets(*paths: Path | None) -> None:
    """Find out before a long run, not after it, that a file cannot be written.

    Raises
    ------
    geopar.errors.InputError
        With every path that will not do.
    """
    from geopar.files.storage import check_target

    faults = Faults()
    for path in paths:
        if path is not None:
            check_target(faults, path)
    faults.raise_if_any()


def check_plan_target(path: Path | None) -> None:
    """Find out before a long run that no plan can be written under that name."""
    from geopar.files import PLAN_FORMATS

    _check_suffix(path, PLAN_FORMATS)


def check_problem_target(path: Path | None) -> None:
    """Find out before a long run that no problem can be written under that name."""
    from geopar.files import PROBLEM_FORMATS

    _check_suffix(path, PROBLEM_FORMATS)


def check_sheet_target(path: Path | None) -> None:
    """Find out before a long run that no sheets can be written under that name."""
    from geopar.sheets import FORMATS

    _check_suffix(path, FORMATS)


def check_table_target(path: Path | None) -> None:
    """Find out before a long run that no table can be written under that name."""
    _check_suffix(path, ("csv", "xlsx"))


def check_matrix_target(path: Path) -> None:
    """Find out before a road engine is asked that no matrices can be written under that name."""
    check_targets(path)
    _check_suffix(path, ("json", "npz"))


def check_picture(path: Path | None) -> None:
    """Find out before a long run that no picture can be drawn.

    Raises
    ------
    geopar.errors.MissingExtraError
        When what draws is not installed.
    geopar.errors.InputError
        For a suffix that is no picture's.
    """
    if path is not None:
        from geopar.plotting.picture import SUFFIXES

        _check_suffix(path, tuple(suffix.removeprefix(".") for suffix in SUFFIXES))


def _check_suffix(path: Path | None, known: tuple[str, ...]) -> None:
    if path is not None and path.suffix.lower().removeprefix(".") not in known:
        from geopar.files.other_files import suffix_hint

        faults, hint = Faults(), suffix_hint(path.suffix, known)
        faults.refuse("unknown-format", str(path), path.suffix, "is no suffix known here.", hint)
