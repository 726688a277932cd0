"""``geopar info``: versions, for bug reports."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

import typer

from geopar.__about__ import __version__
from geopar.cli.outputs import print_json

PACKAGES = ("numpy", "scipy", "numba", "torch", "matplotlib", "typer", "rich", "vrplib", "ortools")


def info(
    json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Print versions, for bug reports."""
    facts = gather()
    if json:
        print_json(facts)
        return
    width = max(map(len, facts))
    for name, value in facts.items():
        typer.echo(f"{name:{width}}  {'not installed' if value is None else value}")


def gather() -> dict[str, str | int | None]:
    """Versions of what matters here; nothing is imported to find them."""
    facts: dict[str, str | int | None] = {
        "geopar": __version__,
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
    }
    for package in PACKAGES:
        try:
            facts[package] = version(package)
        except PackageNotFoundError:
            facts[package] = None
    return facts
