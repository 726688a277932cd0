import re
from pathlib import Path

import pytest

pytest.importorskip("material", reason="needs geopar[docs]")
pytest.importorskip("latex2mathml", reason="needs geopar[docs]")
pytest.importorskip("mkdocstrings", reason="needs geopar[docs]")

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
    docs = ROOT / "docs"
    for page in docs.rglob("*.md"):
        assert (site / page.relative_to(docs).with_suffix(".html")).stat().st_size > 1000


def test_every_page_is_in_the_navigation() -> None:
    docs, listed = ROOT / "docs", (ROOT / "mkdocs.yml").read_text()
    assert all(f"{page.relative_to(docs)}\n" in listed for page in docs.rglob("*.md"))


def test_the_reference_has_docstrings(site: Path) -> None:
    page = (site / "reference" / "geopar.html").read_text()
    assert "Ctrl-C ends the run and returns the best plan so far" in page
    assert ":class:" not in page
    assert (site / "reference" / "networks.html").read_text().count("<h3") > 10


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    pages = [*site.rglob("*.html"), *site.rglob("*.css")]
    assert len(pages) > 8
    for page in pages:
        assert not FETCHED.search(page.read_text()), page


def test_equations_become_mathml(site: Path) -> None:
    page = (site / "understand" / "paper.html").read_text()
    assert page.count("<math") == 19
    assert "\\frac" not in page


def test_schemas_come_along_and_sources_do_not(site: Path) -> None:
    page = (site / "use" / "files.html").read_text()
    assert 'href="../schemas/problem.schema.json"' in page
    assert (site / "schemas" / "problem.schema.json").exists()
    assert not list(site.rglob("*.py"))
