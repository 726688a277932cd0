import re
from pathlib import Path

import pytest

pytest.importorskip("material", reason="needs geopar[docs]")
pytest.importorskip("latex2mathml", reason="needs geopar[docs]")

ROOT = Path(__file__).parent.parent
# What makes a browser fetch something: a source, a style sheet, an import or a font.
FETCHED = re.compile(r"""(?:src=|<link[^>]*href=|@import\s*|url\()["']?(https?:)?//""")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    folder = tmp_path_factory.mktemp("site")
    build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(folder), strict=True))
    return folder


def test_every_page_is_built(site: Path) -> None:
    for page in (ROOT / "docs").glob("*.md"):
        assert (site / f"{page.stem}.html").stat().st_size > 1000


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    pages = [*site.glob("*.html"), *site.rglob("*.css")]
    assert len(pages) > 8
    for page in pages:
        assert not FETCHED.search(page.read_text()), page


def test_equations_become_mathml(site: Path) -> None:
    page = (site / "how-it-works.html").read_text()
    assert page.count("<math") >= 20
    assert "\\frac" not in page


def test_schemas_come_along_and_sources_do_not(site: Path) -> None:
    assert 'href="schemas/problem.schema.json"' in (site / "formats.html").read_text()
    assert (site / "schemas" / "problem.schema.json").exists()
    assert not list(site.rglob("*.py"))
