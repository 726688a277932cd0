"""The commands. Results go to stdout, the rest to stderr; ``guard`` has the exit codes."""

from __future__ import annotations

from geopar.cli.app import app, main

__all__ = ["app", "main"]
