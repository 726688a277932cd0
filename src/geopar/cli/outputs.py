"""Where output goes: results to stdout, the rest to stderr, files whole or not at all."""

from __future__ import annotations

import importlib
import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from geopar.errors import Faults
from geopar.plan import Plan
from geopar.problems import Problem

PICTURE_FORMATS = ("png", "svg", "pdf")

stdout = Console(highlight=False)
stderr = Console(stderr=True, highlight=False)


def print_json(value: Mapping[str, Any]) -> None:
    """One JSON object on stdout."""
    typer.echo(json.dumps(value, allow_nan=False))


def say(message: str) -> None:
    """One line on stderr."""
    typer.echo(message, err=True)


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
        _check_suffix(path, PICTURE_FORMATS)
        importlib.import_module("geopar.plotting")


def _check_suffix(path: Path | None, known: tuple[str, ...]) -> None:
    if path is not None and path.suffix.lower().removeprefix(".") not in known:
        faults = Faults()
        faults.add(
            "unknown-format", str(path), path.suffix, "is no suffix known here.",
            f"End the name in .{', .'.join(known)}.",
        )  # fmt: skip
        faults.raise_now()


def draw(problem: Problem, plan: Plan | None, path: Path) -> None:
    """Draw into a file, which is written whole or not at all."""
    check_picture(path)
    from geopar.plotting import picture

    # The name ends like the file's, because the suffix says which kind of picture it is.
    beside = path.with_name(f".{secrets.token_hex(8)}{path.suffix}")
    try:
        picture(problem, plan, beside)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
