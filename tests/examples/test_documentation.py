import re
from pathlib import Path
from typing import Any

import pytest
import typer

from documented import ROOT, blocks, commands, run_command, run_python
from geopar.cli import app

DOCS = ROOT / "docs"
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
COMMAND_LINE = ("use/command-line.md", "use/command-line-networks.md", "use/sheets.md")
SECTIONS = dict(
    re.findall(
        r"^## `geopar ([a-z]+(?: [a-z]+)?)[^\n]*\n(.*?)(?=^## |\Z)",
        "".join((DOCS / page).read_text() for page in COMMAND_LINE),
        re.DOTALL | re.MULTILINE,
    )
)


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder where only the examples are."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    "page",
    [
        "index.md",
        "use/python.md",
        "use/sheets.md",
        "use/cluster.md",
        "develop/adding-a-solver-or-peer.md",
    ],
)
def test_python_on_a_page_runs(page: str) -> None:
    names: dict[str, Any] = {"__name__": "documentation"}
    for code in blocks(DOCS / page, "python"):
        run_python(code, names)
    assert "geopar" in names


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    "page",
    [
        "index.md",
        *COMMAND_LINE,
        "use/by-files.md",
        "use/cluster.md",
        "use/training.md",
        "examples.md",
    ],
)
def test_commands_on_a_page_run(page: str) -> None:
    lines = commands(DOCS / page)
    assert len(lines) >= 2
    for line in lines:
        run_command(line)


def test_data_on_a_page_is_that_of_the_example() -> None:
    shown = blocks(DOCS / "examples.md", "csv")
    files = [file.read_text() for file in (ROOT / "examples").glob("*/*.csv")]
    assert len(shown) == 3
    for block in shown:
        assert any(file.startswith(block) for file in files), block


def test_every_command_is_described() -> None:
    text = "".join((DOCS / page).read_text() for page in COMMAND_LINE)
    assert all(f"`geopar {name}" in text for name in COMMANDS)


@pytest.mark.parametrize("name", sorted(set(SECTIONS) - {"solvers"}))
def test_the_options_of_a_command_are_those_described(name: str) -> None:
    rows = "\n".join(line for line in SECTIONS[name].splitlines() if line.startswith("| `--"))
    described = set(re.findall(r"--[a-z-]+", re.sub(r"\|[^|]*\|$", "", rows, flags=re.MULTILINE)))
    first, _, second = name.partition(" ")
    command = COMMANDS[first].commands[second] if second else COMMANDS[first]
    known = {
        option
        for p in command.params
        for option in (*p.opts, *p.secondary_opts)
        if option.startswith("--")
    }
    assert described == known - {"--help"}
