"""Runs what a page of the documentation tells its readers to run, with less patience."""

import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import typer
from typer.testing import CliRunner, Result

from geopar.cli import app

ROOT = Path(__file__).parent.parent
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
# What costs time in an example, and how much of it a test has.
_LESS = {"--time-limit": 0.1, "--no-improvement": 0.05, "--iterations": 200, "--count": 2}
_EXIT_CODE = re.compile(r"#\s*exit code (\d)")


def blocks(page: Path, language: str) -> list[str]:
    """The code blocks of a page in one language."""
    return [code for found, code in _BLOCK.findall(page.read_text()) if found == language]


def commands(page: Path) -> list[str]:
    """All lines of a page's shell blocks that call geopar."""
    lines = "\n".join(blocks(page, "sh")).replace("\\\n", " ").splitlines()
    return [line for line in lines if line.startswith("geopar")]


def run_command(line: str) -> Result | None:
    """Run a line as a shell would, and see that it ends as the line says."""
    stated = _EXIT_CODE.search(line)
    # A number sign within a word, as in hcvrp/60/3#7, begins no comment.
    words = shlex.split(line.partition(" #")[0])[1:]
    words, target = (words[:-2], words[-1]) if ">" in words else (words, None)
    if words[:1] == ["serve"]:  # would never end: only see that it could begin
        serve = typer.main.get_command(app).commands["serve"]  # type: ignore[attr-defined]
        serve.make_context("serve", words[1:])
        return None
    if words[:1] == ["train"] and "--show-settings" not in words:
        words.append("--show-settings")
    result = CliRunner().invoke(app, list(_hurried(words)))
    assert result.exit_code == (int(stated.group(1)) if stated else 0), result.output
    if target is not None:
        Path(target).write_text(result.stdout)
    return result


def _hurried(words: list[str]) -> Iterator[str]:
    before = ""
    for word in words:
        most = _LESS.get(before)
        yield word if most is None or float(word) <= most else str(most)
        before = word


def run_python(code: str, names: dict[str, Any]) -> str:
    """Run a block of Python, going on with the names of those before it; what it printed."""
    hurried = re.sub(r"MaxRuntime\([\d.]+\)", "MaxRuntime(0.1)", code)
    printed = StringIO()
    with redirect_stdout(printed):
        exec(compile(hurried, "documentation", "exec"), names)
    return printed.getvalue()
