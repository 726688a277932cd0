"""Pages of the manual: short, with short lines, and with links that lead somewhere."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MANUAL = sorted((ROOT / "docs").rglob("*.md"))
TOP = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
LAB = sorted((ROOT / "lab").rglob("*.md"))
MOST_LINES, MOST_CHARACTERS = 225, 100
LINK = re.compile(r"(?<!`)\[[^\]]+\]\(([^)\s#]+)(?:#[^)]*)?\)")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def prose(page: Path) -> Iterator[str]:
    """All lines but those of tables and blocks of code."""
    inside = False
    for line in page.read_text().splitlines():
        if line.lstrip().startswith("```"):
            inside = not inside
        elif not inside and not line.startswith("|"):
            yield line


@pytest.mark.parametrize("page", MANUAL + TOP, ids=name_of)
def test_no_page_is_long(page: Path) -> None:
    assert len(page.read_text().splitlines()) <= MOST_LINES


@pytest.mark.parametrize("page", MANUAL + TOP + LAB, ids=name_of)
def test_no_line_of_prose_is_long(page: Path) -> None:
    assert [line for line in prose(page) if len(line) > MOST_CHARACTERS] == []


@pytest.mark.parametrize("page", MANUAL + TOP + LAB, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    targets = [t for t in LINK.findall(page.read_text()) if not t.startswith(("http", "mailto"))]
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_the_lab_is_not_in_the_manual() -> None:
    assert "lab/" not in (ROOT / "mkdocs.yml").read_text()
    listed = (ROOT / "lab" / "README.md").read_text()
    assert all(page.name in listed for page in LAB if page.parent.name == "lab")


def test_every_equation_of_the_paper_is_there() -> None:
    pages = [ROOT / "docs" / "understand" / name for name in ("paper.md", "how-it-works.md")]
    blocks = re.findall(r"```math\n(.*?)```", "".join(p.read_text() for p in pages), re.DOTALL)
    numbers = {int(n) for block in blocks for n in re.findall(r"\\qquad \((\d+)\)", block)}
    assert numbers == set(range(1, 24)) - {19}  # the best few of Eq. 18, told in words
